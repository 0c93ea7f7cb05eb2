"""The files of a snapshot; htcq.toml(5) describes them.

They hold what condor_status, condor_q, condor_config_val, condor_userprio and condor_qusers
print, so that a snapshot can be made without htcq.
"""

from __future__ import annotations

import re

COLLECTOR_ADS = "collector.ads"
JOBS_ADS = "jobs.ads"
CONFIG = "config.txt"
PRIORITIES_ADS = "priorities.ads"
USERS_ADS = "users.ads"
META = "meta.json"
#: What the central manager's configuration is called together with the changes of a what-if.
CHANGED = f"{CONFIG} with the changes"
#: What meta.json calls the central manager's configuration where it was asked for in vain.
CENTRAL = "central configuration"
SLOTS = "slots"
#: Directories of configurations by the name of the schedd or of the machine.
ACCESS, EXECUTE = "access", "execute"
#: Names that HTCondor leaves out of a directory of configuration files by default: hidden files,
#: scripts, and what editors and packages leave behind (param_info.in, 25.14).
IGNORED_NAMES = (
    r"^((\..*)|(.*\.pl)|(.*\.py)|(.*\.sh)|(.*~)|(#.*)|(.*\.rpmsave)|(.*\.rpmnew)|(.*\.dpkg-old)"
    r"|(.*\.dpkg-dist)|(.*\.cfsaved))$"
)
#: The version of meta.json.
SCHEMA = 1

_LONGEST = 200


def file_name(name: str) -> str:
    """Return ``name`` as a file name that is never hidden or empty.

    ``name`` is that of a daemon, a machine or a pool.
    """
    plain = re.sub(r"[^A-Za-z0-9@_.+:=-]", "_", name)[:_LONGEST]
    if plain.startswith("."):
        return f"_{plain[1:]}"
    return plain or "_"
