"""The negotiator waits long between two cycles."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.poolquota.negotiator_health import CYCLES_FAR_APART, LONG_WAIT, wait_text
from htcq.quota.knobs import number_of

#: HTCondor's defaults (param_info.in and matchmaker.cpp, 25.14).
_DEFAULTS = {"NEGOTIATOR_INTERVAL": 60, "NEGOTIATOR_CYCLE_DELAY": 20, "NEGOTIATOR_MIN_INTERVAL": 5}


def _find(evidence: Evidence) -> Iterator[Found]:
    for knob, default in _DEFAULTS.items():
        seconds = number_of(evidence.setting(knob, str(default)).strip())
        if seconds is not None and seconds > LONG_WAIT:
            setting = Setting(
                Role.CENTRAL,
                knob,
                str(default),
                file=knob_fact(evidence, knob).place.rpartition(":")[0],
            )
            yield Found(
                cause=knob,
                subject=f"knob {knob}",
                message=wait_text(knob, seconds),
                facts=(knob_fact(evidence, knob),),
                settings=(setting,),
                is_root=True,
            )


RULE = Rule(
    id=CYCLES_FAR_APART,
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="The negotiator waits more than a quarter of an hour between two cycles",
    consequence=(
        "A free slot stays free until the next cycle, and groups do not get their quota in the "
        "meantime. Often an interval in seconds was written as if it were in milliseconds, or "
        "the setting of a test was never removed."
    ),
    advice="NEGOTIATOR_INTERVAL is in seconds; its default is 60.",
    source="src/condor_negotiator.V6/matchmaker.cpp:reinitialize, negotiationTime, 25.14",
    find=_find,
)
