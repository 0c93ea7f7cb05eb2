"""Cycle after cycle: what a pool comes to, sampled after each.

Weights are in the pool's unit, times in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htcq.pool.pool import Pool
from htcq.quota.condor import promised
from htcq.simulate.course.machines import Machine, by_fill, fill_of
from htcq.simulate.course.priorities import Priorities
from htcq.simulate.course.runtimes import Dice, RunTime
from htcq.simulate.course.world import Start, World
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.trace import Crash
from htcq.units import CPUS, MEMORY

#: A pool is full with so much of its cpus in claims.
_FULL = 0.99


@dataclass(frozen=True)
class Plan:
    """How many cycles, and how far apart."""

    cycles: int
    interval_seconds: float = 60.0


@dataclass(frozen=True)
class Sample:
    """What one cycle brought, and the pool after it.

    ``cpus`` are those in claims, ``largest_cpus`` and ``largest_memory_mb`` the most that is
    free in any one slot. ``groups`` has the usage of each group after the cycle, ``quotas`` what
    each is promised. ``by_fill`` counts the machines by the share of their cpus that is in
    claims: none, up to a quarter, half, three quarters, the whole, all.
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


@dataclass(frozen=True)
class Course:
    """The samples of all cycles, how long jobs waited, and when the pool was full.

    ``total_cpus`` are those of the whole pool. ``waited`` has the seconds of each job that
    started, by submitter, and ``waiting`` how many never did. ``full_at`` is when 99% of the
    cpus were first in claims; None: never. ``unit`` is that of all usage, ``machines`` are those
    after the last cycle, ``starts`` all jobs that started.
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


def run_course(
    pool: Pool,
    plan: Plan,
    run_time: RunTime,
    dice: Dice,
    order: Sequence[str] = (),
    skip_bad_slots: bool = False,
) -> Course:
    """Return what becomes of ``pool`` in the cycles of ``plan``.

    ``dice`` decide how long jobs run, and nothing else.

    Raises:
        PolicyError: GROUP_SORT_EXPR is no expression.
        InputError: a job does not say how long it runs.
    """
    world, priorities = World(pool, run_time, dice), Priorities(pool)
    total = world.total(CPUS)
    samples: list[Sample] = []
    notes: dict[str, None] = {}
    crash, unit, machines = None, "", tuple[Machine, ...]()
    for number in range(plan.cycles):
        if number:
            priorities.advance(plan.interval_seconds, samples[-1].submitters)
            world.advance(number * plan.interval_seconds)
        cycle = Cycle(priorities.shown(world.pool()), order, skip_bad_slots)
        trace = cycle.run()
        started = world.take(cycle.talks.made)
        machines, unit = fill_of(world.slots()).machines, trace.unit
        samples.append(_sample(world, cycle, len(trace.rejections), started, machines))
        notes.update(dict.fromkeys(trace.unmodelled))
        crash = trace.crash
        if crash is not None:
            break
    return Course(
        samples=tuple(samples),
        total_cpus=total,
        waited={name: tuple(seconds) for name, seconds in world.waited.items()},
        waiting=dict(world.waiting.counts()),
        full_at=next((each.at for each in samples if total and each.cpus >= _FULL * total), None),
        crash=crash,
        unmodelled=tuple(notes),
        unit=unit,
        machines=machines,
        starts=tuple(world.starts),
    )


def _sample(
    world: World, cycle: Cycle, rejections: int, started: int, machines: tuple[Machine, ...]
) -> Sample:
    claims = tuple(world.claims())
    return Sample(
        at=world.now,
        matches=len(cycle.talks.matches),
        rejections=rejections,
        started=started,
        running=len(claims),
        idle=sum(world.waiting.counts().values()),
        cpus=world.claimed(CPUS),
        used=sum(cycle.accounts.groups.values()),
        largest_cpus=world.largest(CPUS),
        largest_memory_mb=world.largest(MEMORY),
        groups=dict(cycle.accounts.groups),
        quotas={group.name: group.quota for group in promised(cycle.quotas.inputs)},
        submitters=dict(cycle.accounts.submitters),
        by_fill=by_fill(machines),
    )
