"""What a submitter may use, and what of it keeps its idle jobs waiting: demand, shares, group limits, ceilings.

Follows negotiateWithGroup and calculateSubmitterLimit of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact
from htcq.classads import Value, as_number
from htcq.quota.limits import truncated
from htcq.quota.tree import assigned_group


@dataclass(frozen=True)
class Reason:
    """One wall: ``wall`` is its name (requirements, assets, zero demand, …), ``message`` has the numbers."""

    wall: str
    message: str
    facts: tuple[Fact, ...] = ()


def demand(evidence: Evidence, submitter: str) -> Iterator[Reason]:
    """Yield a reason where the negotiator is told of no demand."""
    records = [record for record in evidence.pool.submitters if record.name == submitter]
    quotas = evidence.quotas
    if not evidence.pool.submitters:
        return
    if not records:
        yield Reason("zero demand", f"no submitter ad names {submitter}: the negotiator knows of no job of theirs")
        return
    idle = sum(record.number("IdleJobs") or 0 for record in records)
    weighted = [record.number("WeightedIdleJobs") for record in records]
    facts = (Fact("IdleJobs", f"{idle:g}"), Fact("WeightedIdleJobs", f"{sum(each or 0 for each in weighted):g}"))
    if not idle:
        yield Reason(
            "zero demand", f"the submitter ad of {submitter} has no idle jobs; it may be some minutes old", facts
        )
        return
    group = assigned_group(quotas.tree, submitter).group
    if quotas.grouped and quotas.requested(group) <= 0:
        message = (
            f"its weighted demand is {quotas.requested(group):g}: group {group} is skipped with zero slots allocated"
        )
        yield Reason("zero demand", message, facts)


def submitter_limit(evidence: Evidence, submitter: str) -> Iterator[Reason]:
    """Yield a reason where the share of the submitter is used up: what others leave is all that it can hope for."""
    quotas = evidence.quotas
    group = assigned_group(quotas.tree, submitter).group
    priorities = {one.name: _priority(evidence, one.name) for one in quotas.waiting(group)}
    own = priorities.get(submitter)
    if own is None or len(priorities) < 2 or any(each is None for each in priorities.values()):
        return
    base = float(quotas.supply.pool_weight)
    if quotas.grouped and not math.isnan(quotas.limits.get(group, base)):
        base = min(base, truncated(quotas.limits.get(group, base)))
    share = (1 / own) / sum(1 / each for each in priorities.values() if each)
    used = quotas.used_by(submitter)
    if share * base <= used:
        message = f"it uses {used:g}, and its share is {share * base:g} of {base:g}: others come first"
        yield Reason("submitter limit", message, (Fact("Priority", f"{own:g}"),))


def _priority(evidence: Evidence, submitter: str) -> float | None:
    record = evidence.quotas.accounts.get(submitter)
    priority = record.number("Priority") if record is not None else None
    return float(priority) if priority else None


def group_limit(evidence: Evidence, submitter: str) -> Iterator[Reason]:
    """Yield a reason where the group has come to its limit."""
    quotas = evidence.quotas
    group = assigned_group(quotas.tree, submitter).group
    limit = quotas.limits.get(group)
    if not quotas.grouped or limit is None or quotas.requested(group) <= 0:
        return
    used = quotas.inputs.usage.get(group, 0.0)
    facts = (Fact("EffectiveQuota", f"{quotas.quota(group).quota:g}"), Fact("WeightedResourcesUsed", f"{used:g}"))
    if math.isnan(limit):
        yield Reason(
            "group limit", f"the limit of group {group} is no number: the negotiator takes it for -2147483648", facts
        )
    elif truncated(limit) <= used:
        yield Reason(
            "group limit", f"group {group} uses {used:g} of its limit of {truncated(limit)} ({limit:g})", facts
        )


def ceiling(evidence: Evidence, submitter: str) -> Iterator[Reason]:
    """Yield a reason where the submitter has come to its ceiling."""
    record = evidence.quotas.accounts.get(submitter)
    set_at: Value = record.value("Ceiling") if record is not None else -1
    most = as_number(set_at)
    if most is None or most < 0:
        return
    used = int(evidence.quotas.used_by(submitter))
    if most - used <= 0 or most - used < evidence.quotas.supply.least_weight:
        yield Reason("ceiling", f"{submitter} uses {used} of its ceiling of {most:g}", (Fact("Ceiling", f"{most:g}"),))
