"""What becomes of a job by its own policy and that of its access point.

Follows AnalyzePolicy of src/condor_utils/user_job_policy.cpp, HTCondor 23.9 and 25.14: the first
that holds decides, the job's own before SYSTEM_PERIODIC_*, and what is no number or false holds
not. SYSTEM_PERIODIC_VACATE is read and never evaluated there.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from htcq.classad.clock import at_time
from htcq.classads import Ad, Expr, Value, as_number, literal, parsed
from htcq.htcondor.releases import EXECUTION_COUNTS, MAX_RELEASES
from htcq.pool.configuration import Configuration
from htcq.pool.job import HELD, RUNNING, Job
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.quota.knobs import Knobs

#: HoldReasonCode (src/condor_utils/condor_holdcodes.h).
BY_USER, BY_JOB, BY_SYSTEM, MISSED_DEFERRAL = 1, 3, 26, 20
DURATION, EXECUTION = 46, 47
_HOLD, _RELEASE, _REMOVE = "PeriodicHold", "PeriodicRelease", "PeriodicRemove"
_VACATE, _EXIT_HOLD, _EXIT_REMOVE = "PeriodicVacate", "OnExitHold", "OnExitRemove"
_TIMER, _JOB_TIME, _RUN_TIME = "TimerRemove", "AllowedJobDuration", "AllowedExecuteDuration"
_BY_TIME = (_TIMER, _JOB_TIME, _RUN_TIME)
_OF_LIFE = (_HOLD, _RELEASE, _REMOVE, _VACATE, *_BY_TIME)
#: The policies of access points, and the knobs that list those with a name.
_SYSTEM = (
    ("SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_HOLD_NAMES"),
    ("SYSTEM_PERIODIC_RELEASE", "SYSTEM_PERIODIC_RELEASE_NAMES"),
    ("SYSTEM_PERIODIC_REMOVE", "SYSTEM_PERIODIC_REMOVE_NAMES"),
)
#: The clock in an expression: an attribute that is set before each evaluation.
_NOW = "HtcqNow"
_NO_LIMIT = 2**31 - 1


class Act(enum.Enum):
    """What is done with a job."""

    STAYS = "stays"
    HOLD = "hold"
    RELEASE = "release"
    REMOVE = "remove"
    VACATE = "vacate"


@dataclass(frozen=True)
class Verdict:
    """What is done with a job; ``code`` is the HoldReasonCode of one that is held."""

    act: Act
    code: int = 0


STAYS, REMOVED = Verdict(Act.STAYS), Verdict(Act.REMOVE)
Values = Mapping[str, Value]


@dataclass(frozen=True)
class System:
    """SYSTEM_PERIODIC_* of one access point, and after how many holds it releases no more.

    ``counts_at_once``: allowed_execute_duration counts for a job that begins in the second in which
    its shadow began.
    """

    holds: tuple[Expr, ...] = ()
    releases: tuple[Expr, ...] = ()
    removes: tuple[Expr, ...] = ()
    max_releases: int = _NO_LIMIT
    counts_at_once: bool = True

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.holds or self.releases or self.removes)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of them."""
        texts = (*self.holds, *self.releases, *self.removes)
        return frozenset().union(*(each.words() for each in texts))


def system_of(configuration: Configuration | None, version: tuple[int, ...]) -> System:
    """Return the policies of an access point of this version."""
    at_once = EXECUTION_COUNTS.holds(version)
    if configuration is None:
        return System(counts_at_once=at_once)
    knobs = Knobs(configuration.texts())
    most = -1
    if MAX_RELEASES.holds(version):
        most = int(knobs.number("SYSTEM_MAX_RELEASES", -1, -1, _NO_LIMIT))
    holds, releases, removes = (tuple(_listed(knobs, *names)) for names in _SYSTEM)
    return System(holds, releases, removes, _NO_LIMIT if most < 0 else most, at_once)


def _listed(knobs: Knobs, knob: str, listed: str) -> Iterator[Expr]:
    """Yield the expressions of a list of policies, then the one without a name."""
    names = knobs.text_or(listed, "").replace(",", " ").split()
    for name in (*(f"{knob}_{each}" for each in dict.fromkeys(names)), knob):
        text = knobs.text_or(name, "")
        expression = parsed(at_time(text, _NOW))
        if expression is not None and literal(text) not in (0, False):
            yield expression


@dataclass(eq=False)
class Policy:
    """The policy of jobs that share their attributes, at an access point with ``system``.

    ``frame`` has all attributes that they share, with the clock as an attribute; ``names`` are
    those of a job's own, or that change, which matter.
    """

    frame: SharedAttributes
    system: System
    names: frozenset[str]
    timed: bool
    _known: dict[tuple[object, ...], Verdict] = field(default_factory=dict)

    @property
    def is_periodic(self) -> bool:
        """Whether anything may happen to a job that waits, runs or is held."""
        return self.system.any or any(_counts(self.frame, name) for name in _OF_LIFE)

    @property
    def is_any(self) -> bool:
        """Whether anything may happen to a job but that it ends."""
        return self.is_periodic or any(
            _counts(self.frame, name) for name in (_EXIT_HOLD, _EXIT_REMOVE)
        )

    def periodic(self, job: Job, values: Values, now: int) -> Verdict:
        """Return what is done with ``job`` at this time; ``values`` are not as its ad has them."""
        own = self._own(job, values, now)
        key = (*own.items(), *map(type, own.values()))
        found = self._known.get(key)
        if found is None:
            if len(self._known) > 10_000:
                self._known.clear()
            found = self._known[key] = self._found(self.frame.ad(own.items()), now)
        return found

    def at_exit(self, job: Job, values: Values, now: int) -> Verdict:
        """Return what is done with ``job`` when it exits: REMOVE where it has just ended."""
        ad = self.frame.ad(self._own(job, values, now).items())
        found = self._found(ad, now, vacates=False)
        if found.act is not Act.STAYS:
            return found
        if _is_true(ad, _EXIT_HOLD):
            return Verdict(Act.HOLD, BY_JOB)
        leaves = as_number(ad.value(_EXIT_REMOVE))
        return STAYS if leaves == 0 else REMOVED

    def _own(self, job: Job, values: Values, now: int) -> dict[str, Value]:
        own = {name: value for name, value in job.own() if name.lower() in self.names}
        own.update((name, value) for name, value in values.items() if name.lower() in self.names)
        if self.timed:
            own[_NOW] = now
        return own

    def _found(self, ad: Ad, now: int, vacates: bool = True) -> Verdict:
        state = ad.value("JobStatus")
        if state == RUNNING:
            found = self._of_running(ad, now)
            if found is not None:
                return found
            if vacates and _is_true(ad, _VACATE):
                return Verdict(Act.VACATE)
        end = as_number(ad.value(_TIMER))
        if end is not None and 0 <= end < now:
            return REMOVED
        if state != HELD:
            for code, holds in ((BY_JOB, _is_true(ad, _HOLD)), (BY_SYSTEM, self._any("holds", ad))):
                if holds:
                    return Verdict(Act.HOLD, code)
        elif self._may_be_released(ad) and (_is_true(ad, _RELEASE) or self._any("releases", ad)):
            return Verdict(Act.RELEASE)
        if _is_true(ad, _REMOVE) or self._any("removes", ad):
            return REMOVED
        return STAYS

    def _of_running(self, ad: Ad, now: int) -> Verdict | None:
        """Return whether the job of a shadow has run for too long."""
        born, most, runs, began = (
            as_number(ad.value(name))
            for name in ("ShadowBday", _JOB_TIME, _RUN_TIME, "JobCurrentStartExecutingDate")
        )
        if born is None:
            return None
        if most is not None and now - born >= most:
            return Verdict(Act.HOLD, DURATION)
        if runs is None or began is None or began < born:
            return None
        counts = began > born or self.system.counts_at_once
        return Verdict(Act.HOLD, EXECUTION) if counts and now - began > runs else None

    def _any(self, which: str, ad: Ad) -> bool:
        expressions: tuple[Expr, ...] = getattr(self.system, which)
        return any(_holds(each.evaluate(ad)) for each in expressions)

    def _may_be_released(self, ad: Ad) -> bool:
        holds = as_number(ad.value("NumHolds")) or 0
        return holds < self.system.max_releases and ad.value("HoldReasonCode") != BY_USER


def _is_true(ad: Ad, name: str) -> bool:
    return _holds(ad.value(name))


def _holds(value: Value) -> bool:
    number = as_number(value)
    return number is not None and int(number) != 0


def _counts(frame: SharedAttributes, name: str) -> bool:
    """Return whether an attribute may be anything but what it is where nobody says."""
    text = frame.text(name)
    if not text:
        return False
    value = literal(text)
    if name in _BY_TIME:
        return value is None or (as_number(value) or 0) > 0
    return value is None or _holds(value) is not (name == _EXIT_REMOVE)


class Policies:
    """The policies of jobs; those of jobs that share their attributes once."""

    def __init__(self) -> None:
        self._expressions, self._links = Expressions(), ReferenceGraph()
        self._known: dict[tuple[int, int, int], tuple[Policy, object]] = {}

    def of(self, job: Job, system: System) -> Policy:
        """Return the policy of ``job`` at an access point with ``system``."""
        key = (id(job.frame), id(job.life), id(system))
        if key not in self._known:
            # What is known by its id must live.
            self._known[key] = (self._made(job, system), (job.frame, job.life, system))
        return self._known[key][0]

    def _made(self, job: Job, system: System) -> Policy:
        frame = job.frame.joined(job.life, self._expressions)
        texts = {frame.names[name]: at_time(text, _NOW) for name, text in frame.texts.items()}
        changed = {name: text for name, text in texts.items() if text != frame.text(name)}
        if changed:
            frame = frame.changed(changed, self._expressions)
        starts = {name.lower() for name in (*_OF_LIFE, _EXIT_HOLD, _EXIT_REMOVE)} | system.words
        names = self._links.reached(sorted(starts), frame) | {
            "jobstatus", "shadowbday", "jobcurrentstartexecutingdate", "numholds", "holdreasoncode",
        }  # fmt: skip
        timed = _NOW.lower() in names or any(_counts(frame, name) for name in _BY_TIME)
        return Policy(frame, system, names, timed)
