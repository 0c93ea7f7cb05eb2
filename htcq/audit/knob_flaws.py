"""Findings on knobs whose values their daemons cannot use, one for each knob and value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Severity
from htcq.htcondor.knob_types import Misfit
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import DAEMON_LIST, listed_daemons
from htcq.pool.knob_values import Flaw, flaws

#: The daemon or its slots are of no use any more.
_BAD = (Misfit.EXITS, Misfit.ERROR, Misfit.REFUSED, Misfit.SHUT)
#: Daemons that are started by another one.
_PARENTS = {"shadow": "schedd", "starter": "startd"}
#: What every machine may run.
_EVERYWHERE = ("all", "submit")
#: The role of a machine, by the words for the owner of its configuration, and its daemons.
_OF_ROLE = (
    ("access point", ("schedd", "shadow")),
    ("execution point", ("startd", "starter")),
)


class Harmful(NamedTuple):
    """A flaw that matters on a machine: the words for it, its configuration, how bad it is."""

    whose: str
    configuration: Configuration
    flaw: Flaw
    severity: Severity


#: The results by pool: two rules look at them.
_known: WeakKeyDictionary[Evidence, tuple[Harmful, ...]] = WeakKeyDictionary()


def flaws_of(evidence: Evidence) -> tuple[Harmful, ...]:
    """Return the flaws that matter on some machine of the pool."""
    if evidence not in _known:
        _known[evidence] = tuple(_found(evidence))
    return _known[evidence]


def _found(evidence: Evidence) -> Iterator[Harmful]:
    for whose, configuration in evidence.configurations():
        running = _running(whose, configuration)
        reported = _reported_elsewhere(evidence) if configuration is evidence.pool.central else ()
        for flaw in flaws(configuration):
            if flaw.knob.name.upper() in reported:
                continue
            severity = _severity(flaw, running)
            if severity is not None:
                yield Harmful(whose, configuration, flaw, severity)


def _reported_elsewhere(evidence: Evidence) -> frozenset[str]:
    """Return the knobs of groups, whose values rules of their own look at."""
    return frozenset(
        problem.knob.upper() for problem in evidence.quotas.group_problems if problem.fatal
    )


def _running(whose: str, configuration: Configuration) -> frozenset[str]:
    """Return the daemons that read a configuration; empty where they are not known."""
    listed = configuration.knob(DAEMON_LIST)
    if listed is not None and "$" not in listed.value:
        return frozenset(each.lower() for each in listed_daemons(listed.value))
    for words, daemons in _OF_ROLE:
        if whose.startswith(words):
            return frozenset(daemons)
    return frozenset()


def _severity(flaw: Flaw, running: frozenset[str]) -> Severity | None:
    """Return how bad a flaw is where these daemons run; None where none of them reads it."""
    known = flaw.known
    if not running or any(_runs(daemon, running) for daemon in known.daemons):
        bad = known.misfit in _BAD
        return Severity.ERROR if bad else Severity.WARNING
    if any(daemon in running for daemon in known.careless):
        return Severity.WARNING
    return None


def _runs(daemon: str, running: frozenset[str]) -> bool:
    return daemon in _EVERYWHERE or _PARENTS.get(daemon, daemon) in running or daemon in running


def knob_as_written(knob: Knob) -> Fact:
    """Return the knob as its file has it, with file and line where they are known."""
    return Fact(knob.name, knob.raw or knob.value, knob.place)
