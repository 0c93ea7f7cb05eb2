"""What holds for every node and every choice: no danger for a daemon, and a plan of the promised form."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.plan import plan_slot
from htcq.capacity.presets import NAMES
from htcq.capacity.typical import typical_shapes
from htcq.claims.safety import dangers
from htcq.errors import ModelError
from htcq.node import Node
from htcq.report.views.plan import plan_json
from tests.properties.strategies import choices, nodes

NUMBER = (int, float)
JOB_KEYS: dict[str, Any] = {
    "shape": dict,
    "consumption": dict,
    "carved": dict,
    "fits": int,
    "match_cost": NUMBER,
    "standing_charge": NUMBER,
    "schedd_weight": int,
    "gap": dict,
    "problems": list,
}
SLOT_KEYS: dict[str, Any] = {
    "number": int,
    "count": int,
    "model": str,
    "splitting": str,
    "amounts": dict,
    "weight": NUMBER,
    "claims": dict,
    "asset_weights": dict,
    "limiting": str,
    "num_claims": int,
    "jobs": list,
    "together": dict,
    "changes": list,
}
PLAN_KEYS: dict[str, Any] = {
    "schema": int,
    "weight": NUMBER,
    "claims": dict,
    "asset_weights": dict,
    "limiting": str,
    "jobs": list,
    "slot_types": list,
}


def _slot(data: st.DataObject) -> tuple[Node, Slot]:
    """Return a random node and its one slot with a random model."""
    node = data.draw(nodes())
    choice = data.draw(choices(node))
    slot = _laid_out(node, choice, data.draw(st.booleans()))
    # Where the node is too small for what was drawn, saying so with a hint is all that is owed.
    assume(isinstance(slot, Slot))
    return node, slot


def _laid_out(node: Node, choice: Choice, literal: bool) -> Slot | None:
    """Return the slot, or None where the node cannot carry the model and the refusal has a hint."""
    try:
        return lay_out(node, (SlotType(choice),), literal)[0]
    except ModelError as error:
        if not error.hint:
            raise
        return None


@given(st.data())
@settings(max_examples=50)
def test_no_model_on_any_node_is_dangerous(data: st.DataObject) -> None:
    _, slot = _slot(data)

    share = getattr(slot.counted, "share", "")
    assert dangers(slot.charges()) == [], share


@given(nodes(), st.sampled_from(NAMES), st.booleans())
@settings(max_examples=50)
def test_no_preset_on_any_node_is_dangerous(node: Node, preset: str, literal: bool) -> None:
    slot = _laid_out(node, Choice(preset=preset), literal)

    assert slot is None or dangers(slot.charges()) == []


@given(st.data())
@settings(max_examples=20)
def test_the_json_plan_has_the_promised_keys_and_types(data: st.DataObject) -> None:
    node, slot = _slot(data)
    shapes = typical_shapes(slot.total, slot.policy.cpu_shares)[:2]
    # Carving thousands of claims one by one says nothing more about the form.
    assume(slot.policy.num_claims <= 64)
    plan = json.loads(json.dumps(plan_json([plan_slot(slot, shapes, node.condor_version)])))

    _has(PLAN_KEYS, plan)
    for each in plan["slot_types"]:
        _has(SLOT_KEYS, each)
    for job in (*plan["jobs"], *plan["slot_types"][0]["jobs"]):
        _has(JOB_KEYS, job)
        assert set(job["gap"]) == {"standing_charge", "schedd_weight"}
        assert job["fits"] == 0 or job["carved"]
    assert len(plan["jobs"]) == len(shapes)


def _has(keys: dict[str, Any], found: dict[str, Any]) -> None:
    assert sorted(keys) == sorted(found)
    assert [name for name, kind in keys.items() if not isinstance(found[name], kind)] == []
