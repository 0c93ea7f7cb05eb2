"""More allocation rounds than usual: they do not give the same submitters another try."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.settings import Settings

_KNOB = "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    usual = Settings().max_rounds
    if quotas.grouped and quotas.settings.max_rounds > usual:
        yield Found(
            cause=_KNOB,
            subject=f"knob {_KNOB}",
            message=(
                f"{quotas.settings.max_rounds} rounds ({usual} are the default) do not retry the "
                "same submitters"
            ),
            facts=(knob_fact(evidence, _KNOB),),
            settings=(central(evidence, _KNOB, str(usual)),),
        )


RULE = Rule(
    id="rounds-do-not-retry",
    severity=Severity.INFO,
    needs=(Input.CENTRAL,),
    summary="Later allocation rounds do not retry submitters that are finished",
    consequence=(
        "A submitter whose jobs were all matched or rejected leaves the cycle. Later rounds give "
        "the unused quota of its group to other groups, and never negotiate with it again."
    ),
    advice="Leave the number of rounds at its default.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, 25.14; 'no submitters' in a "
        "log of 25.14.1"
    ),
    find=_find,
)
