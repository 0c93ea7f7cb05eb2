"""A second startd of a test pool, on the same machine: how it is set up, and where it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping

from testpool import Pool

#: Its slots are called slot1@m1@node.test.
_NAME, _EXECUTE = "M1", "execute2"
KNOBS: Mapping[str, str] = {
    "STARTD_SECOND": "$(STARTD)",
    "STARTD_SECOND_ARGS": f"-local-name {_NAME}",
    f"{_NAME}.STARTD_NAME": _NAME.lower(),
    f"{_NAME}.STARTD_LOG": "$(LOG)/SecondStartLog",
    f"{_NAME}.STARTD_ADDRESS_FILE": "$(LOG)/.second_startd_address",
    f"{_NAME}.STARTD_DAEMON_AD_FILE": "$(LOG)/.second_startd_ad",
    f"{_NAME}.EXECUTE": f"$(LOCAL_DIR)/{_EXECUTE}",
}
_DAEMONS = "MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD"


def added(knobs: Mapping[str, str], slots: Mapping[str, int]) -> dict[str, str]:
    """Return the knobs of a pool that has it as well, with so many ``slots`` of each type."""
    own = {f"{_NAME}.NUM_SLOTS_TYPE_{type_}": str(count) for type_, count in slots.items()}
    daemons = f"{knobs.get('DAEMON_LIST', _DAEMONS)} STARTD_SECOND"
    return {**knobs, **KNOBS, **own, "DAEMON_LIST": daemons}


def make_execute(pool: Pool) -> None:
    """Make the directory where its jobs run."""
    directory, like = pool.path(_EXECUTE), pool.path("execute").stat()
    directory.mkdir(exist_ok=True)
    os.chown(directory, like.st_uid, like.st_gid)
    directory.chmod(like.st_mode & 0o7777)
