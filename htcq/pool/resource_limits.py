"""WithinResourceLimits as a startd writes it.

Follows src/condor_startd.V6/ResAttributes.cpp (withinLimitsExpression,
consumptionLimitsExpression), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable

from htcq.units import BUILT_IN_ASSETS, attribute

#: What MachineResources lists and no policy consumes.
SWAP = "swap"


def limits_without_policy(assets: Iterable[str]) -> list[str]:
    """Return the conditions for a slot that has no consumption policy."""
    parts = [
        f"MY.{name} > 0 && TARGET.Request{name} <= MY.{name}"
        for name in map(attribute, BUILT_IN_ASSETS)
    ]
    parts += [
        f"(TARGET.Request{name} =?= undefined || MY.{name} >= TARGET.Request{name})"
        for name in assets
        if name.lower() not in (*BUILT_IN_ASSETS, SWAP)
    ]
    return parts


def limits_by_policy(assets: Iterable[str]) -> list[str]:
    """Return the conditions for a slot whose consumption policy has ``assets``.

    What the negotiator has written into the request is what the policy consumes.
    """
    return [
        f"ifThenElse(TARGET._cp_orig_Request{name} =?= undefined, MY.Consumption{name}, "
        f"TARGET.Request{name}) <= "
        f"MY.{name}"
        for name in sorted(assets, key=str.lower)
    ]
