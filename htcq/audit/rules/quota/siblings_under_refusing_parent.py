"""Groups that accept surplus under one that refuses it: the first one takes what the others are due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.quotas import PoolQuotas
from htcq.audit.rule import Found, Need, Rule, Severity
from htcq.quota.tree import Group


def refusing(quotas: PoolQuotas) -> Iterator[tuple[Group, float]]:
    """Yield the groups that accept no surplus and have groups below them, each with what caps its subtree."""
    for group in quotas.groups:
        if group.children and not group.accept_surplus:
            yield group, group.config_quota if group.static else quotas.quota(group.name).subtree_quota


def taken(quotas: PoolQuotas, group: str) -> float:
    """Return what ``group`` and those below it can come to use."""
    return sum(quotas.filled.get(each, 0.0) for each in quotas.subtree(group))


def _hurt(quotas: PoolQuotas, siblings: Sequence[Group]) -> bool:
    """Tell whether one of ``siblings`` gets a whole unit less than it wants of its own quota."""
    for sibling in siblings:
        wants = sum(quotas.requested(each) for each in quotas.subtree(sibling.name))
        if taken(quotas, sibling.name) <= min(wants, quotas.quota(sibling.name).subtree_quota) - 1:
            return True
    return False


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.strict_enforce or quotas.tree.root.autoregroup:
        return
    for parent, cap in refusing(quotas):
        siblings = [child for child in quotas.tree.children(parent.name) if child.accept_surplus]
        siblings = [each for each in siblings if any(quotas.of(below) for below in quotas.subtree(each.name))]
        if len(siblings) < 2 or not _hurt(quotas, siblings):
            continue
        most = max(siblings, key=lambda each: taken(quotas, each.name))
        least = min(siblings, key=lambda each: taken(quotas, each.name))
        yield Found(
            cause=parent.name,
            subject=f"group {parent.name}",
            message=f"{listed(each.name for each in siblings)} share {cap:g} and accept surplus under {parent.name}, which "
            f"does not: {most.name} can take {taken(quotas, most.name):g} and {least.name} {taken(quotas, least.name):g}",
            facts=(
                knob_fact(evidence, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "true"),
                knob_fact(evidence, f"GROUP_ACCEPT_SURPLUS_{parent.name}", evidence.setting("GROUP_ACCEPT_SURPLUS")),
            ),
            examples=(parent.name,),
        )


RULE = Rule(
    id="siblings-under-refusing-parent",
    severity=Severity.ERROR,
    needs=(Need.CENTRAL, Need.SLOTS, Need.SUBMITTERS),
    summary="Groups accept surplus under one that refuses it, and one of them can take the others' quotas",
    consequence=(
        "Each of them is allocated its quota and the parent's quota as surplus, but together they are capped at what "
        "the parent has. Whoever has the first turn takes it all; the others do not even get their own quotas."
    ),
    fix="NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_fairshare, strict_enforce_quota; 20 and 0 seen on 25.14.1",
    find=_find,
)
