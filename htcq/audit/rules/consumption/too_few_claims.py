"""A slot with a consumption policy has fewer claim ids than jobs would fit on it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, number, on_slots
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.classads import as_number
from htcq.pool.kind import Kind
from htcq.pool.slot import Number


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        claims = _fewest(kind)
        if claims is None or claims <= 0:
            continue
        trials = evidence.trials.own(kind) or evidence.trials.of(kind)
        most = max(trials, key=lambda trial: trial.fits(kind), default=None)
        if most is not None and most.fits(kind) > claims:
            fits = most.fits(kind)
            yield on_slots(
                kind,
                cause=f"{number(claims)} claims for {fits} jobs",
                message=f"{fits} times {most.job} would fit ({amounts_text(most.taken)} each), but with "
                f"{number(claims)} claim ids the slot leaves the cycle after as many matches",
                facts=(Fact("NumClaims", number(claims)),),
                fix=f"NUM_CLAIMS = {fits}",
            )


def _fewest(kind: Kind) -> Number | None:
    """Return the smallest NumClaims of the slots; None where none says it."""
    claims = [as_number(slot.frame.value("NumClaims")) for slot in kind.variants]
    return min((each for each in claims if each is not None), default=None)


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
