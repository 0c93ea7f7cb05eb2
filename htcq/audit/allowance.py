"""What a submitter may use, and what of it keeps its idle jobs waiting: demand, shares, group limits, ceilings.

Follows negotiateWithGroup and calculateSubmitterLimit of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact
from htcq.quota.limits import truncated
from htcq.quota.shares import headroom
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
    if quotas.truth("NEGOTIATOR_IGNORE_USER_PRIORITIES", False):
        return
    found = quotas.shares(group)
    own = next((each for each in found if each.name == submitter), None)
    if own is None or len(found) < 2:
        return
    used = quotas.used_by(submitter)
    if own.share * own.base <= used:
        message = f"it uses {used:g}, and its share is {own.share * own.base:g} of {own.base:g}: others come first"
        yield Reason("submitter limit", message, (Fact("SubmitterShare", f"{own.share:g}"),))


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
    quotas = evidence.quotas
    one = next((each for each in quotas.submitters if each.name == submitter), None)
    if one is None:
        return
    claimant = quotas.claimant(one)
    left = headroom(claimant)
    if left is not None and (left == 0 or left < quotas.supply.least_weight):
        most = claimant.ceiling
        yield Reason(
            "ceiling", f"{submitter} uses {int(claimant.usage)} of its ceiling of {most}", (Fact("Ceiling", f"{most}"),)
        )
