"""Walls of concurrency limits: those of a request that are reached, before the cycle or in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.search import limits_of
from htcq.why.match_failure import CONCURRENCY_LIMIT, MatchFailure
from htcq.why.slot_states import SlotStates


class LimitSide:
    """The concurrency limits of ``cycle``, which has run over ``tables`` of slots."""

    def __init__(self, cycle: Cycle, tables: Sequence[SlotStates]) -> None:
        self._cycle, self._seen = cycle, tables
        knobs, slots = Knobs(cycle.quotas.knobs), cycle.quotas.supply.slots
        self._at_first = ConcurrencyLimits(knobs, slots)

    def walls(self, request: Request) -> Iterator[MatchFailure]:
        """Yield the limits that are reached for ``request``."""
        if request.limits == "" and "ConcurrencyLimits" in request.frame:
            text = "ConcurrencyLimits are an empty string: the negotiator rejects every slot"
            yield MatchFailure(CONCURRENCY_LIMIT, text, {})
            return
        limits = limits_of(request) or self._limits_on_first(request)
        before = {each.name for each in self._at_first.asked(limits) if each.reached}
        for limit in self._cycle.limits.asked(limits):
            if not limit.reached:
                continue
            when = " once this cycle's earlier matches are counted"
            if limit.name in before:
                when = ""
            used, asked = f"{limit.used:g} is used{when}", f"{limit.asked:g} requested"
            text = f"concurrency limit {limit.name} is {limit.limit:g}: {used}, {asked}"
            yield MatchFailure(CONCURRENCY_LIMIT, text, {**limit._asdict()})

    def _limits_on_first(self, request: Request) -> str:
        """Return the concurrency limits of a request on the first machine."""
        machines = [slots for slots in self._seen if slots.machines.any()]
        if not machines:
            return ""
        first = min(machines, key=lambda slots: slots.first_of(slots.machines))
        row = first.table.rows_of(first.machines)[0]
        return limits_of(request, first.table.offer(row))
