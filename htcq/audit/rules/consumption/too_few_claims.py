"""A slot with a consumption policy has fewer claim ids than jobs would fit on it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import execute
from htcq.audit.policies import amounts_text, number, on_slots, slots_by
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.trials import Trial
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        most = _smallest(evidence, kind)
        if most is None:
            continue
        room = most.fits(kind)
        for claims, slots in slots_by(kind, "NumClaims").items():
            if 0 < claims < room:
                yield on_slots(
                    kind,
                    cause=f"{number(claims)} claims on {number(kind.total.get(CPUS))} cpus",
                    message=(
                        f"{room} times {most.job} would fit ({amounts_text(most.taken)} each), "
                        f"but with {number(claims)} claim ids the slot leaves the cycle after as "
                        "many matches"
                    ),
                    facts=(Fact("NumClaims", number(claims)),),
                    settings=execute(evidence, slots, "NUM_CLAIMS", str(room)),
                    slots=slots,
                )


def _smallest(evidence: Evidence, kind: SlotClass) -> Trial | None:
    """Return the job of which most fit on the slots."""
    trials = evidence.trials.own(kind) or evidence.trials.of(kind)
    return max(trials, key=lambda trial: trial.fits(kind), default=None)


def claims_for(evidence: Evidence, kind: SlotClass) -> str:
    """Return how many claims slots of ``kind`` need.

    They need as many as the smallest jobs fit, and at least one for each cpu.
    """
    most = _smallest(evidence, kind)
    room = 0
    if most is not None:
        room = most.fits(kind)
    return str(max(1, int(kind.total.get(CPUS, 1)), room))


RULE = Rule(
    id="too-few-claims",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary="A slot with a consumption policy has fewer claim ids than jobs would fit on it",
    consequence=(
        "Each match uses up one claim id of the slot. When none is left, the negotiator drops "
        "the slot for the rest of the cycle, even if it is not full: the slot takes several "
        "cycles to fill."
    ),
    advice="Set NUM_CLAIMS to the number of the smallest jobs that fit, and restart the startd.",
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingProtocol, 25.14",
    find=_find,
)
