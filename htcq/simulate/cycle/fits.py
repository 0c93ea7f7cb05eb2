"""What a request takes of a slot, and whether it fits, worked out once for all slots of one frame.

Follows cp_compute_consumption of src/condor_utils/consumption_policy.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from typing import Optional

from htcq.classads import Value, as_number, named
from htcq.policy.claim import request_of, stand_in
from htcq.pool.slot import Number, Slot
from htcq.simulate.cycle.cached_expressions import Amounts, CachedExpression, ReferenceGraph
from htcq.simulate.cycle.conditions import Conditions
from htcq.simulate.cycle.queues import Request
from htcq.units import attribute

#: What a request takes of each asset, in their order; None where it is no number.
Taken = tuple[Optional[Number], ...]


class Fitting:
    """What one request asks of all slots that share the frame of ``slot``.

    By consumption ``policy`` or without.
    """

    def __init__(self, slot: Slot, request: Request, policy: bool, links: ReferenceGraph) -> None:
        self._request, self._links, self.assets = request, links, slot.assets
        self._looks = (
            tuple(self._consumption(slot, asset) for asset in slot.assets) if policy else ()
        )
        self._constant = (
            self._taken(slot, {}) if all(look.constant for look in self._looks) else None
        )
        self._tests: dict[Taken, Conditions] = {}
        #: What matches cost, by what decides that; None where a weight is no number.
        self.costs: dict[tuple[object, ...], float | None] = {}

    def _consumption(self, slot: Slot, asset: str) -> CachedExpression:
        expression = named(f"Consumption{attribute(asset)}")
        instead = stand_in(self._request.frame, asset)
        names = self._links.reached(expression.words(), slot.frame, self._request.frame)
        changed: dict[str, Value] = {} if instead is None else {request_of(asset): instead}
        return CachedExpression(expression, names, self.assets, self._request, changed=changed)

    def taken(self, slot: Slot, amounts: Amounts) -> Taken:
        """Return what the request takes of ``slot`` with ``amounts`` left.

        Nothing without a policy.
        """
        return self._constant if self._constant is not None else self._taken(slot, amounts)

    def _taken(self, slot: Slot, amounts: Amounts) -> Taken:
        return tuple([as_number(look.of(slot, amounts)) for look in self._looks])

    @property
    def takes_the_same(self) -> bool:
        """Whether the request takes the same of all slots of the frame."""
        return self._constant is not None

    def conditions(self, slot: Slot, taken: Taken) -> Conditions:
        """Return the conditions of both sides for a request on slots like ``slot``."""
        test = self._tests.get(taken)
        if test is None:
            test = self._tests[taken] = Conditions(
                slot, self._request, dict(zip(self.assets, taken)), self._links
            )
        return test

    def fits(self, slot: Slot, amounts: Amounts, taken: Taken) -> bool:
        """Tell whether both sides agree, where the request takes so much of the slot."""
        test = self._tests.get(taken)
        if test is None:
            test = self.conditions(slot, taken)
        return test.passed(slot, amounts)
