"""Knobs and attributes that change which job gets which slot, and what of it is simulated.

``matching.tsv`` has the knobs by the daemon that reads them, and those that htcq reads besides;
``attributes.tsv`` has what daemons look up in ads when they make a match or grant a claim. What
expressions name besides is up to the site, and is captured with them.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from htcq.htcondor.knob_names import split_prefix
from htcq.htcondor.tables import rows

NEGOTIATOR, SCHEDD, STARTD = "negotiator", "schedd", "startd"
#: Those that make a match.
DAEMONS = (NEGOTIATOR, SCHEDD, STARTD)
#: It drains machines, and it has the ads of all.
DEFRAG, COLLECTOR = "defrag", "collector"
#: In place of a daemon: htcq alone reads the knob, for the audit, for drift and elastic quotas.
_CAPTURED = "captured"
_SITES_OWN = re.compile(r"<[a-z]+>")
#: Knobs of one slot may begin so.
_OF_A_SLOT = re.compile(r"SLOT[0-9]+_(?=[A-Z])")
#: What a knob that HTCondor does not know looks like if it was meant for one of the table, or
#: comes with a later version.
_ALIKE = re.compile(
    r"GROUP_|\w*(?:QUOTA|SURPLUS|AUTOREGROUP|WEIGHT|PREEMPT|SIGNIFICANT_ATTR|PRIO_FACTOR)"
    r"|(?:NEGOTIATOR|ACCOUNTANT|\w*CONSUMPTION|\w*SLOTS?|\w*CLAIMS?|HTCQ|HFS)_"
)


class Following(enum.Enum):
    """Whether a simulated cycle or course does what the knob says; the value is the word for it.

    ``IN_ADS``: the ads of a capture show the result. ``TOLD``: the simulation names the slots or
    submitters that it concerns. ``NOT_IN_COURSES``: it matters between cycles alone.
    """

    FOLLOWED = "followed"
    IN_ADS = "in ads"
    TOLD = "told"
    NOT = "not"
    NOT_IN_COURSES = "not in courses"


@dataclass(frozen=True)
class MatchKnob:
    """One knob, or one attribute.

    ``name`` may have a part in angle brackets, which stands for a name of the site's own.
    ``effect`` is one sentence. ``since`` is the first version that reads it; empty: it was there
    in 23.0. A value like that of the knob ``like`` has no effect.
    """

    name: str
    following: Following
    effect: str
    since: tuple[int, ...] = ()
    like: str = ""

    @property
    def plain(self) -> bool:
        """Whether its name has no part of the site's own."""
        return "<" not in self.name


def pattern_of(name: str) -> str:
    """Return the regular expression for the upper-case names of a knob in a table."""
    return ".+".join(re.escape(part.upper()) for part in _SITES_OWN.split(name))


def writes_as(name: str, knob: str) -> bool:
    """Return whether ``knob``, whatever its prefix and case, is the one of a table's ``name``."""
    return re.fullmatch(pattern_of(name), split_prefix(knob.upper())[1]) is not None


def knobs_of(daemon: str) -> tuple[MatchKnob, ...]:
    """Return the knobs of one daemon that change matching."""
    return _table("matching.tsv", "daemon").get(daemon, ())


def captured_names() -> tuple[str, ...]:
    """Return the knobs that change no match and that htcq reads."""
    return tuple(row.key for row in rows("matching.tsv") if row.rest == _CAPTURED)


def attributes_of(ads: str) -> tuple[MatchKnob, ...]:
    """Return the attributes that daemons look up in the ads of slots, of jobs or of submitters."""
    return _table("attributes.tsv", "ads").get(ads, ())


@lru_cache(maxsize=2)
def _table(file: str, column: str) -> Mapping[str, tuple[MatchKnob, ...]]:
    found: dict[str, list[MatchKnob]] = {}
    for row in rows(file):
        cells = row.cells()
        if not cells["effect"]:
            continue
        knob = MatchKnob(
            cells["name"],
            Following(cells["following"]),
            cells["effect"],
            tuple(int(number) for number in cells["since"].split(".") if number),
            cells.get("like", ""),
        )
        found.setdefault(cells[column], []).append(knob)
    return {whose: tuple(knobs) for whose, knobs in found.items()}


@lru_cache(maxsize=1)
def _captured() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the plain names that a snapshot has, and a pattern for all others."""
    names = frozenset(row.key for row in rows("matching.tsv"))
    plain = frozenset(name.upper() for name in names if "<" not in name)
    return plain, re.compile("|".join(pattern_of(name) for name in sorted(names) if "<" in name))


def not_followed(daemon: str = "", courses: bool = True) -> Iterator[MatchKnob]:
    """Yield the knobs that no simulation follows; of one daemon, or of all.

    With ``courses`` also those that matter in courses alone.
    """
    for each in DAEMONS if not daemon else (daemon,):
        yield from _unfollowed(knobs_of(each), courses)


def unfollowed_attributes(ads: str, courses: bool) -> tuple[MatchKnob, ...]:
    """Return the attributes of slots or jobs that no simulated cycle, or no course, follows."""
    return tuple(_unfollowed(attributes_of(ads), courses))


def _unfollowed(knobs: tuple[MatchKnob, ...], courses: bool) -> Iterator[MatchKnob]:
    for knob in knobs:
        if knob.following is Following.NOT or (
            courses and knob.following is Following.NOT_IN_COURSES
        ):
            yield knob


def is_followed(name: str) -> bool:
    """Return whether a simulated cycle does what the knob ``name`` says, or it changes no match."""
    return is_in_table(name) and not any(
        re.fullmatch(pattern_of(knob.name), name.upper()) for knob in not_followed()
    )


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
        daemon: re.compile("|".join(pattern_of(knob.name) for knob in knobs_of(daemon)))
        for daemon in DAEMONS
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
