"""Changes in the system's log (syslog or journald), one line for each.

A line has who made the change, what changed, and the result.

The log belongs to root: who may write a journal or a file of htcq cannot take these lines back.
"""

from __future__ import annotations

import os
import syslog

from htcq.errors import HtcqError

_NAME = "htcq"
_MAX_CHARACTERS = 1500


def log_change(command: str, what: str, *, failed: bool = False) -> None:
    """Log that ``command`` did ``what``; text from elsewhere in it stays on the line."""
    from htcq.report.printable import one_line

    told = one_line(f"{command}: {what}".replace("\t", " "))[:_MAX_CHARACTERS]
    syslog.openlog(_NAME, syslog.LOG_PID, syslog.LOG_DAEMON)
    syslog.syslog(
        syslog.LOG_WARNING if failed else syslog.LOG_NOTICE, f"{told}; by {one_line(_who())}"
    )


def log_failure(command: str, error: HtcqError) -> None:
    """Log that ``command`` failed or was refused."""
    log_change(command, f"nothing was done: {error}", failed=True)


def _who() -> str:
    """Return the account that runs this, and who says to have become it by sudo."""
    import pwd

    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = "an account without a name"
    sudo = os.environ.get("SUDO_USER")
    who = f"{name} (uid {uid})"
    if sudo:
        who += f", sudo of {sudo[:100]}"
    return who
