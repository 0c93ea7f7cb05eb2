"""Puts a configuration file where HTCondor reads it, whole and only if it changes something.

A temporary dot-file in the same directory is ignored by HTCondor, as is a name that ends in ``~``
(LOCAL_CONFIG_DIR_EXCLUDE_REGEXP, 25.14), so that neither is read by accident.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from htcq import WRITTEN_BY
from htcq.errors import InstallError
from htcq.whole_file import put, put_copy, status_of, sync_directory

DIRECTORIES_KNOB = "LOCAL_CONFIG_DIR"
EXCLUDED_KNOB = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"

#: Knobs that a running startd takes over at condor_reconfig; all others need it to start anew.
_RECONFIGURABLE = re.compile(
    r"(SLOT_TYPE_\d+_)?(SLOT_WEIGHT|CONSUMPTION_(?!POLICY\b)\w+|MODIFY_REQUEST_EXPR_\w+"
    r"|START|STARTD_ATTRS|HTCQ\w+)\Z",
    re.IGNORECASE,
)
#: Every daemon and tool reads the configuration.
_MODE = 0o644
_ASSIGNMENT = re.compile(r"\s*([A-Za-z0-9_.]+)\s*=(.*)")


@dataclass(frozen=True)
class Target:
    """The file to be written, its present content and its wanted content (None: no such file)."""

    path: Path
    present: str | None
    wanted: str | None

    @property
    def differs(self) -> bool:
        """Whether there is anything to write."""
        return self.present != self.wanted

    def diff(self) -> str:
        """Return the difference in unified form; empty where there is none."""
        old = (self.present or "").splitlines(keepends=True)
        new = (self.wanted or "").splitlines(keepends=True)
        before = str(self.path) if self.present is not None else "/dev/null"
        after = str(self.path) if self.wanted is not None else "/dev/null"
        return "".join(difflib.unified_diff(old, new, before, after))

    def needs_restart(self) -> bool:
        """Return whether the change reaches a startd only when it starts anew."""
        return needs_restart(self.changed())

    def changed(self) -> tuple[str, ...]:
        """Return the knobs that change, in upper case."""
        old, new = _assignments(self.present or ""), _assignments(self.wanted or "")
        return tuple(name for name in {**new, **old} if old.get(name) != new.get(name))


def needs_restart(knobs: Iterable[str]) -> bool:
    """Return whether a change of ``knobs`` reaches a startd only when it starts anew."""
    return any(not _RECONFIGURABLE.match(name) for name in knobs)


def _assignments(text: str) -> dict[str, str]:
    found = (
        _ASSIGNMENT.match(line) for line in text.splitlines() if not line.lstrip().startswith("#")
    )
    return {each.group(1).upper(): each.group(2).strip() for each in found if each}


def prepare(
    directory: Path, name: str, wanted: str | None, params: Mapping[str, str], writing: bool = True
) -> Target:
    """Return the target ``name`` in ``directory``.

    ``params`` are HTCondor's own knobs, where it is installed.

    Raises:
        InstallError: HTCondor would not read the file there, or (``writing``) it cannot be written.
    """
    path = _checked_path(directory, name, params)
    if writing and not os.access(directory, os.W_OK | os.X_OK):
        raise InstallError(
            f"{directory} is not writable", "run as the user who owns it (usually root)"
        )
    return Target(path, read(path), wanted)


def prepare_removal(directory: Path, name: str, params: Mapping[str, str]) -> Target:
    """Return the target ``name`` in ``directory``; it wants the content from before htcq, or none.

    Raises:
        InstallError: the file is not htcq's own, or it cannot be removed.
    """
    target = prepare(directory, name, None, params)
    if target.present is None:
        return target
    if not is_own(target.present):
        raise InstallError(
            f"{target.path} does not begin with '{WRITTEN_BY}': htcq did not write it",
            "remove it by hand if it is to go",
        )
    kept = read(_kept_path(target.path))
    if kept is None or is_own(kept):
        return target
    return Target(target.path, target.present, kept)


def is_own(text: str) -> bool:
    """Return whether htcq wrote ``text``."""
    return text.startswith(WRITTEN_BY)


def without_version(text: str) -> str:
    """Return ``text`` without its first words, which name the version of htcq that wrote it."""
    return re.sub(rf"\A{re.escape(WRITTEN_BY)} \S+", WRITTEN_BY, text)


def _kept_path(path: Path) -> Path:
    return path.with_name(f"{path.name}~")


def _checked_path(directory: Path, name: str, params: Mapping[str, str]) -> Path:
    _check_name(name, params.get(EXCLUDED_KNOB, ""))
    if not directory.is_dir():
        raise InstallError(
            f"{directory} is not a directory", "make it first, or give one of LOCAL_CONFIG_DIR"
        )
    _check_read_by_condor(directory, params.get(DIRECTORIES_KNOB, ""))
    path = directory / name
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InstallError(
            f"{path} is not a plain file", "htcq does not write through links; remove it first"
        )
    return path


def read(path: Path) -> str | None:
    """Return the content of ``path``; None where there is no such file.

    Raises:
        InstallError: it cannot be read.
    """
    try:
        # Line ends as they are: a file that has others differs.
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InstallError(
            f"{path} cannot be read: {error.strerror}", "run as the user who owns it"
        ) from error


def _check_name(name: str, excluded: str) -> None:
    if "/" in name or name in ("", ".", ".."):
        raise InstallError(
            f"'{name}' is not a file name",
            "give a name without a directory, such as 50-htcq.config",
        )
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
            (
                f"{DIRECTORIES_KNOB} is {' '.join(map(str, directories))}; redirect standard "
                "output to write elsewhere"
            ),
        )


def write(target: Target) -> bool:
    """Write ``target`` if it differs; return whether it did.

    The former file is kept under ``<name>~``: its bytes, its owner and its mode. The new one has
    its owner and its mode too. A file there that htcq did not write stays until :func:`remove` puts
    it back.

    Raises:
        InstallError: nothing was changed.
    """
    if not target.differs or target.wanted is None:
        return False
    try:
        if target.present is not None and not (
            is_own(target.present) and _keeps_another(target.path)
        ):
            put_copy(target.path, _kept_path(target.path))
        put(target.path, target.wanted, _MODE, status_of(target.path))
    except OSError as error:
        raise InstallError(
            f"{target.path} cannot be written: {error.strerror}", "nothing was changed"
        ) from error
    return True


def _keeps_another(path: Path) -> bool:
    kept = read(_kept_path(path))
    return kept is not None and not is_own(kept)


def remove(target: Target) -> bool:
    """Remove a target of :func:`prepare_removal`, or put back the file that it replaced.

    Return whether that changed anything.

    Raises:
        InstallError: it cannot be removed.
    """
    if not target.differs:
        return False
    try:
        if target.wanted is not None:
            _kept_path(target.path).replace(target.path)
        else:
            target.path.unlink()
            _kept_path(target.path).unlink(missing_ok=True)
        sync_directory(target.path.parent)
    except OSError as error:
        raise InstallError(
            f"{target.path} cannot be removed: {error.strerror}", "see what is left there"
        ) from error
    return True
