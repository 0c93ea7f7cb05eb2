"""What a confined process hands over to reclaim: plain values, and what is refused of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.clock import SKEW
from htcq.elastic.group_membership import GroupMembership
from htcq.elastic.journal import PoolSeen
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.errors import RefusedError
from htcq.poolquota.ailment import Ailment
from htcq.settings.pool_share import limit_in

if TYPE_CHECKING:
    from htcq.quota.elastic.declaration import ElasticGroup
    from htcq.settings.reclaim import ReclaimLimits
    from htcq.store.reclaim_journal import ReclaimJournal


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
    negotiator: str = "",
) -> None:
    """Refuse a plan that is not of the declared ``groups``, or that is beyond ``limits`` of jobs.

    Whoever took over the evaluation may have made it: this machine's clock says what is today, and
    the plan must be that of the ``negotiator`` (empty: any).

    Raises:
        RefusedError: with the first reason.
    """
    plan, claims = found.plan, found.claims
    if negotiator not in ("", plan.negotiator):
        raise _refused(f"it is of the negotiator {plan.negotiator}", f"not of {negotiator}")
    for wrong in _wrong(plan, tuple(groups), found.places):
        raise _refused(wrong, "report it, with a snapshot")
    if not plan.evictions:
        return
    now = min(plan.taken_at, time.time() + SKEW)
    today = len(list(journal.history(plan.negotiator).lost_today(now)))
    counted = (
        ("a day", len(plan.evictions) + today, limits.day_jobs),
        *(("one group", each, limits.group_jobs) for each in _counts(plan, "group")),
        *(("one user", each, limits.user_jobs) for each in _counts(plan, "submitter")),
    )
    for what, number, limit in counted:
        if number > limit_in(limit, claims):
            raise _refused(f"{number} jobs of {what}", f"the limit is {limit_in(limit, claims):g}")


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
