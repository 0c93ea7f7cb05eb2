"""Groups regroup: the root negotiates for their submitters too, over the whole pool."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT
from htcq.quota.knobs import Knobs


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped or not quotas.tree.root.autoregroup:
        return
    unseen = evidence.lacks(Input.SUBMITTERS)
    regrouping = [
        group for group in quotas.groups if group.autoregroup and (unseen or quotas.of(group.name))
    ]
    second = sum(len(quotas.of(group.name)) for group in regrouping)
    free = len(quotas.of(ROOT))
    if not second and not free and not unseen:
        return
    who = []
    if second:
        groups = listed(group.name for group in regrouping)
        who.append(f"{counted(second, 'submitter')} of {groups}")
    if unseen:
        who.append(f"all submitters of {listed(group.name for group in regrouping)}")
    if free:
        who.append(f"{counted(free, 'submitter')} without a group")
    is_one = len(who) == 1 and who[0].startswith("1 ")
    negotiate = "negotiates" if is_one else "negotiate"
    although = ""
    refusing = [group.name for group in regrouping if not group.accept_surplus]
    if refusing:
        although = f", although {listed(refusing)} must not accept surplus"
    names = _knobs(quotas)
    yield Found(
        cause="autoregroup",
        subject="the pool",
        message=(
            f"{' and '.join(who)} {negotiate} for the whole pool without a group limit{although}"
        ),
        facts=tuple(knob_fact(evidence, name, "false") for name in names),
        settings=tuple(central(evidence, name, "False") for name in names),
        examples=tuple(group.name for group in regrouping),
    )


def _knobs(quotas: PoolQuotas) -> list[str]:
    """Return the knob of all groups, and those that are set for single groups."""
    reader = Knobs(quotas.knobs)
    names = [f"GROUP_AUTOREGROUP_{group.name}" for group in quotas.groups]
    return ["GROUP_AUTOREGROUP", *(name for name in names if reader.text(name) is not None)]


RULE = Rule(
    id="autoregroup",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary="GROUP_AUTOREGROUP is on: quotas do not apply when the root is negotiated",
    consequence=(
        "As soon as one group regroups, the quota of the root group is the whole pool. The root "
        "is negotiated last, with its own submitters and those of every regrouping group. No "
        "quota limits these matches, whether or not the group accepts surplus; EffectiveQuota of "
        "<none> is published as the whole pool."
    ),
    advice="Turn GROUP_AUTOREGROUP off; groups that should use surplus accept surplus instead.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, matchmaker.cpp, "
        "25.14"
    ),
    find=_find,
)
