"""The places where this machine's configuration files set a knob, with file and line.

A daemon names neither the file of a value nor the values that a later file has overridden. The
order is that in which real_config of src/condor_utils/condor_config.cpp reads them, HTCondor
25.14: the main file, the files of LOCAL_CONFIG_DIR by name, those of LOCAL_CONFIG_FILE. Includes
and the output of commands are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from htcq.library import main_file
from htcq.live.configuration import expanded_here
from htcq.pool.configuration import Assignment, assignments

_EXCLUDED = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"
#: No configuration file is longer, and no configuration has more files.
_MAX_BYTES, _MAX_FILES = 1024 * 1024, 1000


class ConfigFiles:
    """The assignments in the configuration files of this machine.

    ``param`` is htcondor2.param with this machine's configuration.
    """

    def __init__(self, param: Any) -> None:
        self._param = param
        self._found: dict[str, list[Assignment]] = {}
        for path in list(_paths(param))[:_MAX_FILES]:
            for each in _read(path):
                self._found.setdefault(each.name.upper(), []).append(each)

    def of(self, name: str, value: str) -> tuple[Assignment, ...]:
        """Return the assignments of a knob.

        ``value`` is the knob's value in the daemon: where the last assignment does not make it,
        none is returned.
        """
        found = self._found.get(name.upper(), ())
        if not found:
            return ()
        if expanded_here(self._param, found[-1].raw).strip() != value.strip():
            return ()
        return tuple(found)


def _paths(param: Mapping[str, Any]) -> Iterator[Path]:
    main = main_file()
    if main is not None:
        yield Path(main)
    for directory in _listed(param, "LOCAL_CONFIG_DIR"):
        yield from _files_in(Path(directory), str(param.get(_EXCLUDED) or ""))
    local = str(param.get("LOCAL_CONFIG_FILE") or "")
    if not local.rstrip().endswith("|"):
        yield from (Path(each) for each in _listed(param, "LOCAL_CONFIG_FILE"))


def _listed(param: Mapping[str, Any], name: str) -> list[str]:
    return str(param.get(name) or "").replace(",", " ").split()


def _files_in(directory: Path, excluded: str) -> Iterator[Path]:
    try:
        pattern = re.compile(excluded or r"(?!)")
        names = sorted(each.name for each in directory.iterdir() if each.is_file())
    except (OSError, re.error):
        return
    yield from (directory / name for name in names if not pattern.search(name))


def _read(path: Path) -> list[Assignment]:
    """Return what a file assigns; nothing where it cannot be read, or is no file of text."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return []
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [replace(each, place=f"{path}, line {each.line}") for each in assignments(text)]
