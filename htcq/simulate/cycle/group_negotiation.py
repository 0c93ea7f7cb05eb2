"""Negotiation of one group: its submitters in order, repeated until nobody gets more.

Follows negotiateWithGroup, calculateSubmitterLimit and calculatePieLeft of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. Limits in time are not reached here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.offer_budget import OfferBudget
from htcq.poolquota.demand import Submitter
from htcq.quota.cpp_float import as_float, total
from htcq.simulate.cycle.accounts import Accounts
from htcq.simulate.cycle.queues import Offered, Queue
from htcq.simulate.cycle.schedd_negotiation import Grant, ScheddNegotiation, ScheddNegotiations
from htcq.simulate.cycle.session import Session
from htcq.std_sort import std_sorted

#: The ratio of a submitter that may have nothing (FLT_MAX), and the ceiling of one that has none
#: (INT_MAX).
_NOTHING, _NO_CEILING = 3.4028234663852886e38, 2**31 - 1
#: What a submitter may have where priorities are ignored (DBL_MAX): no infinity, which would make
#: all equally starved.
_ALL = 1.7976931348623157e308


#: Priority, JobPrio (negative), use of its share, when it was heard of, place in the given order.
_SortKey = tuple[float, int, float, int, int]


class Skipped(enum.Enum):
    """Why a submitter had no talk, or no further one."""

    NO_IDLE = "its ad has no idle jobs"
    LITTLE_LEFT = "what is left of its share is less than any slot weighs"
    CEILING = "what is left of its ceiling is less than any slot weighs"
    GROUP_FULL = "its group uses its limit"
    NO_TIME = "a time limit of the negotiator leaves no time for it"


@dataclass(eq=False)
class SubmitterQueue:
    """One submitter at one access point, with its queue.

    ``heard`` is when it was last heard of, as the negotiator compares it; ``place`` orders those
    that are equal to it, where their order is given. ``equals`` are the submitters with idle jobs,
    itself among them, that were equal when they were sorted last.

    ``job_prio`` is the priority of jobs for which it stands here, None without
    USE_GLOBAL_JOB_PRIOS; ``job_prios`` are those it is asked for, None for all.

    ``talk`` is its last talk in the cycle so far, ``skipped`` why it had none after that,
    ``rejected`` what of its runs was rejected last, by the id of the run.
    """

    submitter: Submitter
    idle: int
    queue: Queue
    access: AccessPoint
    heard: int = 0
    place: int = 0
    talk: ScheddNegotiation | None = None
    skipped: Skipped | None = None
    rejected: dict[int, Offered] = field(default_factory=dict)
    equals: frozenset[str] = frozenset()
    job_prio: int | None = None
    job_prios: range | None = None


@dataclass(frozen=True)
class Rules:
    """What of the configuration and the pool matters inside a turn.

    Weights are in the pool's unit. ``no_time`` is a time limit that leaves no talk any time: the
    knob, empty where there is none.
    """

    pool_weight: float
    min_weight: float
    preemption: bool = True
    ignore_priorities: bool = False
    #: Whether a time limit of the negotiator is 0 or below: it then leaves every submitter at once.
    no_time: bool = False


class GroupNegotiation:
    """One turn, that of the group ``whose``; ``group`` is None where no group's usage limits it.

    Those that are through leave ``asking``.
    """

    def __init__(
        self,
        talks: ScheddNegotiations,
        accounts: Accounts,
        rules: Rules,
        group: str | None,
        limit: float,
        whose: str,
        asking: list[SubmitterQueue],
    ) -> None:
        self._talks, self._accounts, self._rules, self._whose = talks, accounts, rules, whose
        self._group, self._limit, self._asking = group, limit, asking

    def take(self) -> None:
        """Let those below their floors go first, up to them, and then everybody.

        Raises:
            CrashError: a slot makes the negotiator crash.
        """
        below = [each for each in self._asking if self._is_below_floor(each)]
        if below:
            self._spins(below, floor=True)
        self._spins(self._asking, floor=False)

    def _is_below_floor(self, asking: SubmitterQueue) -> bool:
        floor = self._accounts.claimant(asking.submitter).floor
        return floor is not None and self._accounts.usage(asking.submitter.name) < floor

    def _full(self) -> bool:
        return self._group is not None and self._accounts.groups[self._group] >= self._limit

    def _spins(self, asking: list[SubmitterQueue], floor: bool) -> None:
        spin = 0
        while True:
            spin += 1
            ignores_limits = spin == 1 and self._rules.preemption
            if not ignores_limits and self._full():
                _skip(asking, Skipped.GROUP_FULL)
                return
            self._talks.new_spin()
            if not self._rules.preemption:
                asking[:] = [each for each in asking if each.idle > 0]
            limits = self._limits(asking)
            whole = total(limits[each].most for each in asking)
            if not self._rules.preemption and whole <= 0:
                _skip(asking, Skipped.LITTLE_LEFT)
                return
            if spin == 1:
                self._sort(asking, limits)
            # The negotiator asks every schedd for its requests before the first match of a spin.
            budgets = {id(each): each.access.budget() for each in asking}
            before, pie = len(asking), whole
            for each in tuple(asking):
                if not ignores_limits and self._full():
                    _skip(asking, Skipped.GROUP_FULL)
                    break
                pie, through = self._negotiated(each, limits, pie, spin, floor, budgets[id(each)])
                if through:
                    asking.remove(each)
            if (
                floor
                or not asking
                or not self._talks.slots_left()
                or not (pie < whole or len(asking) < before)
            ):
                return

    def _negotiated(
        self,
        asking: SubmitterQueue,
        shares: Mapping[SubmitterQueue, Share],
        pie: float,
        spin: int,
        floor: bool,
        budget: OfferBudget,
    ) -> tuple[float, bool]:
        """Return what is left of the pie, and whether this submitter is through."""
        claimant = self._accounts.claimant(asking.submitter)
        used = self._accounts.usage(asking.submitter.name)
        share = self._share(asking, shares[asking].part, self._base(), shares[asking].group_used)
        most = min(float(claimant.floor or 0), share.most) if floor else share.most
        most = min(most, pie)
        ceiling = None if claimant.ceiling is None else max(0, claimant.ceiling - int(used))
        least = self._rules.min_weight
        if asking.idle <= 0:
            asking.skipped = Skipped.NO_IDLE
            return pie, True
        if self._rules.no_time:
            asking.skipped = Skipped.NO_TIME
            return pie, True
        if spin > 1 and (most < least or pie < least):
            asking.skipped = Skipped.LITTLE_LEFT
            return pie, False
        if ceiling is not None and (ceiling == 0 or ceiling < least):
            asking.skipped = Skipped.CEILING
            return pie, True
        left = _NO_CEILING if ceiling is None else ceiling
        ignored = spin == 1 and self._rules.preemption
        grant = Grant(most, share.unclaimed, left, ignored, claimant.priority, self._whose)
        session = Session(asking.queue, asking.access, budget, asking.job_prios)
        asking.skipped = None
        taken, through, ending = self._talks.talk(asking.submitter.name, session, grant)
        asking.talk = ScheddNegotiation(
            grant, share.part, session.offered, session.budget.offers, session.cut, taken, ending
        )
        asking.rejected.update((id(each.run), each) for each in session.offered if each.rejection)
        return pie - taken, through

    def _base(self) -> float:
        return min(self._rules.pool_weight, self._limit)

    def _limits(self, asking: list[SubmitterQueue]) -> dict[SubmitterQueue, Share]:
        """Return what each submitter may be given in this spin.

        The same one at several schedds has one share.

        The arithmetic goes the way of the negotiator's: a limit that is larger by a last binary
        digit lets one more match be looked for (calculateNormalizationFactor).
        """
        priorities = {
            each.submitter.name: self._accounts.claimant(each.submitter).priority for each in asking
        }
        most = max(priorities.values(), default=1.0)
        whole = total(most / priority for priority in priorities.values())
        used = self._accounts.groups[self._group] if self._group is not None else 0.0
        parts = {name: most / (priority * whole) for name, priority in priorities.items()}
        return {
            each: self._share(each, parts[each.submitter.name], self._base(), used)
            for each in asking
        }

    def _share(self, asking: SubmitterQueue, part: float, base: float, group_used: float) -> Share:
        most = max(0.0, part * base - self._accounts.usage(asking.submitter.name))
        if self._rules.ignore_priorities:
            most = _ALL
        unclaimed = most
        if self._group is not None:
            # The negotiator hands these numbers on as C++ floats.
            left = as_float(as_float(self._limit) - as_float(group_used))
            unclaimed = min(most, max(0.0, left))
        return Share(part, most if self._rules.preemption else unclaimed, unclaimed, group_used)

    def _sort(self, asking: list[SubmitterQueue], shares: Mapping[SubmitterQueue, Share]) -> None:
        """Sort submitters as they are, which is how their last turn left them."""
        keys = {each: self._order(each, shares) for each in asking}
        equals: dict[_SortKey, set[str]] = {}
        for each in asking:
            if each.idle > 0:
                equals.setdefault(keys[each], set()).add(each.submitter.name)
        for each in asking:
            each.equals = frozenset(equals.get(keys[each], ()))
        asking[:] = _consolidated(std_sorted(asking, key=keys.__getitem__))

    def _order(self, asking: SubmitterQueue, shares: Mapping[SubmitterQueue, Share]) -> _SortKey:
        used = self._accounts.usage(asking.submitter.name)
        allocated = used + shares[asking].most
        starved = used / allocated if allocated > 0 else _NOTHING
        priority = self._accounts.claimant(asking.submitter).priority
        return (priority, -(asking.job_prio or 0), starved, asking.heard, asking.place)


def _consolidated(asking: Sequence[SubmitterQueue]) -> list[SubmitterQueue]:
    """Return those that stand for several priorities of one submitter side by side as one.

    Each turn begins with the priority of the first of them alone
    (consolidate_globaljobprio_submitter_ads).
    """
    found: list[SubmitterQueue] = []
    first: SubmitterQueue | None = None
    for each in asking:
        if each.job_prio is None or each.job_prios is None:
            found.append(each)
            continue
        if first is None or first.job_prios is None or not _same_submitter(first, each):
            first = each
            each.job_prios = range(each.job_prio, each.job_prio + 1)
            found.append(each)
            continue
        lowest = min(first.job_prios.start, each.job_prio)
        highest = max(first.job_prios.stop, each.job_prio + 1)
        first.job_prios = range(lowest, highest)
    return found


def _same_submitter(one: SubmitterQueue, other: SubmitterQueue) -> bool:
    return one.submitter.name == other.submitter.name and one.access.name == other.access.name


def _skip(asking: list[SubmitterQueue], why: Skipped) -> None:
    for each in asking:
        each.skipped = why


@dataclass(frozen=True)
class Share:
    """What a submitter may be given in a spin: its ``part`` of the pie.

    Of unclaimed slots no more than ``unclaimed``.

    ``group_used`` is what its group used when the spin began.
    """

    part: float
    most: float
    unclaimed: float
    group_used: float
