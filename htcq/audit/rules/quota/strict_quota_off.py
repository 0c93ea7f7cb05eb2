"""Quotas that are not enforced strictly.

Groups that accept surplus use more than the group above them may.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.group_tree import Group

_KNOB = "NEGOTIATOR_STRICT_ENFORCE_QUOTA"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if quotas.settings.strict_enforce:
        return
    for group, cap in quotas.refusing():
        reachable = quotas.can_take(group.name)
        if reachable > cap + 0.5:
            yield Found(
                cause=_KNOB,
                subject=f"group {group.name}",
                message=(
                    f"group {group.name} accepts no surplus, but it and its child groups can use "
                    f"{reachable:g} with a quota of {cap:g}"
                ),
                facts=(knob_fact(evidence, _KNOB),),
                settings=_strict(evidence, group),
                examples=(group.name,),
            )


def _strict(evidence: Evidence, group: Group) -> tuple[Setting, ...]:
    """Return what caps the group.

    Where groups below it accept surplus, oversubscription is turned off too: with it the first
    of them would take all.
    """
    found = [central(evidence, _KNOB, "True")]
    quotas = evidence.quotas
    accepting = [each for each in quotas.tree.children(group.name) if each.accept_surplus]
    if quotas.settings.oversubscription and accepting:
        found.append(central(evidence, "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "False"))
    return tuple(found)


RULE = Rule(
    id="strict-quota-off",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary=(
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA is false, and groups can exceed the quota of a parent "
        "group"
    ),
    consequence=(
        "Without it nothing limits the sum of a group and its children. Children that accept "
        "surplus also get the part of the quota that the parent keeps for itself, so that "
        "together they use up to twice its quota."
    ),
    advice=(
        "Turn it on, so that the negotiator limits the sum of a group and its children to the "
        "group's quota."
    ),
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:strict_enforce_quota, 25.14; 40 of 20 seen on "
        "25.14.1"
    ),
    find=_find,
)
