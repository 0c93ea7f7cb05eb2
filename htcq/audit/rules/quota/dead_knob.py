"""Older names of knobs of group quotas, which nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity

_OLD = {
    "HFS_MAX_ALLOCATION_ROUNDS": "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
    "HFS_ROUND_ROBIN_RATE": "GROUP_QUOTA_ROUND_ROBIN_RATE",
}


def _find(evidence: Evidence) -> Iterator[Found]:
    for knob in evidence.pool.central or ():
        name = knob.bare.upper()
        if name in _OLD and knob.value.strip():
            yield Found(
                cause=name,
                subject=f"knob {knob.name}",
                message=(
                    f"nothing reads {knob.name} = {knob.value}: {_OLD[name]} = "
                    f"{evidence.setting(_OLD[name])} applies"
                ),
                facts=(knob_fact(evidence, name), knob_fact(evidence, _OLD[name])),
                settings=(
                    central(evidence, _OLD[name], knob.raw or knob.value),
                    central(evidence, name, ""),
                ),
            )


RULE = Rule(
    id="dead-knob",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="A knob of group quotas is set by its older name, which nothing reads",
    consequence=(
        "HFS_MAX_ALLOCATION_ROUNDS and HFS_ROUND_ROBIN_RATE are read only if the knobs that "
        "replaced them have no value, and those have defaults."
    ),
    advice="Use the newer name; delete the knob that nothing reads.",
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, param_info.in, "
        "25.14"
    ),
    find=_find,
)
