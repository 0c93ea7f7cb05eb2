"""The balance of a pool: all capacity by cause, all idle jobs by reason, and both crossed.

Whatever a pool has is somewhere, and whatever waits waits for something. The sums are exact for
each asset; what is in none of the known causes is "unexplained", and that is a finding.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from htcq.balance.amounts import Amounts, overdrawn, total_of
from htcq.balance.capacity import Capacities
from htcq.balance.causes import (
    OTHER_NEGOTIATOR,
    START_REFUSES,
    UNEXPLAINED,
    UNWANTED,
)
from htcq.balance.demand import Demand, demand_of
from htcq.balance.groups import GroupBalance, groups_of
from htcq.balance.holding import Holders
from htcq.balance.lifting import NO_GAIN, Gain
from htcq.balance.machines import MachineBalance, machines_of
from htcq.balance.standing import CauseAmount, Part, standings_of
from htcq.balance.starts_nothing import FailingMachines
from htcq.balance.wanting import waiting_of
from htcq.expected.expectations import unmet_of
from htcq.expected.unmet import Unmet
from htcq.pool.demand import JobWeights
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_causes import ASSET_CURES, ASSET_MISSING, STALE
from htcq.pool.slot_state import BROKEN, DRAINED, OFFLINE, OWNER, START_FALSE, machine_of
from htcq.poolquota.ailment import ObservedPool
from htcq.poolquota.health import foreign_schedds
from htcq.poolquota.negotiator_health import CYCLES_FAR_APART, long_wait
from htcq.units import CPUS, GPUS, MEMORY, amounts_of, counted, first_named
from htcq.why.choice import all_idle
from htcq.why.held import HeldJobs, held_of
from htcq.why.match_failure import NEGOTIATOR_ABSENT, SLOT_CONSTRAINT
from htcq.why.negotiator import asked_by, other_negotiators
from htcq.why.sums import once_a_negotiator_works
from htcq.why.verdict import Verdicts

#: How many machines a cure names.
_NAMED = 3
#: Causes that are lifted at the machines whose slots they hold.
_OF_MACHINES = frozenset((
    BROKEN, OFFLINE, OWNER, START_FALSE, ASSET_MISSING, START_REFUSES, STALE, SLOT_CONSTRAINT,
))  # fmt: skip


@dataclass(frozen=True)
class KindBalance:
    """The capacity of one kind of node; its causes are those of the pool."""

    name: str
    total: Amounts
    by: tuple[CauseAmount, ...]


@dataclass(frozen=True)
class Todo:
    """One thing to do: what it would give back to waiting jobs.

    ``cure`` is the command, knob or attribute. ``wanted`` is nothing where something failed that
    the simulated cycle does not follow.
    """

    cause: str
    cure: str
    gain: Gain


@dataclass(frozen=True)
class Balance:
    """The balance of one pool; ``unit`` is what weight is an amount of.

    ``demand`` is None where the queues are not known. ``todo`` has what somebody must lift so that
    waiting jobs start, the most weight first. ``unknown`` says what could not be looked at: with
    any of it nothing is certain to be fine. ``now`` is the time of the capture, None: not known.
    ``machines`` are what all machines have, by name.
    ``unmet`` is what should have happened and did not, whatever the simulated cycle does. ``held``
    are the jobs on hold, None where the queues are not known.
    """

    unit: str
    total: Amounts
    by: tuple[CauseAmount, ...]
    kinds: tuple[KindBalance, ...]
    demand: Demand | None
    groups: tuple[GroupBalance, ...]
    todo: tuple[Todo, ...]
    unknown: tuple[str, ...]
    now: float | None
    machines: tuple[MachineBalance, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    held: HeldJobs | None = None
    #: What the first cycle makes of jobs that wait for a negotiator, in words.
    once_a_negotiator_works: tuple[str, ...] = ()
    #: The knob that keeps cycles so far apart that nobody means it, and its seconds.
    long_wait: tuple[str, float] | None = None

    def of(self, cause: str) -> CauseAmount | None:
        """Return what stands for ``cause``; None where nothing does."""
        return next((each for each in self.by if each.cause == cause), None)

    @property
    def faults(self) -> tuple[CauseAmount, ...]:
        """The causes that somebody must lift, and that waiting jobs stand behind."""
        return tuple(
            each for each in self.by if each.is_fault and (each.behind or each.cause == UNEXPLAINED)
        )

    @property
    def lost(self) -> Amounts:
        """What stands for all of ``faults``."""
        return total_of(each.amounts for each in self.faults)

    @property
    def below(self) -> tuple[GroupBalance, ...]:
        """The groups that have less than they are due, the one that lacks most first."""
        found = [each for each in self.groups if each.below]
        return tuple(sorted(found, key=lambda each: (-each.below, each.name)))

    @property
    def waiting(self) -> int:
        """How many idle jobs the next cycle does not start."""
        if self.demand is None:
            return 0
        return self.demand.jobs - self.demand.starting

    @property
    def waits_for_cycle(self) -> bool:
        """Whether jobs that the next cycle starts wait longer for it than anybody means."""
        return self.long_wait is not None and bool(self.demand and self.demand.starting)

    @property
    def is_sound(self) -> bool:
        """Whether nothing must be lifted, nothing failed, and no group lacks what it is due.

        A job that fits no slot waits until somebody changes it or the pool.
        """
        if self.demand is not None and (self.demand.of(UNEXPLAINED) or self.demand.nowhere):
            return False
        if any(each.is_fault for each in self.unmet) or self.waits_for_cycle:
            return False
        return not (self.faults or self.below)


def balance_of(verdicts: Verdicts) -> Balance:
    """Return the balance of the pool of ``verdicts``; no further cycle is simulated."""
    pool = verdicts.pool
    now = ObservedPool(pool).now
    found = verdicts.on(all_idle(pool.jobs or ()))
    capacity = Capacities(verdicts, waiting_of(verdicts, found, now), now).capacity()
    weight_of, wait = JobWeights(pool), long_wait(pool)
    unmet = unmet_of(verdicts, found)
    failing = FailingMachines(verdicts, unmet)
    demand, of_groups = demand_of(verdicts, found, weight_of, failing.jobs)
    gains: dict[str, Gain] = {}
    for own in capacity.gains.values():
        for cause, gain in own.items():
            gains[cause] = gains.get(cause, NO_GAIN).plus(gain)
    parts = tuple(failing.parts(capacity.parts))
    standings = standings_of(parts, gains)
    of_kind, of_group = defaultdict[str, list[Part]](list), defaultdict[str, list[Part]](list)
    for part in parts:
        of_kind[part.kind].append(part)
        of_group[part.group].append(part)
    kinds = [
        KindBalance(name, total, standings_of(of_kind[name], {}))
        for name, total in capacity.by_kind.items()
    ]
    kinds.sort(key=lambda each: (-each.total.weight, each.name))
    by_group = {
        name: standings_of(of_group[name], capacity.gains.get(name, {}))
        for name in {*of_group, *capacity.gains}
    }
    usage = {each.name: each.used_after for each in verdicts.trace.groups}
    quotas = verdicts.cycle.quotas
    return Balance(
        verdicts.trace.unit,
        capacity.total,
        standings,
        tuple(kinds),
        None if pool.jobs is None else demand,
        groups_of(
            quotas,
            {} if verdicts.of_cycle else usage,
            Holders(quotas, standings, now),
            of_groups,
            by_group,
        ),
        _todos(standings, unmet, _waits(wait, demand)),
        (
            *_unknown(verdicts),
            *_doubts(capacity.doubtful),
            *_overdrawn(pool.slots or ()),
            *_left_to_others(pool, standings),
            *_of_other_pools(pool, standings),
        ),
        now,
        machines_of(parts, pool.slots or ()),
        unmet,
        None if pool.jobs is None else held_of(pool.jobs, weight_of, verdicts.access_point),
        tuple(once_a_negotiator_works(found)),
        wait,
    )


def _todos(
    standings: Sequence[CauseAmount], unmet: Sequence[Unmet], waits: Iterable[Todo]
) -> tuple[Todo, ...]:
    """Return what to do, what failed first, then by the weight of the jobs that would start.

    A failure that tells why capacity stands for a cause is no second thing to do.
    """
    kept = [each for each in standings if each.is_fault and each.behind]
    causes = {each.cause for each in kept}
    found = [Todo(each.cause, _told(each, unmet) or cure_of(each), each.gain) for each in kept]
    others = (each for each in unmet if each.cause not in causes)
    return (*_failures(others), *waits, *sorted(found, key=_by_weight))


def _told(amount: CauseAmount, unmet: Sequence[Unmet]) -> str:
    """Return the cure of a failure that is all of a cause; empty where there is none, or more."""
    own = [each for each in unmet if each.is_fault and each.cause == amount.cause]
    if len(own) != 1:
        return ""
    is_whole = amount.behind <= len(own[0].jobs) or len(amount.machines) == 1
    return own[0].cure.rstrip(".") if is_whole else ""


def _by_weight(each: Todo) -> tuple[Number, int, str]:
    return -each.gain.wanted.weight, -max(each.gain.jobs, each.gain.behind), each.cause


def _waits(wait: tuple[str, float] | None, demand: Demand) -> Iterator[Todo]:
    """Yield what brings the next cycle nearer, where it is far away from jobs that it starts."""
    if wait is not None and demand.starting:
        yield Todo(CYCLES_FAR_APART, f"a shorter {wait[0]}", Gain(jobs=demand.starting))


def _failures(unmet: Iterable[Unmet]) -> Iterator[Todo]:
    for each in unmet:
        if each.is_fault:
            yield Todo(each.id, each.cure.rstrip("."), Gain(jobs=len(each.jobs)))


def cure_of(amount: CauseAmount) -> str:
    """Return what lifts a cause: of drained machines the commands, the first of many.

    Machines on which no job would start are left out, unless none would start on any.
    """
    if amount.cause in _OF_MACHINES and amount.examples:
        lifted_by = amount.lifted_by
        if amount.cause == ASSET_MISSING and amount.details:
            lifted_by = ASSET_CURES.get(amount.details[0][0], lifted_by)
        return f"{lifted_by} ({where(amount)})"
    if amount.cause != DRAINED:
        return amount.lifted_by
    machines, number = amount.machines, len(amount.machines)
    if amount.gain.slots:
        machines, number = _machines(amount), amount.gain.machines
    named = [f"condor_drain -cancel {machine}" for machine in machines[:_NAMED]]
    more = number - _NAMED
    return "; ".join(named) + (f"; and {more} more" if more > 0 else "")


def _machines(amount: CauseAmount) -> tuple[str, ...]:
    """Return the first of the machines where jobs would start."""
    return tuple(machine_of(slot) for slot in amount.gain.slots)


def where(amount: CauseAmount, most: int = _NAMED) -> str:
    """Return the first of many machines where jobs would start, or slots that have a part of it.

    Empty where the cause is not lifted at machines.
    """
    if amount.cause not in _OF_MACHINES:
        return ""
    if amount.gain.slots:
        return first_named(_machines(amount), most, amount.gain.machines)
    return first_named(amount.examples, most, amount.slots)


def _doubts(names: Sequence[str]) -> Iterator[str]:
    """Yield why sums are not certain: slots whose ads do not add up."""
    if names:
        own = "its" if len(names) == 1 else "their"
        yield (
            f"the ads of {first_named(names, 1)}, with those of {own} dynamic slots, do not add up "
            "to TotalSlot*: an ad is missing, twice there, or damaged"
        )


def _overdrawn(slots: Iterable[Slot]) -> Iterator[str]:
    """Yield how much more than they have some slots gave to dynamic slots."""
    found = [(str(slot.name), overdrawn(slot)) for slot in slots]
    found = [(name, over) for name, over in found if not over.is_nothing]
    if found:
        over = total_of(each for _, each in found)
        more = amounts_of({CPUS: over.cpus, MEMORY: over.memory_mb, GPUS: over.gpus})
        yield (
            f"{first_named([name for name, _ in found], 1)} gave {more} more to dynamic slots than "
            "there is: the amounts left are below 0"
        )


def _left_to_others(pool: Pool, standings: Sequence[CauseAmount]) -> Iterator[str]:
    """Yield that jobs wait for what another negotiator may have or not."""
    asked = asked_by(other_negotiators(pool))
    for each in standings:
        if each.cause == OTHER_NEGOTIATOR and each.jobs:
            yield (
                f"{counted(each.jobs, 'job')} would use slots that NEGOTIATOR_SLOT_CONSTRAINT "
                f"hides from {pool.negotiator or 'this negotiator'}: {asked} says whether another "
                "negotiator matches them"
            )


def _of_other_pools(pool: Pool, standings: Sequence[CauseAmount]) -> Iterator[str]:
    """Yield that jobs that flock from other pools, and are not known, may want what is free."""
    if not any(each.cause == UNWANTED and each.amounts.cpus for each in standings):
        return
    foreign, known = foreign_schedds(pool), {job.access_point for job in pool.jobs or ()}
    idle = Counter[str]()
    for record in pool.submitters:
        schedd = record.text("ScheddName")
        if schedd in foreign and schedd not in known:
            idle[schedd] += int(record.number("IdleJobs") or 0)
    number = sum(idle.values())
    if number:
        names = first_named(list(+idle), _NAMED)
        yield (
            f"{counted(number, 'idle job')} of {names}, which flock from other pools, cannot be "
            "looked at: whether they want what is free is not known"
        )


def _unknown(verdicts: Verdicts) -> tuple[str, ...]:
    pool = verdicts.pool
    missing = (
        (pool.slots is None, "the slots are unknown: the balance has no capacity"),
        (pool.jobs is None, "the queues are unknown: jobs may wait"),
        (
            pool.central is None,
            "the configuration of the central manager is unknown: the balance has no groups",
        ),
    )
    absent = [each.text for each in verdicts.of_cycle if each.id == NEGOTIATOR_ABSENT]
    return (*(text for lacks, text in missing if lacks), *absent, *pool.incomplete)
