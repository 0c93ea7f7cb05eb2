"""What every model promises, in every state of every slot."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import assume, given
from hypothesis import strategies as st

from htcq.capacity.model import match_cost
from htcq.claims.planned import deduct
from tests.properties.strategies import Case, cases, shapes, states


def fits(taken: Mapping[str, int], left: Mapping[str, int]) -> bool:
    """Return whether the negotiator would let a claim of ``taken`` match."""
    return any(taken.values()) and all(
        0 <= amount <= left[asset] for asset, amount in taken.items()
    )


def claim(case: Case, left: Mapping[str, int], shape: Mapping[str, float]) -> dict[str, int] | None:
    """Return what a job of ``shape`` takes of ``left``; None where it does not fit."""
    taken = case.model.consumption(case.whole(shape), left, case.total)
    return taken if fits(taken, left) else None


@given(st.data())
def test_weight_is_never_negative_not_even_on_an_overdrawn_slot(data: st.DataObject) -> None:
    case = data.draw(cases())
    left = data.draw(states(case.total))
    overdrawn = data.draw(st.sampled_from(sorted(left)))

    assert case.model.weight(left, case.total) >= 0
    assert case.model.weight({**left, overdrawn: -data.draw(st.integers(1, 10))}, case.total) >= 0


@given(st.data())
def test_weight_never_grows_when_an_asset_falls(data: st.DataObject) -> None:
    case = data.draw(cases())
    left = data.draw(states(case.total))
    falling = data.draw(st.sampled_from(sorted(left)))
    fallen = {**left, falling: data.draw(st.integers(0, left[falling]))}

    assert case.model.weight(fallen, case.total) <= case.model.weight(left, case.total)


@given(st.data())
def test_costs_add_up_to_the_weight_lost_and_every_claim_costs(data: st.DataObject) -> None:
    """Whatever the order and size of the claims; no match is ever free, the rule max included."""
    case = data.draw(cases())
    left, paid = dict(case.total), 0
    for _ in range(8):
        shape = data.draw(shapes(case.total, most=6))
        taken = claim(case, left, shape)
        if taken is None:
            continue
        cost = match_cost(case.model, case.whole(shape), left, case.total)
        assert cost >= 1
        left, paid = deduct(left, taken), paid + cost

    assert paid == case.model.weight(case.total, case.total) - case.model.weight(left, case.total)


@given(st.data())
def test_a_claim_takes_at_least_what_it_asks_and_what_it_is_charged(data: st.DataObject) -> None:
    case = data.draw(cases("minimum quantized fixed"))
    left = data.draw(states(case.total))
    request = case.whole(data.draw(shapes(case.total)))
    taken = case.model.consumption(request, left, case.total)

    if getattr(case.model, "share", "") != "none":
        assert all(taken[asset] >= request[asset] for asset in request if asset in taken)
    assert all(
        taken[asset] >= charge for asset, charge in getattr(case.model, "charges", {}).items()
    )


@given(st.data())
def test_a_claim_with_whole_charges_takes_multiples_of_them(data: st.DataObject) -> None:
    case = data.draw(cases("minimum").filter(lambda case: case.model.whole))
    left = data.draw(states(case.total))
    taken = case.model.consumption(case.whole(data.draw(shapes(case.total))), left, case.total)

    assert {
        asset: taken[asset] % charge for asset, charge in case.model.charges.items()
    } == dict.fromkeys(case.model.charges, 0)


@given(st.data())
def test_claims_until_nothing_fits_never_exceed_the_slot(data: st.DataObject) -> None:
    """Nothing is lost or invented: what all claims took and what is left are the slot."""
    case = data.draw(cases())
    shape = data.draw(shapes(case.total, most=4))
    left, handed_out, claims = dict(case.total), dict.fromkeys(case.total, 0), 0
    weight = case.model.weight(case.total, case.total)
    for _ in range(80):
        taken = claim(case, left, shape)
        if taken is None:
            break
        claims += 1
        left = deduct(left, taken)
        handed_out = {asset: handed_out[asset] + taken[asset] for asset in handed_out}

    assert claims <= weight
    assert all(handed_out[asset] <= amount for asset, amount in case.total.items())
    assert {asset: handed_out[asset] + left[asset] for asset in left} == dict(case.total)


@given(st.data())
def test_a_claim_in_whole_shares_that_asks_for_what_it_consumes_consumes_the_same(
    data: st.DataObject,
) -> None:
    """Whatever is left, and the same again after the claim was carved; test_expressions has the texts."""
    case = data.draw(
        cases("quantized fixed").filter(lambda case: getattr(case.model, "share", "") != "none")
    )
    request = case.whole(data.draw(shapes(case.total)))
    left = data.draw(states(case.total))
    taken = case.model.consumption(request, left, case.total)

    if not fits(taken, left):
        return
    assert case.model.consumption({**request, **taken}, left, case.total) == taken
    after = data.draw(states(case.total))
    again = case.model.consumption(request, after, case.total)
    assert again == taken


@given(st.data())
def test_the_quanta_of_a_slot_are_exactly_the_slot(data: st.DataObject) -> None:
    """With the rule min: as many claims of one quantum as there are levels leave less than a quantum."""
    case = data.draw(cases("quantized").filter(lambda case: case.model.rule == "min"))
    levels = min(case.model.levels.values())
    counted = {
        asset: levels
        for asset in case.model.levels
        if case.total[asset] % levels < case.total[asset] // levels
    }
    assume(counted)
    model = type(case.model)(counted, "min", case.model.cpu_shares)
    left = dict(case.total)
    for _ in range(levels):
        request = dict.fromkeys(case.total, 0)
        taken = model.consumption(request, left, case.total)
        assert fits(taken, left)
        left = deduct(left, taken)

    assert model.weight(left, case.total) == 0
    assert {asset: left[asset] for asset in counted} == {
        asset: case.total[asset] % levels for asset in counted
    }


@given(st.data())
def test_quanta_in_any_portions_are_exactly_the_slot(data: st.DataObject) -> None:
    """Claims of several quanta, in any order, leave less than a quantum once they have all quanta."""
    case = data.draw(cases("quantized").filter(lambda case: case.model.rule == "min"))
    asset, levels = data.draw(st.sampled_from(sorted(case.model.levels.items())))
    model = type(case.model)({asset: levels}, "min", case.model.cpu_shares)
    total = {asset: case.total[asset]}
    left = dict(total)
    while model.weight(left, total):
        quanta = data.draw(
            st.integers(max(1, model.weight(left, total) // 3), model.weight(left, total))
        )
        request = _worth(quanta, total[asset], levels)
        taken = model.consumption({asset: request}, left, total)
        assert fits(taken, left)
        left = deduct(left, taken)

    assert left[asset] < total[asset] // levels


def _worth(quanta: int, total: int, levels: int) -> int:
    """Return a request of about ``quanta`` quanta, not above what the smallest quanta that it is charged are worth."""
    request = quanta * (total // levels)
    while request > (worth := -(-request * levels // total) * (total // levels)):
        request = worth
    return request
