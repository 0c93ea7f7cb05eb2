"""The dynamic quotas of groups side by side come to more than the whole."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.tree import ROOT

#: Sums of decimal fractions miss 1 by less than this.
_DUST = 1e-9


def _find(evidence: Evidence) -> Iterator[Found]:
    tree = evidence.quotas.tree
    for parent in tree.groups:
        dynamic = [child for child in tree.children(parent.name) if not child.static and child.config_quota > 0]
        total = sum(child.config_quota for child in dynamic)
        if total > 1 + _DUST:
            below = "the top-level groups" if parent.name == ROOT else f"the groups below {parent.name}"
            yield Found(
                cause=parent.name,
                subject="the pool" if parent.name == ROOT else f"group {parent.name}",
                message=f"the dynamic quotas of {below} add up to {total:g}: each counts as its share of that, "
                f"{dynamic[0].name} as {dynamic[0].config_quota / total:.3g}",
                facts=tuple(knob_fact(evidence, f"GROUP_QUOTA_DYNAMIC_{child.name}") for child in dynamic),
                examples=tuple(child.name for child in dynamic),
                settings=tuple(
                    central(evidence, f"GROUP_QUOTA_DYNAMIC_{child.name}", f"{child.config_quota / total:.6f}")
                    for child in dynamic
                ),
            )


RULE = Rule(
    id="dynamic-quotas-exceed-one",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="Dynamic quotas of sibling groups add up to more than 1",
    consequence="The negotiator divides each by their sum, so that every share is smaller than configured.",
    advice="Lower the shares until their sum is at most 1.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
