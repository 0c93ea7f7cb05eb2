"""What must hold for a request and a slot to match.

The two Requirements, taken apart once for all slots of one frame.

Most of what they say is the same for all those slots, or compares what a slot has left with a
number. Only the rest is evaluated slot by slot. Follows matchmakingAlgorithm of
src/condor_negotiator.V6/matchmaker.cpp and cp_sufficient_assets of
src/condor_utils/consumption_policy.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Container, Mapping, Sequence

from htcq.classads import Expr, Missing, Value, as_number, holds
from htcq.policy.claim import never_matched, overridden
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.slot import PLACES, Number, Slot
from htcq.simulate.cycle.cached_expressions import (
    ANY_NAME,
    Amounts,
    CachedExpression,
    ReferenceGraph,
    job_ad,
)
from htcq.simulate.cycle.clauses import bare, choice, comparison, conjuncts, disjuncts
from htcq.simulate.cycle.queues import Request

_REFERENCE = re.compile(r"(?:(my|target)\s*\.\s*)?([a-z_][a-z0-9_]*)\Z", re.IGNORECASE)
COMPARE: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
#: An asset that a slot has left, how that is compared, and with which number.
Compared = tuple[str, Callable[[Number, Number], bool], Number]
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: Up to here all whole numbers are reals, so that it does not matter as what they are compared.
_EXACT = 2**53


class Conditions:
    """All that must hold where a request takes ``taken``; empty without a consumption policy."""

    def __init__(
        self,
        slot: Slot,
        request: Request,
        taken: Mapping[str, Number | None],
        links: ReferenceGraph,
    ) -> None:
        self._slot, self._request, self._links, self._assets = slot, request, links, slot.assets
        self._varying = PLACES.keys() | set(slot.assets)
        self._never = False
        self._bounds: dict[tuple[str, str], Number] = {}
        self._rest: list[CachedExpression] = []
        self._changed = overridden(job_ad(request), taken)
        for asset, amount in taken.items():
            if amount is not None:
                self._bound(asset, ">=", amount)
        self._never = bool(taken) and never_matched(taken) is not None
        if not self._never:
            self._take_apart()
        bounds = self._bounds.items()
        self._compared = tuple(
            (asset, COMPARE[operator], number) for (asset, operator), number in bounds
        )

    @property
    def compared(self) -> Sequence[Compared]:
        """What is compared with numbers.

        Where that is equal, only ``looks`` tell slots of the frame apart.
        """
        return () if self._never else self._compared

    @property
    def looks(self) -> Sequence[CachedExpression]:
        """What is evaluated slot by slot."""
        return () if self._never else self._rest

    def passed(self, slot: Slot, amounts: Amounts) -> bool:
        """Tell whether all of it holds."""
        if self._never:
            return False
        for asset, compare, number in self._compared:
            if not compare(amounts[asset], number):
                return False
        return all(holds(look.of(slot, amounts)) for look in self._rest)

    # Taking apart
    # ----------------------------------------------------------------------------------------------

    def _take_apart(self) -> None:
        self._slot_ad, self._job_ad = self._slot.ad(), job_ad(self._request, self._changed)
        for in_job, frame in ((True, self._request.frame), (False, self._slot.frame)):
            if frame.endless:
                self._look("Requirements", in_job)
                continue
            # An ad without Requirements matches nothing; the name alone would stand for those of
            # the other ad.
            is_there = frame.text("Requirements") != ""
            self._all("Requirements" if is_there else "undefined", in_job, frozenset())

    def _all(self, text: str, in_job: bool, path: frozenset[str]) -> None:
        parts = conjuncts(text)
        if any(self._links.parsed(part) is None for part in parts):
            parts = (text,)
        for part in parts:
            if not self._never:
                self._clause(part, in_job, path)

    def _clause(self, text: str, in_job: bool, path: frozenset[str]) -> None:
        if self._constant(text):
            self._never = not holds(self._value(text, in_job))
            return
        simpler = self._chosen(text, in_job) or self._without_first(text, in_job)
        if simpler is not None:
            self._all(simpler, in_job, path)
            return
        inner = self._attribute(text, in_job)
        if inner is not None and text.lower() not in path:
            self._all(inner, in_job, path | {text.lower()})
        elif not self._compared_with(text, in_job):
            self._look(text, in_job)

    def _chosen(self, text: str, in_job: bool) -> str | None:
        """Return that argument of ifThenElse that counts for all slots."""
        found = choice(text)
        value = self._value(found[0], in_job) if found and self._constant(found[0]) else None
        return None if found is None or not isinstance(value, bool) else found[1 if value else 2]

    def _without_first(self, text: str, in_job: bool) -> str | None:
        """Return what is left to hold of an ``||`` whose first part is settled."""
        parts = disjuncts(text)
        if len(parts) < 2 or not self._constant(parts[0]):
            return None
        value = self._value(parts[0], in_job)
        if not isinstance(value, bool):
            return None
        return "true" if value else " || ".join(f"({part})" for part in parts[1:])

    def _attribute(self, text: str, in_job: bool) -> str | None:
        """Return the expression of the attribute of the ad itself that ``text`` names."""
        found = _REFERENCE.match(text)
        frame, own = (self._request.frame, JOB_PLACES) if in_job else (self._slot.frame, PLACES)
        name = found.group(2).lower() if found else ""
        scope = (found.group(1) or "").lower() if found else ""
        changed = {each.lower() for each in self._changed} if in_job else set(self._assets)
        if scope == "target" or name in own or name in changed or frame.expression(name) is None:
            return None
        return frame.text(name)

    def _compared_with(self, text: str, in_job: bool) -> bool:
        """Note a comparison of what a slot has left with a number; tell whether ``text`` is one."""
        found = comparison(text)
        if found is None:
            return False
        for asset_text, operator_, other in (
            found,
            (found.right, _TURNED[found.operator], found.left),
        ):
            asset = asset_named(asset_text, self._assets, self._request if in_job else None)
            if asset and self._constant(other):
                value = self._value(other, in_job)
                if isinstance(value, (str, Missing)):
                    self._never = True
                    return True
                number = None if isinstance(value, bool) else as_number(value)
                if number is not None and abs(number) < _EXACT:
                    self._bound(asset, operator_, number)
                    return True
        return False

    def _bound(self, asset: str, operator_: str, number: Number) -> None:
        tighter = max if operator_[0] == ">" else min
        key = (asset, operator_)
        self._bounds[key] = tighter(number, self._bounds.get(key, number))

    def _constant(self, text: str) -> bool:
        """Tell whether ``text`` is the same for all slots of the frame."""
        return self._links.parsed(text) is not None and self._varying.isdisjoint(self._names(text))

    def _names(self, text: str) -> frozenset[str]:
        """Return every word that ``text`` may come upon."""
        return self._links.reached(
            self._expression(text).words(), self._slot.frame, self._request.frame
        )

    def _value(self, text: str, in_job: bool) -> Value:
        ads = (self._job_ad, self._slot_ad) if in_job else (self._slot_ad, self._job_ad)
        return self._expression(text).evaluate(*ads)

    def _expression(self, text: str) -> Expr:
        found = self._links.parsed(text)
        assert found is not None
        return found

    def _look(self, text: str, in_job: bool) -> None:
        names = self._names(text)
        of_job = (
            JOB_PLACES.keys()
            | self._request.frame.texts.keys()
            | {name.lower() for name in self._changed}
        )
        # What looks at nothing of the job is the same for all requests.
        shared = of_job.isdisjoint(names) and ANY_NAME not in names
        key = (text, in_job, id(self._slot.frame))
        look = self._links.looks.get(key) if shared else None
        if look is None:
            look = CachedExpression(
                self._expression(text), names, self._assets, self._request, in_job, self._changed
            )
        if shared:
            self._links.looks[key] = look
        self._rest.append(look)


def asset_named(text: str, assets: Container[str], request: Request | None) -> str:
    """Return the one of a slot's ``assets`` that ``text`` stands for.

    It is empty where it is anything else.

    It stands in the ad of the jobs of ``request``; without them, in that of the slot.
    """
    found = _REFERENCE.match(bare(text))
    name = found.group(2).lower() if found else ""
    if found is None or name not in assets:
        return ""
    scope = (found.group(1) or "").lower()
    if request is None:
        return "" if scope == "target" else name
    # What the job lacks is looked up in the slot.
    lacking = name not in JOB_PLACES and name not in request.frame
    return name if scope == "target" or (not scope and lacking) else ""
