"""Static quotas of the top-level groups that add up to all of the pool or more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, Group

#: The part of the pool that quotas may promise, so that some is left for the others.
_ROOM = 0.75


def _promises(statics: Sequence[Group], promised: float, pool: float) -> str:
    """Return the sum of static quotas, and which groups alone take all of the pool."""
    text = f"static quotas add up to {promised:g}"
    large = [group for group in statics if group.config_quota >= pool]
    alone = [f"{group.name} has {group.config_quota:g}" for group in large]
    if alone and len(statics) > 1:
        text += f", of which {listed(alone)}"
    return f"{text}; the pool has {pool:g}"


def _lower(statics: Sequence[Group], promised: float, pool: float) -> tuple[Setting, ...]:
    """Return static quotas in the same proportion that leave a part of the pool.

    None where one of them is more than the pool by itself: that one is the cause.
    """
    if any(group.config_quota > pool for group in statics):
        return ()
    settings = []
    for group in statics:
        quota = f"{group.config_quota * _ROOM * pool / promised:.0f}"
        settings.append(Setting(Role.CENTRAL, f"GROUP_QUOTA_{group.name}", quota))
    return tuple(settings)


def _left_out(quotas: PoolQuotas, ungrouped: int, dynamic: Sequence[str]) -> list[str]:
    """Return which submitters depend on what static quotas leave of the pool."""
    left_out = []
    if ungrouped:
        left_out.append(f"{counted(ungrouped, 'submitter')} without a group")
    hurt = 0
    for top in dynamic:
        hurt += sum(len(quotas.of(group)) for group in quotas.subtree(top))
    if hurt:
        left_out.append(f"{counted(hurt, 'submitter')} of groups with dynamic quotas")
    return left_out


def _claimed(quotas: PoolQuotas, statics: Sequence[Group], pool: float) -> str:
    """Return which groups want more of their quotas than the pool has; empty where they do not."""
    due: dict[str, float] = {}
    for group in statics:
        demand = sum(quotas.requested(each) for each in quotas.subtree(group.name))
        if demand > 0:
            due[group.name] = min(group.config_quota, demand)
    if len(due) < 2 or sum(due.values()) <= pool:
        return ""
    return f", and {listed(sorted(due))} have jobs for {sum(due.values()):g} of it"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    pool = quotas.inputs.pool_weight
    tops = quotas.tree.children(ROOT)
    statics = [group for group in tops if group.static]
    promised = sum(group.config_quota for group in statics)
    shared = sum(group.config_quota for group in tops if not group.static)
    if not quotas.grouped or pool <= 0:
        return
    dynamic = [group.name for group in tops if not group.static and group.config_quota > 0]
    ungrouped = 0 if quotas.tree.root.autoregroup else len(quotas.of(ROOT))
    left_out = _left_out(quotas, ungrouped, dynamic)
    facts = tuple(knob_fact(evidence, f"GROUP_QUOTA_{group.name}") for group in statics)
    promises = _promises(statics, promised, pool)
    if promised >= pool and left_out:
        yield Found(
            cause="static quotas",
            subject="the pool",
            message=f"{promises}: no quota is left for " + " and ".join(left_out),
            facts=facts,
            trial=_lower(tops, promised, pool),
        )
    elif promised > pool:
        yield Found(
            cause="static quotas",
            subject="the pool",
            message=promises + _claimed(quotas, statics, pool),
            facts=facts,
            trial=_lower(tops, promised, pool),
            severity=None if _claimed(quotas, statics, pool) else Severity.INFO,
        )
    elif shared >= 1 and ungrouped:
        yield Found(
            cause="dynamic quotas",
            subject="the pool",
            message=(
                f"dynamic quotas add up to all of the pool of {pool:g}: {left_out[0]} get surplus "
                "only"
            ),
            facts=tuple(knob_fact(evidence, f"GROUP_QUOTA_DYNAMIC_{name}") for name in dynamic),
            severity=Severity.INFO,
        )


RULE = Rule(
    id="quotas-fill-the-pool",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="Static quotas of the top-level groups add up to the whole pool or more",
    consequence=(
        "The root group's quota is 0, and so are those of top-level groups with dynamic quotas: "
        "their jobs get surplus only. Quotas that exceed the pool cannot all be reached."
    ),
    advice=(
        "Lower the static quotas until their sum is smaller than the pool, or use dynamic quotas."
    ),
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
