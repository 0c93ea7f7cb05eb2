"""A knob that changes which job gets which slot, and whether a simulation follows it."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SITES_OWN = re.compile(r"<[a-z]+>")
#: not, if unlike UID_DOMAIN, since 25.11.0
_HOW = re.compile(
    r"(?P<word>[a-z ]+?)(?:, if unlike (?P<like>\w+))?(?:, since (?P<since>[0-9.]+))?"
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
    """One knob.

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


def rows(text: str) -> tuple[MatchKnob, ...]:
    """Return the knobs of a table: ``name | how it is followed | effect`` on each line.

    An indented line goes on with the effect of the one above it.
    """
    return tuple(_knob(*line) for line in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    joined: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    for line in joined:
        name, how, effect = (part.strip() for part in line.split("|"))
        yield name, how, effect


def _knob(name: str, how: str, effect: str) -> MatchKnob:
    found = _HOW.fullmatch(how)
    assert found is not None, how
    since: tuple[int, ...] = ()
    if found["since"]:
        since = tuple(map(int, found["since"].split(".")))
    return MatchKnob(name, Following(found["word"]), effect, since, found["like"] or "")
