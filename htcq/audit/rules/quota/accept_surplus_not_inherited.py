"""A group accepts surplus, and groups below it that could use some do not."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.knobs import Knobs


def _knob(group: str) -> str:
    return f"GROUP_ACCEPT_SURPLUS_{group}"


def _left_out(quotas: PoolQuotas, parent: str) -> Iterator[str]:
    """Yield the groups right below ``parent`` that request more than their quota.

    They accept no surplus, and no knob of their own says so.
    """
    reader = Knobs(quotas.knobs)
    for child in quotas.tree.children(parent):
        if reader.text(_knob(child.name)) is None and not child.accept_surplus:
            wanted = sum(quotas.requested(each) for each in quotas.subtree(child.name))
            if wanted > quotas.quota(child.name).subtree_quota:
                yield child.name


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    for parent in quotas.groups:
        if not parent.accept_surplus or Knobs(quotas.knobs).text(_knob(parent.name)) is None:
            continue
        left_out = list(_left_out(quotas, parent.name))
        if left_out:
            first = left_out[0]
            verb = "does" if len(left_out) == 1 else "do"
            wanted = sum(quotas.requested(each) for each in quotas.subtree(first))
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=(
                    f"group {parent.name} accepts surplus, but {listed(left_out)} below it {verb} "
                    f"not: {first} requests {wanted:g}, and its quota is "
                    f"{quotas.quota(first).subtree_quota:g}"
                ),
                facts=(
                    knob_fact(evidence, _knob(parent.name)),
                    knob_fact(evidence, "GROUP_ACCEPT_SURPLUS", "false"),
                ),
                settings=tuple(central(evidence, _knob(name), "True") for name in left_out),
                count=len(left_out),
                examples=tuple(left_out),
            )


RULE = Rule(
    id="accept-surplus-not-inherited",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="A group accepts surplus, but child groups that need surplus do not",
    consequence=(
        "GROUP_ACCEPT_SURPLUS_<group> applies to that group only. Child groups without a knob of "
        "their own follow GROUP_ACCEPT_SURPLUS, so that surplus reaches the group itself but "
        "none of its children."
    ),
    advice="Set GROUP_ACCEPT_SURPLUS_<group> for each group that should use surplus.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
