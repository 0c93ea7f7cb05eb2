"""What a rule is and what it finds. A finding is data: it is never raised, and one rule's cause is told once."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Union

from htcq.audit.evidence import Evidence
from htcq.audit.need import Need as Need


class Severity(enum.IntEnum):
    """How bad it is: an outage or starvation, wrong results, or something worth knowing."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The word for it: error, warning, info."""
        return self.name.lower()


@dataclass(frozen=True)
class Fact:
    """One piece of evidence: an attribute or knob with its value, and file and line where they are known."""

    attribute: str
    value: str
    place: str = ""


@dataclass(frozen=True)
class Found:
    """What a rule found: one cause, however many things it hurts.

    ``cause`` tells findings of one rule apart, ``subject`` is what is hurt (``slot slot1@node``, ``group physics``,
    ``knob GROUP_QUOTA_a``, …), ``fix`` is configuration text that mends it (empty: the rule's own advice holds);
    ``severity`` is only given where it differs from the rule's own.
    """

    cause: str
    subject: str
    message: str
    facts: tuple[Fact, ...] = ()
    fix: str = ""
    count: int = 1
    examples: tuple[str, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True)
class Unchecked:
    """Something that a rule could not look at, and what is missing for it."""

    missing: str


Finder = Callable[[Evidence], Iterator[Union[Found, Unchecked]]]


@dataclass(frozen=True)
class Rule:
    """One rule. ``id`` is permanent; ``summary``, ``consequence`` and ``fix`` are its manual text.

    ``source`` says where in HTCondor the fact comes from (file and version) or how it was measured.
    """

    id: str
    severity: Severity
    needs: tuple[Need, ...]
    summary: str
    consequence: str
    fix: str
    source: str
    find: Finder = field(repr=False)

    @property
    def family(self) -> str:
        """The package that it lies in: consumption, weight, quota or configuration."""
        return self.find.__module__.rsplit(".", 2)[-2]
