"""Dynamic quotas of sibling groups that add up to more than the whole."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DUST, DeclaredGroups, fact_of, on_declared, those_below
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.group_tree import ROOT


def _find(evidence: Evidence) -> Iterator[Found]:
    tree = evidence.quotas.tree
    for parent in tree.groups:
        children = tree.children(parent.name)
        dynamic = [child for child in children if not child.static and child.config_quota > 0]
        total = sum(child.config_quota for child in dynamic)
        if total > 1 + DUST:
            subject, below = f"group {parent.name}", f"the groups below {parent.name}"
            if parent.name == ROOT:
                subject, below = "the pool", "the top-level groups"
            shares = {
                f"GROUP_QUOTA_DYNAMIC_{child.name}": child.config_quota / total for child in dynamic
            }
            yield Found(
                cause=parent.name,
                subject=subject,
                message=(
                    f"the dynamic quotas of {below} add up to {total:g}: each counts as its share "
                    f"of that, {dynamic[0].name} as {dynamic[0].config_quota / total:.3g}"
                ),
                facts=tuple(knob_fact(evidence, knob) for knob in shares),
                examples=tuple(child.name for child in dynamic),
                settings=tuple(
                    central(evidence, knob, f"{share:.6f}") for knob, share in shares.items()
                ),
            )


def _find_declared(declared: DeclaredGroups) -> Iterator[Found]:
    for name in ("", *(group.name for group in declared.groups)):
        total = declared.share_sum(name)
        if total > 1 + DUST:
            shared = [
                group for group in declared.below(name) if not group.static and group.config_quota
            ]
            subject = f"group {name}" if name else "the top-level groups"
            yield Found(
                cause=name or "top level",
                subject=subject,
                message=(
                    f"the shares of {those_below(name)} add up to {total:g}: each counts as less "
                    "than it says"
                ),
                facts=tuple(fact_of(group) for group in shared),
                examples=tuple(group.name for group in shared),
            )


RULE = Rule(
    id="dynamic-quotas-exceed-one",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="Dynamic quotas of sibling groups add up to more than 1",
    consequence=(
        "The negotiator divides each by their sum, so that every share is smaller than configured."
    ),
    advice="Lower the shares until their sum is at most 1.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
DECLARED = on_declared(RULE, _find_declared, Severity.ERROR)
