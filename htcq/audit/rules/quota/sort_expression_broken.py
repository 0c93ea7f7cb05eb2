"""GROUP_SORT_EXPR does not parse, yields no number, or names what the negotiator never sets."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.group_knobs import default_of
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked
from htcq.classads import Expr
from htcq.quota.group_limits import FLT_MAX

_KNOB = "GROUP_SORT_EXPR"
#: What the negotiator puts into the ad in which it evaluates the expression.
_SET = (
    "accountinggroup",
    "groupquota",
    "groupresourcesallocated",
    "groupresourcesinuse",
    "sortexpr",
    "sortexprstring",
)


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    quotas = evidence.quotas
    facts = (knob_fact(evidence, _KNOB),)
    settings = (central(evidence, _KNOB, default_of(evidence, _KNOB)),)
    if any(problem.kind == "not-an-expression" for problem in quotas.group_problems):
        yield Found(
            cause="does not parse",
            subject=f"knob {_KNOB}",
            message=f"{_KNOB} is not a ClassAd expression: the negotiator exits",
            facts=facts,
            settings=settings,
        )
        return
    if not quotas.grouped:
        return
    if evidence.lacks(Input.SLOTS):
        yield Unchecked(evidence.words(Input.SLOTS))
    keys = [(group.name, group.sort_key) for group in quotas.computed.rounds[0].groups]
    without = [name for name, key in keys if key == FLT_MAX or math.isnan(key)]
    unset = sorted(Expr(quotas.settings.sort_expr).references().own - set(_SET))
    if without and not evidence.lacks(Input.SLOTS):
        why = ""
        if unset:
            why = f", because the negotiator never sets {listed(unset)}"
        who, severity = "any group", None
        if len(without) < len(keys):
            who, severity = listed(without), Severity.WARNING
        yield Found(
            cause="no number",
            subject=f"knob {_KNOB}",
            message=f"{_KNOB} is not a number for {who}{why}",
            facts=facts,
            settings=settings,
            count=len(without),
            examples=tuple(without),
            severity=severity,
        )
    elif unset:
        yield Found(
            cause="unset",
            subject=f"knob {_KNOB}",
            message=f"{_KNOB} refers to {listed(unset)}, which the negotiator never sets",
            facts=facts,
            settings=settings,
            severity=Severity.WARNING,
        )


RULE = Rule(
    id="sort-expression-broken",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary="GROUP_SORT_EXPR cannot order the groups",
    consequence=(
        "The negotiator exits if it cannot parse the expression. If the value is not a number, "
        "the group is negotiated after all others; if that is so for all of them, the expression "
        "defines no order."
    ),
    advice=(
        "Use HTCondor's default, or an expression that refers only to AccountingGroup, "
        "GroupQuota, GroupResourcesAllocated and GroupResourcesInUse and guards its divisions."
    ),
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, "
        "hgq_negotiate_with_all_groups, 25.14"
    ),
    find=_find,
)
