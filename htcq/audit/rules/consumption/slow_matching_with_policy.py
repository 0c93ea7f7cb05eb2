"""A few slots with consumption policies slow the negotiator down for all others."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    kinds = evidence.with_policy
    all_ = sum(kind.count for kind in evidence.offered)
    count = sum(kind.count for kind in kinds)
    if 0 < count < all_:
        yield Found(
            cause="some slots have policies",
            subject=f"slot {kinds[0].first.name}",
            message=(
                f"{count} of {all_} slots have a consumption policy: matching is slower on all "
                "slots"
            ),
            facts=(Fact("slots with a policy", str(count)), Fact("slots", str(all_))),
            count=count,
            examples=kinds[0].examples,
        )


RULE = Rule(
    id="slow-matching-with-policy",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="Only some slots of the pool have consumption policies",
    consequence=(
        "If at least one slot has a policy, the negotiator does not optimize job ads for "
        "matching with any slot: cycles take longer."
    ),
    advice=(
        "Nothing needs to be done unless cycles are too long: then give all slots a policy, or "
        "none."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:obtainAdsFromCollector, negotiate, 25.14",
    find=_find,
)
