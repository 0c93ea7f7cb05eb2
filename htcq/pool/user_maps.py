"""The user maps of a schedd: files by which usermap() finds the groups and projects of users.

Follows src/condor_utils/classad_usermap.cpp (reconfig_user_maps), HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.classad.parser import parse
from htcq.classad.tree import Binary, Literal, Reference, Tree, every
from htcq.classad.values import UNDEFINED
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.set_by_access_point import listed_names, transforms_of

_NAMES = "SCHEDD_CLASSAD_USER_MAP_NAMES"
_FILE = "CLASSAD_USER_MAPFILE_"
_REQUIREMENTS = "SUBMIT_REQUIREMENT_NAMES"
_SETS = re.compile(r"^\s*(?:EVAL)?SET\s+(\w+)\s+.*\busermap\s*\(\s*\"([^\"]+)\"", re.IGNORECASE)


@dataclass(frozen=True)
class UserMap:
    """One map: its name, the knob that names its file, and the file."""

    name: str
    knob: Knob
    file: str


def user_maps(configuration: Configuration) -> Iterator[UserMap]:
    """Yield the maps of the schedd that are read from a file."""
    for name in configuration.value(_NAMES).replace(",", " ").split():
        knob = configuration.knob(f"{_FILE}{name}")
        if knob is not None and knob.value.strip():
            yield UserMap(name, knob, knob.value.strip())


def required_attributes(configuration: Configuration, name: str) -> tuple[str, ...]:
    """Return attributes that the map sets in jobs, and without which no job may be submitted.

    A transform of jobs sets them by usermap(), a requirement of submission names them.
    """
    required = [
        parse(configuration.value(f"SUBMIT_REQUIREMENT_{each}"))
        for each in listed_names(configuration, _REQUIREMENTS)
    ]
    found = []
    for knob in transforms_of(configuration):
        for line in knob.value.splitlines():
            sets = _SETS.match(line)
            if sets is None or sets.group(2).lower() != name.lower():
                continue
            if any(_needs(tree, sets.group(1).lower()) for tree in required):
                found.append(sets.group(1))
    return tuple(dict.fromkeys(found))


def _needs(tree: Tree, name: str) -> bool:
    """Return whether ``tree`` asks that the attribute is defined: ``name isnt undefined``."""
    for part in every(tree):
        if not isinstance(part, Binary) or part.operator != "=!=":
            continue
        left, right = part.left, part.right
        if isinstance(left, Reference) and left.name == name and isinstance(right, Literal):
            return right.value is UNDEFINED
    return False
