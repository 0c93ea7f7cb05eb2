"""Cycle after cycle: what a pool comes to, sampled after each.

Weights are in the pool's unit, times in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from htcq.pool.pool import Pool
from htcq.poolquota.ailment import ObservedPool
from htcq.poolquota.negotiator_health import cycle_interval
from htcq.quota.condor import promised
from htcq.simulate.course.claims import REUSED, Start
from htcq.simulate.course.machines import Machine
from htcq.simulate.course.occupancy import Lost
from htcq.simulate.course.priorities import Priorities
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.world import World
from htcq.simulate.cycle.cycle import CarriedOver, Cycle
from htcq.simulate.cycle.trace import Crash, Trace
from htcq.units import CPUS, counted

#: What is called with the number of a cycle that has run.
Seen = Callable[[int, Cycle, Trace], None]
#: A pool is full with so much of its cpus in claims.
_FULL = 0.99


@dataclass(frozen=True)
class Plan:
    """How many cycles, and how far apart."""

    cycles: int
    interval_seconds: float = 60.0


@dataclass(frozen=True)
class SeveralCycles:
    """A course that is asked for: how many cycles and how far apart, and how long jobs run.

    ``interval_seconds`` is None where the negotiator of the pool says it. ``seed`` is that of the
    random numbers.
    """

    cycles: int
    interval_seconds: float | None
    runs: RunTime
    seed: int = 0

    def plan(self, pool: Pool) -> Plan:
        """Return when the cycles of ``pool`` are."""
        if self.interval_seconds is not None:
            return Plan(self.cycles, self.interval_seconds)
        return Plan(self.cycles, cycle_interval(ObservedPool(pool)))


@dataclass(frozen=True)
class Sample:
    """What one cycle brought, and the pool after it.

    ``started`` are the jobs that have started since the cycle before, ``reused`` those of them that
    started in the claim of a job that had ended. ``preempted`` is the number of claims that were
    taken from other jobs. ``cpus`` are those in claims, ``largest_cpus`` and ``largest_memory_mb``
    the most that is free in any one slot.
    ``groups`` has the usage of each group after the cycle, ``quotas`` what each is promised.
    ``by_fill`` counts the machines by the share of their cpus that is in claims: none, up to a
    quarter, half, three quarters, the whole, all.
    """

    at: float
    matches: int
    rejections: int
    started: int
    running: int
    idle: int
    cpus: float
    used: float
    largest_cpus: float
    largest_memory_mb: float
    groups: Mapping[str, float]
    quotas: Mapping[str, float]
    submitters: Mapping[str, float]
    by_fill: tuple[int, ...] = ()
    preempted: int = 0
    reused: int = 0


@dataclass(frozen=True)
class Course:
    """The samples of all cycles, how long jobs waited, and when the pool was full.

    ``total_cpus`` are those of the whole pool. ``waited`` has the seconds of each job that
    started, by submitter, and ``waiting`` how many never did. ``full_at`` is when 99% of the
    cpus were first in claims; None: never. ``unit`` is that of all usage, ``machines`` are those
    after the last cycle, ``starts`` all jobs that started. ``lost`` are the hours of cpus that
    were lost with claims that were preempted, by group, ``evictions`` all of these.
    """

    samples: tuple[Sample, ...]
    total_cpus: float
    waited: Mapping[str, tuple[float, ...]]
    waiting: Mapping[str, int]
    full_at: float | None
    crash: Crash | None = None
    unmodelled: tuple[str, ...] = ()
    unit: str = ""
    machines: tuple[Machine, ...] = ()
    starts: tuple[Start, ...] = ()
    lost: Mapping[str, float] = field(default_factory=dict)
    evictions: tuple[Lost, ...] = ()


def run_course(
    pool: Pool,
    plan: Plan,
    run_time: RunTime,
    dice: Dice,
    order: Sequence[str] = (),
    skip_bad_slots: bool = False,
    numbers_of: Callable[[range], Iterable[int]] = iter,
    seen: Seen | None = None,
) -> Course:
    """Return what becomes of ``pool`` in the cycles of ``plan``.

    ``dice`` decide how long jobs run. ``numbers_of`` goes through the numbers of the cycles.

    Raises:
        PolicyError: GROUP_SORT_EXPR is no expression.
        InputError: a job does not say how long it runs.
    """
    world, priorities = World(pool, run_time, dice), Priorities(pool)
    runs, holdings = world.runs, world.holdings
    carried, total = CarriedOver(), holdings.total(CPUS)
    samples, lost = list[Sample](), dict[str, float]()
    notes: dict[str, None] = {}
    crash, unit, changes, steady, starts = None, "", -1, False, 0
    for number in numbers_of(range(plan.cycles)):
        if number:
            priorities.advance(plan.interval_seconds, samples[-1].submitters)
            world.advance(number * plan.interval_seconds)
        if steady and runs.changes == changes and not any(runs.waiting.counts().values()):
            # No job waits, and nothing but the time has changed.
            samples.append(_without_matches(samples[-1], runs.now))
            continue
        changes = runs.changes
        cycle = Cycle(priorities.shown(world.pool()), order, skip_bad_slots, carried)
        trace = _run(seen, number, cycle, carried)
        before = len(runs.lost)
        world.take(cycle.talks.made)
        _add_lost(lost, cycle, runs.lost[before:])
        # Where slots weigh nothing groups have turns, which go on though nothing changes.
        takes_turns = cycle.quotas.grouped and not cycle.quotas.supply.weighted
        unit, steady = trace.unit, not (cycle.looks_at_clock or takes_turns)
        samples.append(_sample(world, cycle, len(trace.rejections), starts))
        starts = len(runs.starts)
        notes.update(dict.fromkeys(trace.unmodelled))
        if (crash := trace.crash) is not None:
            break
    return Course(
        samples=tuple(samples),
        total_cpus=total,
        waited={name: tuple(seconds) for name, seconds in runs.waited.items()},
        waiting=dict(runs.waiting.counts()),
        full_at=next((each.at for each in samples if total and each.cpus >= _FULL * total), None),
        crash=crash,
        unmodelled=(*notes, *_not_returned(world), *world.notes()),
        unit=unit,
        machines=holdings.fills(runs.now).machines,
        starts=tuple(runs.starts),
        lost=lost,
        evictions=tuple(runs.lost),
    )


def _run(seen: Seen | None, number: int, cycle: Cycle, carried: CarriedOver) -> Trace:
    """Run a cycle and show it to ``seen``, before its matches start."""
    trace = cycle.run()
    if seen is not None:
        seen(number, cycle, trace)
        # Tables that go on have rows of slots that are gone, which nobody shall look at.
        carried.offers = None
    return trace


def _without_matches(last: Sample, now: float) -> Sample:
    """Return the sample of a cycle that changes nothing after ``last``."""
    again = replace(last, at=now, matches=0, rejections=0)
    return replace(again, started=0, reused=0, preempted=0)


def _add_lost(lost: dict[str, float], cycle: Cycle, evicted: Iterable[Lost]) -> None:
    """Add the work of ``evicted`` jobs to what their groups have ``lost``."""
    for each in evicted:
        group = cycle.accounts.group_of(each.submitter)
        lost[group] = lost.get(group, 0.0) + each.cpu_hours


def _not_returned(world: World) -> Iterator[str]:
    """Yield what becomes of jobs that were preempted and that nobody knows."""
    unknown = sum(each.job is None for each in world.runs.lost)
    if unknown:
        yield (
            f"{counted(unknown, 'job')} that ran at the capture lost the claim: these jobs are not "
            "in the snapshot and are not queued again"
        )


def _sample(world: World, cycle: Cycle, rejections: int, before: int) -> Sample:
    """Return the sample after ``cycle``; earlier samples count the first ``before`` starts."""
    runs, holdings = world.runs, world.holdings
    started = runs.starts[before:]
    claims, fills = tuple(holdings.claims()), holdings.fills(runs.now)
    largest_cpus, largest_memory_mb = fills.largest
    return Sample(
        at=runs.now,
        matches=len(cycle.talks.matches),
        rejections=rejections,
        started=len(started),
        running=len(claims),
        idle=sum(runs.waiting.counts().values()),
        cpus=holdings.claimed(CPUS),
        used=sum(cycle.accounts.groups.values()),
        largest_cpus=largest_cpus,
        largest_memory_mb=largest_memory_mb,
        groups=dict(cycle.accounts.groups),
        quotas={group.name: group.quota for group in promised(cycle.quotas.inputs)},
        submitters=dict(cycle.accounts.submitters),
        by_fill=fills.by_class,
        preempted=sum(len(each.dynamic_slots) or 1 for each in cycle.talks.matches if each.by),
        reused=sum(each.by == REUSED for each in started),
    )
