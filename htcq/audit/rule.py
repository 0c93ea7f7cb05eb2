"""What a rule is and what it finds. A finding is data: it is never raised, and one cause is reported once."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Union

from htcq.audit.fix import Setting
from htcq.audit.input import Input as Input
from htcq.audit.subject import S

#: What shuts more than this part of a pool is worth a warning, and what shuts as much as the second
#: one is an error.
MUCH_OF_THE_POOL, MAX_OF_THE_POOL = 0.1, 0.5


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
class Harm:
    """What a finding does to this pool.

    ``shut`` is the part of the pool, from 0 to 1, that takes no job. ``starved`` are the groups
    whose idle jobs get nothing, ``overrun`` those that can use more than their quota.
    """

    shut: float = 0.0
    starved: tuple[str, ...] = ()
    overrun: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity:
        """The least severity of what does such harm."""
        if self.starved or self.shut >= MAX_OF_THE_POOL:
            return Severity.ERROR
        return Severity.WARNING if self.overrun or self.shut > MUCH_OF_THE_POOL else Severity.INFO

    def __add__(self, other: Harm) -> Harm:
        """Return the harm of both."""
        starved = tuple(dict.fromkeys((*self.starved, *other.starved)))
        overrun = tuple(dict.fromkeys((*self.overrun, *other.overrun)))
        return Harm(min(1.0, self.shut + other.shut), starved, overrun)


#: What does no harm.
HARMLESS = Harm()


@dataclass(frozen=True)
class Found:
    """What a rule found: one cause, however many things it hurts.

    ``cause`` tells findings of one rule apart, ``subject`` is what is hurt (``slot slot1@node``,
    ``group physics``, ``knob GROUP_QUOTA_a``, …), ``settings`` is configuration that fixes it and
    ``advice`` is prose (empty:
    those of the rule hold); ``severity`` is only given where it differs from the rule's own, and
    ``harm`` raises it.

    ``is_root`` makes this a root cause: whatever the pool with ``settings`` does not have any
    more follows from it, and is listed under it. ``trial`` makes it one as well: settings for
    such a pool where ``settings`` will not do, since they change more than this cause, or since
    only the site knows what it wants.
    """

    cause: str
    subject: str
    message: str
    facts: tuple[Fact, ...] = ()
    advice: str = ""
    count: int = 1
    examples: tuple[str, ...] = ()
    severity: Severity | None = None
    settings: tuple[Setting, ...] = ()
    harm: Harm = HARMLESS
    is_root: bool = False
    trial: tuple[Setting, ...] = ()

    @property
    def without_it(self) -> tuple[Setting, ...]:
        """The settings of a pool without this root cause; none where it is no root cause."""
        if self.trial:
            return self.trial
        return self.settings if self.is_root else ()


@dataclass(frozen=True)
class Unchecked:
    """Something that a rule could not look at, and what is missing for it."""

    missing: str


#: The family of rules that a site adds, and where all others lie.
SITE, _FAMILIES = "site", "htcq.audit.rules."

Results = Iterator[Union[Found, Unchecked]]


@dataclass(frozen=True)
class Rule(Generic[S]):
    """One rule on a subject: a pool's evidence, declared groups, or elastic quotas.

    ``id`` is permanent; ``summary``, ``consequence`` and ``advice`` are its manual text, all of it
    prose. ``find`` yields what breaks it. ``settings`` is configuration that fixes every finding
    which has none of its own.

    ``source`` says where in HTCondor the fact comes from (file and version) or how it was measured.
    """

    id: str
    severity: Severity
    needs: tuple[Input, ...]
    summary: str
    consequence: str
    advice: str
    source: str
    find: Callable[[S], Results] = field(repr=False)
    settings: tuple[Setting, ...] = ()

    @property
    def family(self) -> str:
        """The package that it lies in: consumption, weight, quota, matching, nodes, …; ``site`` for a plug-in's."""
        package, _, _ = self.find.__module__.rpartition(".")
        return package.removeprefix(_FAMILIES) if package.startswith(_FAMILIES) else SITE


#: A rule, whatever it looks at.
AnyRule = Rule[Any]
