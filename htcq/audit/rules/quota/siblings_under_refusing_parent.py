"""Groups that accept surplus under a group that refuses it.

The first of them takes what the others are due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import Group

_KNOB = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"


def _hurt(quotas: PoolQuotas, siblings: Sequence[Group]) -> bool:
    """Return whether one of ``siblings`` gets a whole unit less than it wants of its own quota."""
    for sibling in siblings:
        wants = sum(quotas.requested(each) for each in quotas.subtree(sibling.name))
        due = min(wants, quotas.quota(sibling.name).subtree_quota)
        if quotas.can_take(sibling.name) <= due - 1:
            return True
    return False


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.strict_enforce or quotas.tree.root.autoregroup:
        return
    for parent, cap in quotas.refusing():
        children = quotas.tree.children(parent.name)
        siblings = [each for each in children if any(map(quotas.of, quotas.subtree(each.name)))]
        accepting = [each.name for each in siblings if each.accept_surplus]
        full = quotas.can_take(parent.name) > cap - 1
        if len(siblings) < 2 or not accepting or not full or not _hurt(quotas, siblings):
            continue
        most = max((each.name for each in siblings), key=quotas.can_take)
        least = min((each.name for each in siblings), key=quotas.can_take)
        yield Found(
            cause="oversubscription",
            subject=f"group {parent.name}",
            message=(
                f"{listed(each.name for each in siblings)} share {cap:g} under {parent.name}, "
                f"which accepts no surplus as {listed(accepting)} "
                f"{'does' if len(accepting) == 1 else 'do'}: {most} can take "
                f"{quotas.can_take(most):g} and {least} {quotas.can_take(least):g}"
            ),
            facts=(
                knob_fact(evidence, _KNOB, "true"),
                knob_fact(
                    evidence,
                    f"GROUP_ACCEPT_SURPLUS_{parent.name}",
                    evidence.setting("GROUP_ACCEPT_SURPLUS"),
                ),
            ),
            examples=(parent.name,),
            settings=(central(evidence, _KNOB, "False"),),
        )


RULE = Rule(
    id="siblings-under-refusing-parent",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary=(
        "Groups accept surplus although their parent does not, and one of them can use the "
        "quotas of the others"
    ),
    consequence=(
        "Each of them is allocated its quota, and the parent's quota as surplus, but their sum "
        "is limited to the parent's quota. The group that is negotiated first takes all of it; "
        "the others do not even get their own quotas."
    ),
    advice="Turn it off, so that a group keeps only what it does not pass on to its children.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_fairshare, strict_enforce_quota; 20 and 0 "
        "seen on 25.14.1"
    ),
    find=_find,
)
