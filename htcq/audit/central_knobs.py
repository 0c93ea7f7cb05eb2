"""Knobs of the central manager that do not go with consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Fact, Found


def beside_policies(evidence: Evidence, name: str, message: str, sound: str) -> Iterator[Found]:
    """Yield one finding on the knob ``name`` if any slot has a consumption policy.

    ``sound`` is the value that the knob needs.
    """
    kinds = evidence.with_policy
    if not kinds:
        return
    knob = knob_fact(evidence, name)
    count = sum(kind.count for kind in kinds)
    slots = f"{count} slots have consumption policies"
    if count == 1:
        slots = "1 slot has a consumption policy"
    yield Found(
        cause=f"{name} = {knob.value}",
        subject=f"knob {name}",
        message=f"{name} is {knob.value}, and {slots}: {message}",
        facts=(knob, Fact("slots with a policy", f"{count}, such as {kinds[0].first.name}")),
        settings=(central(evidence, name, sound),),
    )
