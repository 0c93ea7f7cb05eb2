"""A time limit of the negotiator leaves no time for any submitter, or hardly any."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.knobs import number_of
from htcq.simulate.cycle.time_limits import TIME_LIMITS, default_limit
from htcq.why.match_failure import CYCLE_ENDED_EARLY

#: Seconds that are hardly ever meant: one schedd that answers slowly takes as long.
_SHORT = 5


def _find(evidence: Evidence) -> Iterator[Found]:
    for knob in TIME_LIMITS:
        default = str(default_limit(knob))
        seconds = number_of(evidence.setting(knob, default).strip())
        if seconds is None or seconds >= _SHORT:
            continue
        what = "nothing is matched"
        severity = None
        if seconds > 0:
            severity = Severity.WARNING
            what = "submitters are left before their jobs are matched when a schedd answers slowly"
        yield Found(
            cause=knob,
            subject=f"knob {knob}",
            message=f"{knob} = {seconds:g}: {what}",
            facts=(knob_fact(evidence, knob),),
            severity=severity,
            settings=(
                Setting(
                    Role.CENTRAL, knob, default,
                    file=knob_fact(evidence, knob).place.rpartition(":")[0],
                ),
            ),
            is_root=True,
            implies=() if seconds > 0 else (CYCLE_ENDED_EARLY,),
        )  # fmt: skip


RULE = Rule(
    id="negotiation-time-limit",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL,),
    summary="A time limit of the negotiator leaves no time for any submitter",
    consequence=(
        "The negotiator leaves a submitter, a schedd or the cycle as soon as nothing remains of "
        "the limit. With 0 it leaves before the first match: no job starts, and no daemon reports "
        "an error."
    ),
    advice=(
        "Remove the knob or use HTCondor's default. The limits guard against schedds that do not "
        "answer; they do not shorten cycles of a healthy pool."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, 25.14; 0 seen on 25.14.1: "
        "nothing is matched"
    ),
    find=_find,
)
