"""The emitted expressions, evaluated by HTCondor's own library, are the arithmetic of the models."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from htcq.capacity.model import match_cost
from htcq.claims.planned import job_ad
from htcq.policy.claim import lack
from htcq.units import BUILT_IN_ASSETS
from tests.properties.strategies import cases, shapes, states


@given(st.data())
def test_weight_and_consumption_equal_the_arithmetic(data: st.DataObject) -> None:
    """On any state of any slot, for any request, portable or literal."""
    case = data.draw(cases())
    charges = case.charges
    for _ in range(4):
        left = data.draw(states(case.total))
        shape = data.draw(shapes(case.total))
        slot = charges.pslot(left)

        assert case.model.weight(left, case.total) == charges.weight(slot)
        assert case.model.consumption(case.whole(shape), left, case.total) == charges.consumed(
            slot, job_ad(shape)
        )


@given(st.data())
def test_match_cost_equals_the_arithmetic(data: st.DataObject) -> None:
    """W(R) - W(R') of HTCondor's evaluation is that of the model, for every claim that fits."""
    case = data.draw(cases())
    charges = case.charges
    left = data.draw(st.one_of(st.just(dict(case.total)), states(case.total)))
    shape = data.draw(shapes(case.total, most=3))
    taken = charges.consumed(charges.pslot(left), job_ad(shape))

    assert (lack(left, taken)[0] is None) == (
        any(taken.values()) and all(left[asset] >= amount for asset, amount in taken.items())
    )
    if lack(left, taken)[0] is None:
        cost = match_cost(case.model, case.whole(shape), left, case.total)
        assert cost == charges.cost(left, taken)
        # Of a remainder that no claims of the model leave, a claim may take what counts for nothing
        # (test_models has the claims that a slot sees).
        assert cost >= int(left == case.total)


@given(st.data())
@settings(max_examples=100)
def test_a_claim_from_the_full_slot_is_charged_for_life_at_least_what_its_match_cost(
    data: st.DataObject,
) -> None:
    """The dynamic slot's own weight never undercuts the match cost on a fresh slot, and a demand is never zero."""
    case = data.draw(cases("minimum"))
    charges = case.charges
    shape = data.draw(shapes(case.total))
    taken = charges.consumed(charges.pslot(case.total), job_ad(shape))

    assert charges.schedd_weight(job_ad(shape)) >= 1
    if lack(case.total, taken)[0] is None:
        assert charges.weight(charges.dynamic_ad(taken)) >= 1
        dominant = max(-(-taken[asset] // charge) for asset, charge in case.model.charges.items())
        # No claim is charged more than the whole slot weighs.
        most = [
            case.total[asset] // c
            for asset, c in case.model.charges.items()
            if asset in BUILT_IN_ASSETS
        ]
        if most:
            dominant = min(dominant, max(1, min(most)))
        assert dominant == charges.weight(charges.dynamic_ad(taken))
