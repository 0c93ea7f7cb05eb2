"""A slot with a consumption policy has fewer claim ids than jobs would fit on it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, number, on_slots, slots_by
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.units import CPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        trials = evidence.trials.own(kind) or evidence.trials.of(kind)
        most = max(trials, key=lambda trial: trial.fits(kind), default=None)
        if most is None:
            continue
        room = most.fits(kind)
        for claims, slots in slots_by(kind, "NumClaims").items():
            if 0 < claims < room:
                yield on_slots(
                    kind,
                    cause=f"{number(claims)} claims on {number(kind.total.get(CPUS))} cpus",
                    message=f"{room} times {most.job} would fit ({amounts_text(most.taken)} each), but with "
                    f"{number(claims)} claim ids the slot leaves the cycle after as many matches",
                    facts=(Fact("NumClaims", number(claims)),),
                    fix=f"NUM_CLAIMS = {room}",
                    slots=slots,
                )


RULE = Rule(
    id="too-few-claims",
    severity=Severity.WARNING,
    needs=(Need.SLOTS,),
    summary="A slot with a consumption policy has fewer claim ids than jobs would fit on it",
    consequence=(
        "Each match of a cycle uses up one claim id. When there is none left the negotiator drops the slot for the "
        "rest of the cycle, whatever it still has: it fills over several cycles."
    ),
    fix="Set NUM_CLAIMS to the number of the smallest jobs that fit, and restart the startd.",
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingProtocol, 25.14",
    find=_find,
)
