"""A preemption expression with an attribute that is never true, or with quotas without surplus."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix_settings import central
from htcq.audit.preemption_knobs import sound_preemption
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.classads import parsed

_KNOBS = ("PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK")
_QUOTAS = {"submittergroupquota": "SubmitterGroupQuota", "remotegroupquota": "RemoteGroupQuota"}


def _names(text: str) -> frozenset[str]:
    expression = parsed(text)
    if expression is None:
        return frozenset()
    found = expression.references()
    return found.own | found.target


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.consider_preemption or not quotas.grouped:
        return
    for knob in _KNOBS:
        names = _names(evidence.setting(knob))
        facts = (knob_fact(evidence, knob),)
        if "remoteautoregroup" in names:
            yield Found(
                cause=f"{knob} RemoteAutoregroup",
                subject=f"knob {knob}",
                message=f"{knob} uses RemoteAutoregroup, which is never true",
                facts=facts,
                settings=(central(evidence, knob, sound_preemption(evidence, knob)),),
            )
        used = [name for key, name in _QUOTAS.items() if key in names]
        if used and quotas.tree.global_accept_surplus:
            yield Found(
                cause=f"{knob} quota",
                subject=f"knob {knob}",
                message=(
                    f"{knob} uses {listed(used)}: quotas without the surplus that groups are "
                    "allocated in addition"
                ),
                facts=facts,
                severity=Severity.INFO,
            )


RULE = Rule(
    id="preemption-uses-autoregroup",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="A preemption expression uses RemoteAutoregroup, which is never true",
    consequence=(
        "The negotiator copies RemoteAutoregroup from the wrong ad, so that it is never true in "
        "a slot. If groups accept surplus, SubmitterGroupQuota and RemoteGroupQuota are smaller "
        "than what groups may use."
    ),
    advice=(
        "Compare RemoteNegotiatingGroup with RemoteGroup: they differ if the root negotiated for "
        "another group."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingProtocol, addRemoteUserPrios, 25.14",
    find=_find,
)
