"""Configuration files that htcq writes for HTCondor.

HTCondor's parser reads them, they are put in place whole, and the system's log records it.

Little is imported here: ``htcq emit`` starts HTCondor's parser beside it before it loads the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import InstallError, UnreadableError
from htcq.live.configuration import values_here
from htcq.live.parser_process import ParserProcess

if TYPE_CHECKING:
    from htcq.emit.install import Target


def reading_knobs() -> dict[str, str]:
    """Return the knobs that say which files HTCondor reads.

    The values are those of this machine, or HTCondor's defaults where it has none, or where they
    cannot be read: that is said on standard error.
    """
    from htcq.emit.install import DIRECTORIES_KNOB, EXCLUDED_KNOB
    from htcq.live.configuration import installed_configuration
    from htcq.report.printable import tell

    own = installed_configuration()
    knobs: Mapping[str, str] = {}
    try:
        knobs = own((DIRECTORIES_KNOB, EXCLUDED_KNOB)) if own else {}
    except UnreadableError as error:
        # A file that is written or taken away may be what mends it.
        tell(f"htcq: whether HTCondor reads the directory is not known: {error}")
    defaults = ParserProcess().call(values_here, (EXCLUDED_KNOB,))
    return {**defaults, **knobs}


def target_for(directory: Path, name: str, text: str, writing: bool = True) -> Target:
    """Return the target file ``name`` of ``directory`` with its wanted ``text``; write nothing.

    Raises:
        InstallError: HTCondor would not read the file, or it cannot be written.
    """
    from htcq.emit.install import prepare

    return prepare(directory, name, text, reading_knobs(), writing)


def put_in_place(command: str, target: Target) -> bool:
    """Write the file, and return whether that changed anything.

    The system's log records that ``command`` wrote it or failed to.

    Raises:
        InstallError: it could not be written.
    """
    from htcq.emit.install import write
    from htcq.operations.system_log import log_change, log_failure

    try:
        changed = write(target)
    except InstallError as error:
        log_failure(command, error)
        raise
    if changed:
        log_change(command, f"{target.path}: written")
    return changed


def take_away(command: str, target: Target) -> str:
    """Remove the file, or put back the one that it replaced.

    Return in words what was done; empty where there was nothing to remove.

    Raises:
        InstallError: it could not be removed.
    """
    from htcq.emit.install import remove
    from htcq.operations.system_log import log_change, log_failure

    try:
        changed = remove(target)
    except InstallError as error:
        log_failure(command, error)
        raise
    if not changed:
        return ""
    done = "removed" if target.wanted is None else "removed; the file that it had replaced is back"
    log_change(command, f"{target.path}: {done}")
    return done
