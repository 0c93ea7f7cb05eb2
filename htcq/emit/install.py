"""Puts a configuration file where HTCondor reads it: whole or not at all, and only if it changes something.

A temporary dot-file in the same directory is ignored by HTCondor, as is a name that ends in ``~``
(LOCAL_CONFIG_DIR_EXCLUDE_REGEXP, 25.14), so that neither is read by accident.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from htcq.errors import InstallError
from htcq.whole_file import put

DIRECTORIES_KNOB = "LOCAL_CONFIG_DIR"
EXCLUDED_KNOB = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"

#: Knobs that a running startd takes over at condor_reconfig; all others need it to start anew.
_RECONFIGURABLE = re.compile(
    r"(SLOT_TYPE_\d+_)?(SLOT_WEIGHT|CONSUMPTION_(?!POLICY\b)\w+|MODIFY_REQUEST_EXPR_\w+|START|HTCQ_\w+)\Z",
    re.IGNORECASE,
)
#: Every daemon and tool reads the configuration.
_MODE = 0o644
_ASSIGNMENT = re.compile(r"\s*([A-Za-z0-9_.]+)\s*=(.*)")


@dataclass(frozen=True)
class Target:
    """The file to be written, its present content (None: there is none) and the content it should have."""

    path: Path
    present: str | None
    wanted: str

    @property
    def differs(self) -> bool:
        """Whether there is anything to write."""
        return self.present != self.wanted

    def diff(self) -> str:
        """Return the difference in unified form; empty where there is none."""
        old = (self.present or "").splitlines(keepends=True)
        new = self.wanted.splitlines(keepends=True)
        before = str(self.path) if self.present is not None else "/dev/null"
        return "".join(difflib.unified_diff(old, new, before, str(self.path)))

    def needs_restart(self) -> bool:
        """Tell whether the change reaches a startd only when it starts anew."""
        old, new = _assignments(self.present or ""), _assignments(self.wanted)
        changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
        return any(not _RECONFIGURABLE.match(name) for name in changed)


def _assignments(text: str) -> dict[str, str]:
    found = (_ASSIGNMENT.match(line) for line in text.splitlines() if not line.lstrip().startswith("#"))
    return {each.group(1).upper(): each.group(2).strip() for each in found if each}


def prepare(directory: Path, name: str, wanted: str, params: Mapping[str, str]) -> Target:
    """Return the target ``name`` in ``directory``; ``params`` are HTCondor's own knobs, where it is installed.

    Raises:
        InstallError: HTCondor would not read the file there, or it cannot be written.
    """
    _check_name(name, params.get(EXCLUDED_KNOB, ""))
    if not directory.is_dir():
        raise InstallError(f"{directory} is not a directory", "make it first, or give one of LOCAL_CONFIG_DIR")
    _check_read_by_condor(directory, params.get(DIRECTORIES_KNOB, ""))
    if not os.access(directory, os.W_OK | os.X_OK):
        raise InstallError(f"{directory} is not writable", "run as the user who owns it (usually root)")
    path = directory / name
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InstallError(f"{path} is not a plain file", "htcq does not write through links; remove it first")
    return Target(path, _read(path), wanted)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InstallError(f"{path} cannot be read: {error.strerror}", "run as the user who owns it") from error


def _check_name(name: str, excluded: str) -> None:
    if "/" in name or name in ("", ".", ".."):
        raise InstallError(f"'{name}' is not a file name", "give a name without a directory, such as 50-htcq.config")
    if excluded and re.search(excluded, name):
        raise InstallError(
            f"HTCondor would ignore a file called '{name}' ({EXCLUDED_KNOB})",
            "choose a name such as 50-htcq-execute.config",
        )


def _check_read_by_condor(directory: Path, listed: str) -> None:
    directories = [Path(each) for each in listed.replace(",", " ").split()]
    if directories and not any(each.resolve() == directory.resolve() for each in directories):
        raise InstallError(
            f"HTCondor does not read {directory}",
            f"{DIRECTORIES_KNOB} is {' '.join(map(str, directories))}; redirect standard output to write elsewhere",
        )


def write(target: Target) -> bool:
    """Write ``target`` if it differs; return whether it did. The former content is kept under ``<name>~``.

    Raises:
        InstallError: nothing was changed.
    """
    if not target.differs:
        return False
    try:
        if target.present is not None:
            put(target.path.with_name(f"{target.path.name}~"), target.present, _MODE)
        put(target.path, target.wanted, _MODE)
    except OSError as error:
        raise InstallError(f"{target.path} cannot be written: {error.strerror}", "nothing was changed") from error
    return True
