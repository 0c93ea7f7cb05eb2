"""MODIFY_REQUEST_EXPR_* makes requests larger than any slot of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.example_slots import on_examples
from htcq.audit.fix_settings import execute
from htcq.audit.nodes import Modification, modifications
from htcq.audit.policies import knob_as_fact, number, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.claims.startds import modifier
from htcq.policy.claim import modified
from htcq.policy.defaults import MODIFIED
from htcq.pool.autocluster import made_up
from htcq.pool.configuration import Configuration
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, MEMORY, attribute

#: How many requests are tried, from the smallest to the whole slot.
_STEPS = 32
#: A request for less than this part of the slot that can never start is noteworthy.
_MOST = 0.9
#: What the other assets of a tried request are.
_LEAST: Mapping[str, Number] = {CPUS: 1, MEMORY: 128, DISK: 1024}
#: The knob by which a file says itself what a machine has.
_SAYS = {CPUS: "NUM_CPUS", MEMORY: "MEMORY", DISK: "DISK"}


def _find(evidence: Evidence) -> Iterator[Found]:
    examples = on_examples(evidence)
    for kind in examples.partitionable:
        for modification in modifications(examples, kind, assumed=False):
            # Another startd falls back on the request as it came.
            if not modification.startd.must_modify:
                continue
            for asset in MODIFIED:
                if examples is evidence or _is_said(modification, asset):
                    yield from _too_large(examples, kind, modification, asset)


def _is_said(modification: Modification, asset: str) -> bool:
    """Return whether the configuration says by itself how much of ``asset`` there is."""
    configuration: Configuration | None = None
    if modification.node is not None:
        configuration = modification.node.configuration
    return configuration is not None and _SAYS[asset] in configuration


def _too_large(
    evidence: Evidence, kind: SlotClass, modification: Modification, asset: str
) -> Iterator[Found]:
    have = kind.total.get(asset) or 0
    expression = modification.startd.modify.get(asset)
    if expression is None or have <= 0:
        return
    tried = {amount: _became(kind, modification, asset, amount) for amount in _requests(have)}
    fitting = [amount for amount, became in tried.items() if became <= have]
    most = max(fitting, default=0)
    if most >= have * _MOST:
        return
    refused = min(amount for amount in tried if amount > most)
    which = f"every request for {asset}" if not fitting else f"a request for more than {most:g}"
    knob = modification.knobs[asset]
    # Slots of one class may be of machines that change requests differently.
    own = [slot for slot in kind.slots if evidence.startds.of(slot) is modification.startd]
    places = [slot for slot in kind.places if evidence.startds.of(slot) is modification.startd]
    yield on_slots(
        kind,
        cause=f"{asset}: {knob.value}",
        message=(
            f"{knob.name} makes {number(tried[refused])} of a request for {number(refused)}, and "
            f"the slot has {number(have)} of {asset}: {which} is matched and refused, again and "
            "again"
        ),
        facts=(knob_as_fact(knob), Fact(f"TotalSlot{attribute(asset)}", number(have))),
        severity=None if not fitting else Severity.WARNING,
        slots=own,
        settings=execute(evidence, places, modifier(asset), "UNDEFINED"),
    )


def _requests(have: Number) -> list[int]:
    steps = {max(1, int(have * step / _STEPS)) for step in range(1, _STEPS + 1)}
    return sorted({1, *steps})


def _became(kind: SlotClass, modification: Modification, asset: str, amount: int) -> Number:
    job = made_up("", {**_LEAST, asset: amount})
    changed = modified(modification.startd, kind.ad(kind.total), job)
    value = changed.get(f"Request{attribute(asset)}", amount)
    return value if isinstance(value, (int, float)) else amount


RULE = Rule(
    id="modified-request-above-slot",
    severity=Severity.ERROR,
    needs=(Input.SHAPES, Input.EXECUTE),
    summary="MODIFY_REQUEST_EXPR_* makes a request larger than the slot that it was matched with",
    consequence=(
        "With MUST_MODIFY_REQUEST_EXPRS the startd carves what the expression says, and never the "
        "request as it came. Where that is more than the slot has, the claim is refused after the "
        "match; the negotiator matches the same job with the same slot in the next cycle, and no "
        "such job ever starts."
    ),
    advice=(
        "Make the chunk a divisor of what the slot has, or leave the request as it is "
        "(UNDEFINED), or turn MUST_MODIFY_REQUEST_EXPRS off."
    ),
    source="src/condor_startd.V6/Resource.cpp:create_dslot, 25.14",
    find=_find,
)
