"""A group keeps its whole quota and hands it to the groups below it as well."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas

_KNOB = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"
#: More than this part of the pool is more than arithmetic alone explains.
_EXCESS = 1e-6


def _given(quotas: PoolQuotas, group: str) -> float:
    return sum(quotas.quota(child.name).subtree_quota for child in quotas.tree.children(group))


def _used_below(quotas: PoolQuotas, group: str) -> bool:
    return any(quotas.of(below) for below in quotas.subtree(group) if below != group)


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.oversubscription:
        return
    twice = [group.name for group in quotas.groups if _given(quotas, group.name) > 0]
    facts = (knob_fact(evidence, _KNOB, "true"),)
    settings = (central(evidence, _KNOB, "False"),)
    for name in twice:
        own, given = quotas.quota(name).quota, _given(quotas, name)
        if quotas.of(name) and _used_below(quotas, name):
            yield Found(
                cause="parent and children",
                subject=f"group {name}",
                message=(
                    f"group {name} keeps its quota of {own:g} and passes {given:g} on to its "
                    f"child groups: together they have {own + given:g}"
                ),
                facts=facts,
                examples=(name,),
                settings=settings,
            )
    used = [name for name in twice if _used_below(quotas, name)]
    pool = quotas.inputs.pool_weight
    # Where groups regroup, the root is allocated the whole pool beside all others.
    counted = quotas.tree.groups
    if quotas.tree.root.autoregroup:
        counted = quotas.groups
    allocated = sum(quotas.allocated(group.name) for group in counted)
    if used and allocated > pool * (1 + _EXCESS):
        first = used[0]
        yield Found(
            cause="allocated",
            subject="the pool",
            message=(
                f"{allocated:g} of a pool of {pool:g} is allocated: for example, {first} keeps "
                f"its quota of {quotas.quota(first).quota:g} and passes {_given(quotas, first):g} "
                "on to its child groups"
            ),
            facts=facts,
            settings=settings,
        )


RULE = Rule(
    id="parent-quota-counted-twice",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="A group's quota counts twice: for the group itself and for its child groups",
    consequence=(
        "With NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION, which is the default, a group with "
        "children keeps all of its quota and also passes it on. The groups are allocated more "
        "than the pool has, and the groups that are negotiated first get it."
    ),
    advice="Turn it off, so that a group keeps only what it does not pass on to its children.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14; 112 of 100 seen on "
        "25.14.1"
    ),
    find=_find,
)
