"""Rules and their results, which are data: never raised, and with one finding for one cause."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Union

from htcq.audit.fix import Setting
from htcq.audit.input import Input as Input
from htcq.audit.subject import S

#: A finding that shuts more than the first part of a pool is a warning at least, one that shuts the
#: second part or more is an error.
MUCH_OF_THE_POOL, MAX_OF_THE_POOL = 0.1, 0.5


class Severity(enum.IntEnum):
    """The severity of a finding: an outage or starvation, wrong results, or information."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The word for it: error, warning, info."""
        return self.name.lower()


@dataclass(frozen=True)
class Fact:
    """One piece of evidence: an attribute or knob with its value, and file and line if known."""

    attribute: str
    value: str
    place: str = ""


@dataclass(frozen=True)
class Harm:
    """The harm that a finding does to this pool.

    ``shut`` is the part of the pool, from 0 to 1, that takes no job. ``starved`` are the groups
    whose idle jobs get nothing, ``overrun`` the groups that can use more than their quota.
    ``jobs`` is how many jobs wait or fail for it, as far as the rule knows.
    """

    shut: float = 0.0
    starved: tuple[str, ...] = ()
    overrun: tuple[str, ...] = ()
    jobs: int = 0

    @property
    def severity(self) -> Severity:
        """The lowest severity of a finding with such harm."""
        if self.starved or self.shut >= MAX_OF_THE_POOL:
            return Severity.ERROR
        if self.overrun or self.shut > MUCH_OF_THE_POOL:
            return Severity.WARNING
        return Severity.INFO

    def __add__(self, other: Harm) -> Harm:
        """Return the harm of both."""
        starved = tuple(dict.fromkeys((*self.starved, *other.starved)))
        overrun = tuple(dict.fromkeys((*self.overrun, *other.overrun)))
        return Harm(min(1.0, self.shut + other.shut), starved, overrun, self.jobs + other.jobs)


#: The harm of a finding without any.
HARMLESS = Harm()


@dataclass(frozen=True)
class Found:
    """One result of a rule: one cause, however many things it hurts.

    ``cause`` tells findings of one rule apart. ``subject`` is the thing that is hurt (``slot
    slot1@node``, ``group physics``, ``knob GROUP_QUOTA_a``, …). ``settings`` is configuration
    that fixes it and ``advice`` is prose (empty: those of the rule hold). ``severity`` is only
    given where it differs from the rule's own, and ``harm`` raises it.

    ``is_root`` makes this a root cause: findings that the pool with ``settings`` does not have
    any more follow from it, and are listed under it. ``trial`` makes it one as well: its settings
    serve for that pool where ``settings`` change more than this cause, or where only the site
    knows what it wants.
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
        """The settings of a pool without this root cause; none if it is no root cause."""
        if self.trial:
            return self.trial
        if self.is_root:
            return self.settings
        return ()


@dataclass(frozen=True)
class Unchecked:
    """Something that a rule could not check, with the missing data."""

    missing: str


#: The family of rules that a site adds, and the package of all others.
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
        """The package of the rule: consumption, weight, quota, …; ``site`` for plug-ins."""
        package, _, _ = self.find.__module__.rpartition(".")
        if package.startswith(_FAMILIES):
            return package.removeprefix(_FAMILIES)
        return SITE


#: A rule on any subject.
AnyRule = Rule[Any]
