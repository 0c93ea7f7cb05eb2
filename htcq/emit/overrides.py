"""The knobs of a written file that the configuration in effect overrides.

HTCondor reads the files of a directory in the order of their names, and the last assignment
wins; SUBSYSTEM.KNOB wins over KNOB in that daemon, LOCAL.KNOB in the daemon with that local name,
and SLOT_TYPE_<N>_KNOB over KNOB for the slots of that type (src/condor_utils/condor_config.cpp and
src/condor_startd.V6/Resource.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from htcq.htcondor.knob_types import Type
from htcq.pool.configuration import Assignment, assignments
from htcq.pool.knob_values import type_of
from htcq.quota.knobs import truth_of

#: What else must be known of a configuration than the knobs of the file itself.
BESIDE = ("SLOT_TYPE_*", "NUM_SLOTS_TYPE_*")
_OF_A_TYPE = re.compile(r"SLOT_TYPE_([0-9]+)_(.+)")
_COUNT = re.compile(r"NUM_SLOTS_TYPE_([0-9]+)")
#: The file adds to this one only where the site has set it.
_ONLY_IF_SET = "MACHINE_RESOURCE_NAMES"


@dataclass(frozen=True)
class Override:
    """One knob with the value in effect and the value in the file; empty where there is none."""

    name: str
    value: str
    wanted: str = ""


def raw_values(text: str) -> tuple[str, ...]:
    """Return the values of a file's assignments in their order, for HTCondor's parser to expand."""
    pieces = [piece for each in assignments(text) for piece in _pieces(each)]
    return tuple(pieces)


def _pieces(each: Assignment) -> list[str]:
    """Return the value; of one that extends the former value, the parts before and after that."""
    return re.split(re.escape(f"$({each.name})"), each.raw, flags=re.IGNORECASE)


def overrides(
    text: str, expanded: Sequence[str], values: Mapping[str, str]
) -> tuple[Override, ...]:
    """Return the knobs of ``text`` with another value in effect, and knobs beside it that win.

    ``expanded`` are its :func:`raw_values` as the parser expands them, ``values`` what is in
    effect, by upper-case name.
    """
    found: dict[str, Override] = {}
    rest = list(expanded)
    for each in assignments(text):
        count = len(_pieces(each))
        wanted, rest = rest[:count], rest[count:]
        name = each.name.upper()
        # The last assignment of a plain value counts; additions count all.
        if count == 1:
            found.pop(name, None)
        value = values.get(name, "")
        if not _in_effect(name, wanted, value):
            found.setdefault(name, Override(each.name, value, " … ".join(filter(None, wanted))))
    own = frozenset(each.name.upper() for each in assignments(text))
    return (*found.values(), *_beside(own, values))


def _in_effect(name: str, wanted: Sequence[str], value: str) -> bool:
    if name == _ONLY_IF_SET and not value:
        return True
    if len(wanted) == 1:
        return _words(wanted[0]) == _words(value) or _is_same_truth(name, wanted[0], value)
    # Something that was added stands somewhere in the value.
    left = _words(value)
    for piece in map(_words, wanted):
        place = left.find(piece)
        if place < 0:
            return False
        left = left[place + len(piece) :]
    return True


def _is_same_truth(name: str, wanted: str, value: str) -> bool:
    known = type_of(name)
    if known is None or known.type is not Type.BOOLEAN:
        return False
    truth = truth_of(value)
    return truth is not None and truth == truth_of(wanted)


def _words(text: str) -> str:
    return " ".join(text.split()).lower()


def _beside(own: frozenset[str], values: Mapping[str, str]) -> Iterator[Override]:
    """Yield knobs of a slot type or of a local name that win over the file's general ones.

    And foreign slot types: those that the file does not have.
    """
    types = {found.group(1) for found in map(_COUNT.fullmatch, own) if found}
    for name, value in values.items():
        if name in own or not value:
            continue
        of_a_type, count = _OF_A_TYPE.fullmatch(name), _COUNT.fullmatch(name)
        wins = of_a_type is not None and of_a_type.group(1) in types and of_a_type.group(2) in own
        wins = wins or name.partition(".")[2] in own
        adds = count is not None and bool(types) and value != "0"
        if wins or adds:
            yield Override(name, value)


def place_of(name: str, subsystem: str, files: Iterable[Path]) -> str:
    """Return file and line of the last assignment to the knob ``name``; empty if there is none.

    ``files`` are read in their order.

    A file that cannot be read is passed over: HTCondor's own parser has said what is in effect.
    """
    place = winner = ""
    names = (name.upper(), f"{subsystem}.{name}".upper())
    for path in files:
        for each in _assigned_in(path):
            if each.name.upper() not in names:
                continue
            # What is for one daemon wins, whatever comes after it.
            if each.name.upper() == names[1] or winner != names[1]:
                place, winner = f"{path}:{each.line}", each.name.upper()
    return place


def _assigned_in(path: Path) -> list[Assignment]:
    try:
        return assignments(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return []


def files_in(directory: Path, excluded: str) -> list[Path]:
    """Return the files of ``directory`` that HTCondor reads, in its order.

    ``excluded`` is the regular expression of names that it ignores.
    """
    try:
        found = sorted(directory.iterdir(), key=lambda path: path.name)
    except OSError:
        return []
    return [
        path
        for path in found
        if path.is_file() and not (excluded and re.search(excluded, path.name))
    ]
