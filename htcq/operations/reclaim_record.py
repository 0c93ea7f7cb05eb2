"""What a confined process hands over to reclaim: plain values, and what is refused of them."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.clock import SKEW
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.journal import PoolSeen
from htcq.elastic.reclaim.budget import STREAK, most_at_once
from htcq.elastic.reclaim.reclaim_plan import Eviction, ReclaimPlan
from htcq.elastic.records import PARTS, WEIGHT
from htcq.errors import RefusedError
from htcq.pool.literal_claims import LiteralClaim, LiteralClaims
from htcq.poolquota.ailment import Ailment
from htcq.settings.pool_share import limit_in

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_fields import JobEntry
    from htcq.elastic.reclaim.reclaim_history import ReclaimHistory
    from htcq.quota.elastic.declaration import ElasticGroup
    from htcq.settings.reclaim import ReclaimLimits
    from htcq.store.reclaim_journal import ReclaimJournal

#: Hours that make no difference: sums of the same numbers in another order.
_SLACK = 1e-6

#: Seconds by which ads may be newer than the look at the pool that begins with them.
_OLD = 900.0


@dataclass(frozen=True)
class NeedyClaim:
    """A claim of a group in need, and the slot that is there once it is free."""

    group: str
    schedd: str
    job: str
    place: str


@dataclass(frozen=True)
class ObservedReclaim:
    """One observation of a pool and the plan of reclaim, as plain values.

    ``places`` has, by slot of a job to be vacated, the slot that is there once it is free.
    ``claims`` is the number of claims in the pool, ``needy`` are those of groups in need. ``seen``
    is the size of the pool. ``refusals`` are the reasons why nothing may be done, ``health`` what
    is wrong with the daemons.
    """

    plan: ReclaimPlan
    places: Mapping[str, str]
    claims: int
    needy: tuple[NeedyClaim, ...]
    seen: PoolSeen
    refusals: tuple[str, ...]
    health: tuple[Ailment, ...]


def check_observed(
    found: ObservedReclaim,
    groups: Iterable[ElasticGroup],
    limits: ReclaimLimits,
    journal: ReclaimJournal,
    claims: LiteralClaims | None,
    negotiator: str = "",
) -> None:
    """Refuse a plan that is not of the declared ``groups``, or that is beyond the ``limits``.

    Whoever took over the evaluation may have made it. So this machine's clock says what is today,
    the declaration whose a submitter is, and ``claims`` which claims there are (None: those of a
    snapshot, on which nobody acts). The plan must be that of the ``negotiator`` (empty: any).

    Raises:
        RefusedError: with the first reason.
    """
    plan = found.plan
    if negotiator not in ("", plan.negotiator):
        raise _refused(f"it is of the negotiator {plan.negotiator}", f"not of {negotiator}")
    for wrong in _wrong(plan, tuple(groups), found.places):
        raise _refused(wrong, "report it, with a snapshot")
    if not plan.evictions:
        return
    count = found.claims
    if claims is not None:
        _check_claims(plan, claims)
        # The negotiator may see fewer of them.
        count = min(count, claims.count)
    history = journal.history(plan.negotiator)
    for what, number, limit in _counted(plan, limits, history, count):
        if number > limit:
            raise _refused(f"{number} jobs {what}", f"the limit is {limit:g}")
    for wrong in _wrong_hours(plan):
        raise _refused(wrong, "report it, with a snapshot")
    for what, lost, limit in _lost(plan, limits, history, found.seen.pool_weight * 24):
        if lost > limit + _SLACK:
            raise _refused(f"{lost:g} hours {what} would be lost", f"the limit is {limit:g}")


def _check_claims(plan: ReclaimPlan, claims: LiteralClaims) -> None:
    """Refuse a plan of an older look, or with a job that its slot has not, of another submitter."""
    if plan.taken_at < claims.heard - _OLD:
        raise _refused(
            f"it was made {claims.heard - plan.taken_at:.0f} s before ads were received",
            "compare the clocks of this machine and of the collector",
        )
    for each in plan.evictions:
        claim = LiteralClaim(each.slot, each.submitter, each.schedd, each.job, each.started)
        if claim not in claims.claims:
            raise _refused(
                f"{each.slot} does not say that it has {each.job} of {each.submitter} "
                f"since {each.started:.0f}",
                "look at its ad: startds write State, AccountingGroup, RemoteUser, "
                "RemoteScheddName, JobId and JobStart as plain values",
            )


def _counted(
    plan: ReclaimPlan, limits: ReclaimLimits, history: ReclaimHistory, claims: int
) -> Iterator[tuple[str, int, float]]:
    """Yield what is limited, the number of jobs, and the limit in a pool of ``claims``."""
    now, jobs = min(plan.taken_at, time.time() + SKEW), len(plan.evictions)
    useful = history.useful_in_a_row(dict(plan.measured), now - STREAK)
    yield "at once", jobs, most_at_once(limits, claims, useful)
    today = len(list(history.lost_today(now)))
    yield "of a day", jobs + today, limit_in(limits.day_jobs, claims)
    for each in _counts(plan, "group"):
        yield "of one group", each, limit_in(limits.group_jobs, claims)
    for each in _counts(plan, "submitter"):
        yield "of one user", each, limit_in(limits.user_jobs, claims)


def _lost(
    plan: ReclaimPlan, limits: ReclaimLimits, history: ReclaimHistory, day: float
) -> Iterator[tuple[str, float, float]]:
    """Yield whose work would be lost in 24 hours, how much, and the limit.

    ``day`` is what the pool weighs times 24 hours.
    """
    now = min(plan.taken_at, time.time() + SKEW)
    in_all = 0.0
    of_groups, of_users = defaultdict[str, float](float), defaultdict[str, float](float)
    every: list[JobEntry | Eviction] = [*history.lost_today(now), *plan.evictions]
    for each in every:
        in_all += each.hours
        of_groups[each.group] += each.hours
        of_users[each.submitter] += each.hours
    yield "of a day", in_all, limit_in(limits.day_hours, day)
    for eviction in plan.evictions:
        group, user = eviction.group, eviction.submitter
        yield f"of {group}", of_groups[group], limit_in(limits.of(group).hours, day)
        yield f"of {user}", of_users[user], limit_in(limits.user_hours, day)


def _wrong_hours(plan: ReclaimPlan) -> Iterator[str]:
    """Yield which job would lose otherwise than its weight and its start tell.

    A job that saves its work loses nothing.
    """
    for each in plan.evictions:
        ran = max(0.0, plan.taken_at - each.started)
        whole = each.amounts.get(WEIGHT, 0) / PARTS * ran / 3600
        if abs(each.ran - ran) > 1 or not (each.hours == 0 or abs(each.hours - whole) <= _SLACK):
            yield f"{each.job} on {each.slot} has run {ran:.0f} s and would lose {whole:.3f} hours"


def _refused(why: str, hint: str) -> RefusedError:
    return RefusedError(f"the plan of reclaim is refused: {why}", hint)


def _wrong(
    plan: ReclaimPlan, groups: Sequence[ElasticGroup], places: Mapping[str, str]
) -> Iterator[str]:
    declared, membership = {group.name for group in groups}, GroupMembership(groups)
    for eviction in plan.evictions:
        if eviction.group not in declared:
            yield f"the group {eviction.group} of {eviction.job} is not declared"
        if eviction.group != membership.group_of(eviction.submitter):
            yield f"{eviction.submitter} of {eviction.job} is not of the group {eviction.group}"
        if eviction.slot not in places:
            yield f"nothing is known of the slot of {eviction.job}"
    # Others of a group that loses jobs would start theirs in their place. By the declaration, and
    # not by the name: those that name no group may belong to one.
    losing = {eviction.group for eviction in plan.evictions}
    for ceiling in plan.ceilings:
        if membership.group_of(ceiling.submitter) not in losing:
            yield f"{ceiling.submitter} would have a ceiling, and its group loses no job"


def _counts(plan: ReclaimPlan, whose: str) -> Iterable[int]:
    return Counter(getattr(each, whose) for each in plan.evictions).values()
