"""Several submitters of one group can each take what the group has left."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Harm, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import ROOT

_KNOB = "NEGOTIATOR_CONSIDER_PREEMPTION"
#: Less than this part above the limit is a job's worth.
_SMALL = 0.05


def _takes(quotas: PoolQuotas, group: str, limit: int) -> list[float]:
    """Return what each submitter of ``group`` may match in the first spin.

    It is the submitter's share, up to what the group has left.
    """
    shares: dict[str, float] = {}
    for each in quotas.of(group):
        account = quotas.accounts.get(each.name)
        priority = None if account is None else account.number("Priority")
        shares[each.name] = 1.0
        if priority and priority > 0:
            shares[each.name] = 1.0 / priority
    whole = sum(shares.values())
    pie, left = min(quotas.inputs.pool_weight, float(limit)), limit - quotas.quota(group).usage
    ignored = quotas.truth("NEGOTIATOR_IGNORE_USER_PRIORITIES", False)
    takes = []
    for each in quotas.waiting(group):
        due = left
        if not ignored:
            due = pie * shares[each.name] / whole - quotas.used_by(each.name)
        takes.append(max(0.0, min(due, left, each.weighted_idle)))
    return [take for take in takes if take > 0]


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.consider_preemption:
        return
    for group, exact in quotas.limits.items():
        limit, used = truncated(exact), quotas.quota(group).usage
        if limit <= used or (group == ROOT and quotas.tree.root.autoregroup):
            continue
        takes = _takes(quotas, group, limit)
        over = used + sum(takes) - limit
        if len(takes) > 1 and over >= max(1.0, _SMALL * limit):
            yield Found(
                cause="overshoot",
                subject=f"group {group}",
                message=(
                    f"{group} can reach {limit + over:g} of {limit} in one cycle: "
                    f"{counted(len(takes), 'submitter')} may take {sum(takes):g}, but "
                    f"{limit - used:g} is left"
                ),
                facts=(knob_fact(evidence, _KNOB, "true"),),
                settings=(central(evidence, _KNOB, "False"),),
                examples=(group,),
                harm=Harm(overrun=(group,)),
            )


RULE = Rule(
    id="first-spin-overshoot",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="Submitters of a group can together take more than the group has left",
    consequence=(
        "If preemption is considered, the group's usage is read once before its submitters are "
        "negotiated and not updated between them. Each may use its share of the amount that the "
        "group had left, and the sum exceeds the group's limit."
    ),
    advice="Turn it off if the negotiator never preempts.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, calculateSubmitterLimit, 25.14"
    ),
    find=_find,
)
