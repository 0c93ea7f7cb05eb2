"""A list in quantize() charges jobs for an optional asset that they do not ask for."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.optional import Unasked, unasked
from htcq.audit.policies import (
    consumption_fact,
    consumption_settings,
    number,
    on_slots,
    safe_request,
)
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for each in unasked(evidence):
        amount = each.within_limits
        if amount is not None and amount > 0 and _rounds(each) and not each.whole_slot:
            name, total = attribute(each.asset), each.kind.total[each.asset]
            charged = number(amount)
            then = f"{number(total)} such jobs use up all of them"
            if total < amount:
                then = "no such job matches"
            yield on_slots(
                each.kind,
                cause=f"{name}: {each.kind.consumption[each.asset]}",
                message=(
                    f"a job without Request{name} consumes {charged} of the slot's "
                    f"{number(total)} {each.asset}: {then}"
                ),
                facts=(consumption_fact(each.kind, each.asset),),
                settings=consumption_settings(
                    evidence, each.kind, each.asset, safe_request(each.asset)
                ),
            )


def _rounds(each: Unasked) -> bool:
    """Return whether the rounding is what charges the job.

    A constant, or max({1, …}), is meant to charge every job.
    """
    expression = each.kind.first.frame.expression(f"Consumption{each.asset}")
    if expression is None:
        return False
    words = expression.words()
    return "quantize" in words and f"request{each.asset}" in words


RULE = Rule(
    id="optional-asset-charged",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="Jobs that do not request an optional asset are charged one unit of it",
    consequence=(
        "With a list as its second argument, quantize() returns the first element of the list "
        "that is large enough, "
        "also for 0: quantize(0, {1}) is 1. Jobs without the request use up GPUs, for example, "
        "that other jobs need, "
        "and do not match if none are left."
    ),
    advice="Do not quantize a request that may be 0 with a list.",
    source="src/classad/fnCall.cpp:doMath2, 25.14; seen on 25.14.1",
    find=_find,
)
