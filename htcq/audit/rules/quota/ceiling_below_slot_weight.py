"""A submitter's ceiling is smaller than what its cheapest match costs."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.demand import Submitter


def _least(evidence: Evidence, submitter: Submitter) -> tuple[SlotClass, Number] | None:
    """Return the cheapest match of a submitter.

    Where its jobs are not known, None unless no slot has a consumption policy.
    """
    found: list[tuple[SlotClass, Number]] = []
    if evidence.pool.jobs is None:
        if not evidence.with_policy:
            found += ((kind, kind.plain_weight()) for kind in evidence.offered)
    else:
        matches = map(evidence.cheapest, evidence.waiting.get(submitter.name, ()))
        found += (each for each in matches if each is not None)
    return min(found, key=lambda each: each[1], default=None)


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    quotas = evidence.quotas
    if evidence.pool.jobs is None and evidence.with_policy:
        yield Unchecked(evidence.words(Input.JOBS))
    if not quotas.settings.use_slot_weights:
        return
    for submitter in quotas.submitters:
        account = quotas.accounts.get(submitter.name)
        ceiling = None if account is None else account.number("Ceiling")
        if ceiling is None or ceiling <= 0 or not submitter.idle:
            continue
        least = _least(evidence, submitter)
        if least is not None and least[1] > ceiling:
            kind, cost = least
            yield Found(
                cause="ceiling",
                subject=f"submitter {submitter.name}",
                message=(
                    f"{submitter.name} has a ceiling of {ceiling}, but its cheapest match costs "
                    f"{cost:g}: one match exceeds the ceiling"
                ),
                facts=(Fact("Ceiling", str(ceiling)), Fact("SlotWeight", kind.weight_text)),
                examples=(submitter.name,),
            )


RULE = Rule(
    id="ceiling-below-slot-weight",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.SUBMITTERS, Input.ACCOUNTING),
    summary="A submitter's ceiling is smaller than the cost of any match of its jobs",
    consequence=(
        "Ceilings are whole numbers and are checked before a match, not after it: the last match "
        "exceeds the ceiling by its cost. While the lightest slot of the pool weighs more than "
        "what is left, the negotiator skips the submitter."
    ),
    advice="Set a ceiling that is a multiple of the match cost: condor_userprio -setceil.",
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, negotiate, 25.14",
    find=_find,
)
