"""All knobs that change matching, by the daemon that reads them, and those that a snapshot has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from htcq.pool.knob_names import split_prefix
from htcq.pool.knobs import negotiator, schedd, startd
from htcq.pool.knobs.beside import NAMES as BESIDE
from htcq.pool.knobs.knob import Following, MatchKnob, pattern_of

NEGOTIATOR, SCHEDD, STARTD = "negotiator", "schedd", "startd"
TABLE: Mapping[str, tuple[MatchKnob, ...]] = {
    NEGOTIATOR: negotiator.KNOBS,
    SCHEDD: schedd.KNOBS,
    STARTD: startd.KNOBS,
}
#: Defaults of older versions, of those knobs that no simulation follows (param_info.in of 23.0 to
#: 25.14: all others have kept theirs).
FORMER_DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "SYSTEM_STARTD_JOB_ATTRS": (
        "ImageSize, ExecutableSize, JobUniverse, NiceUser, CPUsUsage, ResidentSetSize, "
        "ProportionalSetSizeKb, MemoryUsage, DiskUsage, ScratchDirFileCount",
    ),
}
#: Knobs of one slot may begin so.
_OF_A_SLOT = re.compile(r"SLOT[0-9]+_(?=[A-Z])")
#: What a knob that HTCondor does not know looks like if it was meant for one of the table, or
#: comes with a later version.
_ALIKE = re.compile(
    r"GROUP_|\w*(?:QUOTA|SURPLUS|AUTOREGROUP|WEIGHT|PREEMPT|SIGNIFICANT_ATTR|PRIO_FACTOR)"
    r"|(?:NEGOTIATOR|ACCOUNTANT|\w*CONSUMPTION|\w*SLOTS?|\w*CLAIMS?|HTCQ|HFS)_"
)


def _names() -> Iterable[str]:
    for knobs in TABLE.values():
        yield from (knob.name for knob in knobs)
    yield from BESIDE


@lru_cache(maxsize=1)
def _captured() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the plain names that a snapshot has, and a pattern for all others."""
    names = frozenset(_names())
    plain = frozenset(name.upper() for name in names if "<" not in name)
    return plain, re.compile("|".join(pattern_of(name) for name in sorted(names) if "<" in name))


def not_followed(daemon: str = "", courses: bool = True) -> Iterator[MatchKnob]:
    """Yield the knobs that no simulation follows; of one daemon, or of all.

    With ``courses`` also those that matter in courses alone.
    """
    for each, knobs in TABLE.items():
        for knob in knobs:
            matters = knob.following is Following.NOT or (
                courses and knob.following is Following.NOT_IN_COURSES
            )
            if matters and daemon in ("", each):
                yield knob


def is_in_table(name: str) -> bool:
    """Return whether the knob ``name``, of one daemon or slot type or of all, changes matching.

    So do those that htcq reads besides.
    """
    upper = _OF_A_SLOT.sub("", split_prefix(name.upper())[1])
    plain, others = _captured()
    # SLOT_TYPE_1 begins like a knob of a slot type.
    return any(each in plain or others.fullmatch(each) for each in (upper, name.upper()))


@lru_cache(maxsize=1)
def _by_daemon() -> Mapping[str, re.Pattern[str]]:
    return {
        daemon: re.compile("|".join(pattern_of(knob.name) for knob in knobs))
        for daemon, knobs in TABLE.items()
    }


def readers_of(name: str) -> Iterator[str]:
    """Yield the daemons whose matching the knob ``name`` changes."""
    upper = _OF_A_SLOT.sub("", split_prefix(name.upper())[1])
    for daemon, pattern in _by_daemon().items():
        if pattern.fullmatch(upper) or pattern.fullmatch(name.upper()):
            yield daemon


def looks_alike(name: str) -> bool:
    """Return whether ``name`` may be misspelt, or newer than the table."""
    return _ALIKE.match(split_prefix(name.upper())[1]) is not None
