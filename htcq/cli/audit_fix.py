"""``htcq audit --fix DIR``: writes the settings that fix the findings, as files for review.

No file is written to a directory that HTCondor reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from htcq.audit.engine import Audit
from htcq.audit.evidence import Evidence
from htcq.emit.fixes import BEGINNINGS, SUFFIX, fix_files
from htcq.errors import InputError
from htcq.report.printable import tell

_DIRECTORIES = "LOCAL_CONFIG_DIR"
_ELSEWHERE = "give a directory that HTCondor does not read, such as fixes"


def directory_for_fixes(name: str) -> Path:
    """Return the directory to write to, before a pool is asked in vain.

    Raises:
        InputError: HTCondor reads it, fixes lie there already, or nothing can be written there.
    """
    directory = Path(name)
    there = directory if directory.is_dir() else directory.parent
    if os.path.lexists(directory) and not directory.is_dir():
        raise InputError(
            f"--fix {name}: it is not a directory", "give a new one, or one without fixes"
        )
    if not there.is_dir():
        raise InputError(f"--fix {name}: {there} is not a directory", "make it first")
    _refuse_read_by_condor(directory, _own_directories())
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"--fix {name}: {there} is not writable", "choose another directory")
    former = sorted(each.name for each in _former(directory))
    if former:
        raise InputError(
            f"--fix {name}: {former[0]} is there already",
            "give a new directory, or remove it first",
        )
    return directory


def write_fixes(outcome: Audit, evidence: Evidence, name: str) -> None:
    """Write the files and say what to do with them.

    Raises:
        InputError: HTCondor reads the directory, or a file could not be written.
    """
    from htcq.operations.output_files import put_new_file

    directory = Path(name)
    for whose, configuration in evidence.configurations():
        with_knob = configuration.value(_DIRECTORIES).replace(",", " ").split()
        _refuse_read_by_condor(directory, with_knob, whose)
    files, conflicts = fix_files(outcome)
    for file, text in files.items():
        put_new_file(f"{name.rstrip('/') or '/'}/{file}", text)
    for conflict in conflicts:
        tell(f"htcq: {conflict.sentence}")
    if not files:
        tell("htcq: no finding can be fixed by a setting")
        return
    tell(f"htcq: wrote {', '.join(files)} to {name}: look at them; nothing reads them there")


def _former(directory: Path) -> Iterable[Path]:
    if not directory.is_dir():
        return ()
    if not os.access(directory, os.R_OK):
        raise InputError(f"--fix {directory}: it cannot be read", "choose another directory")
    return [
        each
        for each in directory.iterdir()
        if each.name.startswith(BEGINNINGS) and each.name.endswith(SUFFIX)
    ]


def _own_directories() -> list[str]:
    """Return the directories whose configuration files HTCondor reads on this machine.

    The list is empty where HTCondor is not configured.

    Raises:
        UnreadableError: its configuration cannot be read.
    """
    from htcq.live.configuration import installed_configuration

    own = installed_configuration()
    values = own((_DIRECTORIES,)) if own is not None else {}
    return values.get(_DIRECTORIES, "").replace(",", " ").split()


def _refuse_read_by_condor(
    directory: Path, directories: Iterable[str], whose: str = "this machine"
) -> None:
    goal = _resolved(directory)
    for each in directories:
        read = _resolved(Path(each))
        if goal == read or read in goal.parents:
            raise InputError(
                f"--fix {directory}: HTCondor of {whose} reads {each} ({_DIRECTORIES})", _ELSEWHERE
            )


def _resolved(path: Path) -> Path:
    """Return the path without links, as far as this user can see."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()
