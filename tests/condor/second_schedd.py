"""A second schedd of a test pool, where the same submitters have jobs: how it is set up, and what it says."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from claims import log_from_now
from testpool import Pool

NAME = "second@node.test"
_LOG, _SPOOL = "SecondLog", "second"
#: Clusters have other numbers than those of the first one.
KNOBS: Mapping[str, str] = {
    "SCHEDD_SECOND": "$(SCHEDD)",
    "SCHEDD_SECOND_ARGS": "-local-name SECOND",
    "SECOND.SCHEDD_NAME": NAME,
    "SECOND.SCHEDD_LOG": f"$(LOG)/{_LOG}",
    "SECOND.SCHEDD_ADDRESS_FILE": "$(LOG)/.second_schedd_address",
    "SECOND.SCHEDD_DAEMON_AD_FILE": "$(LOG)/.second_schedd_ad",
    "SECOND.SPOOL": f"$(LOCAL_DIR)/{_SPOOL}",
    "SECOND.SCHEDD_CLUSTER_INITIAL_VALUE": "100000",
    "DAEMON_LIST": "MASTER COLLECTOR NEGOTIATOR SCHEDD SCHEDD_SECOND STARTD",
}


def make_spool(pool: Pool) -> None:
    """Make the directory of its queue, which is empty at first."""
    directory, like = pool.path(_SPOOL), pool.path("spool").stat()
    directory.mkdir(exist_ok=True)
    for queue in directory.glob("job_queue*"):
        queue.unlink()
    os.chown(directory, like.st_uid, like.st_gid)


def logs_from_now(pool: Pool) -> Mapping[str, Callable[[], str]]:
    """Return what the second schedd writes from now on, by its host and port; nothing without it."""
    found = {}
    for ad in pool.ads("schedd", ["Name", "MyAddress"]):
        if ad["Name"] == NAME:
            address = ad["MyAddress"].strip("<>").partition("?")[0]
            found[address] = log_from_now(pool, _LOG)
    return found
