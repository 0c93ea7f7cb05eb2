"""The user maps of a schedd: files by which usermap() finds the groups and projects of users.

Follows src/condor_utils/classad_usermap.cpp (reconfig_user_maps), HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.pool.configuration import Configuration, Knob

_NAMES = "SCHEDD_CLASSAD_USER_MAP_NAMES"
_FILE = "CLASSAD_USER_MAPFILE_"
_TRANSFORMS, _REQUIREMENTS = "JOB_TRANSFORM_NAMES", "SUBMIT_REQUIREMENT_NAMES"
_SETS = re.compile(r"^\s*(?:EVAL)?SET\s+(\w+)\s+.*\busermap\s*\(\s*\"([^\"]+)\"", re.IGNORECASE)


@dataclass(frozen=True)
class UserMap:
    """One map: its name, the knob that names its file, and the file."""

    name: str
    knob: Knob
    file: str


def user_maps(configuration: Configuration) -> Iterator[UserMap]:
    """Yield the maps of the schedd that are read from a file."""
    for name in _words(configuration, _NAMES):
        knob = configuration.knob(f"{_FILE}{name}")
        if knob is not None and knob.value.strip():
            yield UserMap(name, knob, knob.value.strip())


def required_attributes(configuration: Configuration, name: str) -> tuple[str, ...]:
    """Return attributes that the map sets in jobs, and without which no job may be submitted.

    A transform of jobs sets them by usermap(), a requirement of submission names them.
    """
    required = [
        configuration.value(f"SUBMIT_REQUIREMENT_{each}").lower()
        for each in _words(configuration, _REQUIREMENTS)
    ]
    found = []
    for each in _words(configuration, _TRANSFORMS):
        for line in configuration.value(f"JOB_TRANSFORM_{each}").splitlines():
            sets = _SETS.match(line)
            if sets is None or sets.group(2).lower() != name.lower():
                continue
            needed = re.compile(rf"\b{sets.group(1).lower()}\s+isnt\s+undefined")
            if any(needed.search(text) for text in required):
                found.append(sets.group(1))
    return tuple(dict.fromkeys(found))


def _words(configuration: Configuration, name: str) -> list[str]:
    return configuration.value(name).replace(",", " ").split()
