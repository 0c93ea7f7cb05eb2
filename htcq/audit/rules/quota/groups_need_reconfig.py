"""The configuration is read before each cycle, but the groups are not."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Found, Input, Rule, Severity

_KNOB = "NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE"


def _find(evidence: Evidence) -> Iterator[Found]:
    if evidence.quotas.grouped and evidence.quotas.truth(_KNOB, False):
        yield Found(
            cause=_KNOB,
            subject=f"knob {_KNOB}",
            message=(
                f"{_KNOB} is true, but changed groups and quotas take effect only after "
                "condor_reconfig"
            ),
            facts=(knob_fact(evidence, _KNOB),),
        )


RULE = Rule(
    id="groups-need-reconfig",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE does not apply to groups and quotas",
    consequence=(
        "The tree of groups is built when the negotiator starts and at each reconfiguration, not "
        "when it reads its configuration before a cycle."
    ),
    advice="Run condor_reconfig -negotiator after each change of groups or quotas.",
    source="src/condor_negotiator.V6/matchmaker.cpp:reinitialize, negotiationTime, 25.14",
    find=_find,
)
