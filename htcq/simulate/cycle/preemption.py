"""Which claimed slots a request may take from their jobs.

Follows matchmakingAlgorithm and MatchListType::cache_still_valid of
src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. A slot that ranks the job higher than the
one that runs there is preempted whatever else is configured; another one where
PREEMPTION_REQUIREMENTS holds, unless it ranks the job lower, or its claim is the submitter's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from htcq.classads import Ad, Expr, Value, as_number, holds, named, parsed
from htcq.quota.cpp_float import as_float
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.candidates import NOT_PREEMPTED, SlotCandidate
from htcq.simulate.cycle.job_table import JobTable
from htcq.simulate.cycle.matchlist import Ranks
from htcq.simulate.cycle.occupants import Occupants
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import WORST, Rows
from htcq.simulate.cycle.slot_table import Offer, SlotTable
from htcq.simulate.cycle.trace import BY_PRIORITY, BY_RANK

Array = Any

#: Why a claim is not preempted.
NO_PREEMPTION = "PREEMPTION_REQUIREMENTS == False"
PREEMPTION_OFF = "NEGOTIATOR_CONSIDER_PREEMPTION is off"
OWN_CLAIM = "it is a claim of the same submitter"
WORSE_RANK = "Rank of the slot is lower for this job than for the running one"
_PREFERRED, _AS_GOOD = "MY.Rank > MY.CurrentRank", "MY.Rank >= MY.CurrentRank"
#: The negotiator's states of preemption: of two slots that are equal else the higher one is better.
PRIORITY, RANK = 0.0, 1.0
_WHY = {PRIORITY: BY_PRIORITY, RANK: BY_RANK, NOT_PREEMPTED: ""}
#: What these knobs are where nobody configured them (param_info.in).
_DEFAULTS = {
    "PREEMPTION_REQUIREMENTS": "False",
    "PREEMPTION_RANK": (
        "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)"
    ),
}


class Preemptible(NamedTuple):
    """The claimed slots of a table that a request may have, and for how many a policy forbids it.

    ``by_rank`` are those that prefer its jobs, ``by_priority`` the others.
    """

    by_rank: Array
    by_priority: Array
    refused: int = 0


def preemption_texts(knobs: Knobs) -> tuple[str, str]:
    """Return PREEMPTION_REQUIREMENTS and PREEMPTION_RANK; empty where they are set to nothing."""
    found = [knobs.text_or(name, default) for name, default in _DEFAULTS.items()]
    return found[0], found[1]


class Preemption:
    """What the negotiator preempts, by its configuration.

    ``occupants`` are what PREEMPTION_REQUIREMENTS and PREEMPTION_RANK look at.
    """

    def __init__(self, knobs: Knobs, occupants: Occupants) -> None:
        self.is_on = knobs.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", True)
        requirements, rank = preemption_texts(knobs)
        #: A number is no boolean to the negotiator here.
        self._requirements = parsed(requirements and f"({requirements}) =?= true")
        self._rank = parsed(rank)
        self._stable = knobs.boolean("PREEMPTION_REQUIREMENTS_STABLE", True)
        self._rank_stable = knobs.boolean("PREEMPTION_RANK_STABLE", True)
        #: Whether a kept list must be valid to be used: an expression is not stable.
        self.looks_again = not (self._stable and self._rank_stable)
        self._occupants = occupants
        self._views: dict[SlotTable, tuple[Rows, int, Rows]] = {}
        self._whole_views: dict[SlotTable, tuple[Rows, int, Rows]] = {}

    def preemptible(
        self, slots: SlotTable, fits: Array, job: JobTable, submitter: str, only_preferred: bool
    ) -> Preemptible:
        """Return which of the claimed slots where a job ``fits`` its ``submitter`` may have."""
        none = slots.arrays.truths(slots.rows, False)
        if not fits.any():
            return Preemptible(none, none)
        preferred = fits & slots.whole().hold(named(_PREFERRED), job)
        if only_preferred:
            return Preemptible(preferred, none)
        rest, refused = fits & ~preferred & slots.holders.others(submitter), 0
        if self._requirements is not None and rest.any():
            allowed = self._allowed(slots, rest, self._requirements, job)
            refused = int(rest.sum()) - int(allowed.sum())
            rest = allowed
        if rest.any():
            rest = rest & slots.whole().hold(named(_AS_GOOD), job)
        return Preemptible(preferred, rest, refused)

    def _allowed(self, slots: SlotTable, rows: Array, condition: Expr, job: JobTable) -> Array:
        """Return where PREEMPTION_REQUIREMENTS holds of some rows."""
        if not self._occupants.any:
            return rows & slots.whole().hold(condition, job)
        arrays = slots.arrays
        allowed = arrays.truths(slots.rows, False)
        arrays.put(allowed, slots.holders.rows, self._view(slots).hold(condition, job))
        return rows & allowed

    def _view(self, slots: SlotTable) -> Rows:
        """Return the claimed slots of a table with what the negotiator writes into their ads."""
        whole, changes = slots.whole(), self._occupants.changes
        known = self._views.get(slots)
        if known is None or known[0] is not whole or known[1] != changes:
            rows = slots.holders.rows
            added = self._added(slots)
            view = whole.at(rows).with_added([added[row] for row in rows.tolist()])
            known = self._views[slots] = (whole, changes, view)
        return known[2]

    def _whole_view(self, slots: Rows, table: SlotTable) -> Rows:
        """Return ``slots``, all of a table, with what the negotiator writes into their ads."""
        changes, known = self._occupants.changes, self._whole_views.get(table)
        if known is None or known[0] is not slots or known[1] != changes:
            view = slots.with_added(self._added(table))
            known = self._whole_views[table] = (slots, changes, view)
        return known[2]

    def _added(self, slots: SlotTable) -> Sequence[Mapping[str, Value]]:
        """Return what the negotiator writes into the ads of all rows of a table."""
        return list(map(self._occupants.of, slots.holders.occupants))

    def ranks(self, slots: SlotTable, found: Preemptible | None, job: JobTable) -> list[Array]:
        """Return the states of all slots of a table, and what PREEMPTION_RANK is of them."""
        arrays = slots.arrays
        states = arrays.full(slots.rows, NOT_PREEMPTED)
        ranks = arrays.full(slots.rows, WORST)
        if found is not None:
            by_rank = arrays.rows_in(found.by_rank, slots.rows)
            by_priority = arrays.rows_in(found.by_priority, slots.rows)
            arrays.put(states, by_rank, arrays.full(len(by_rank), RANK))
            arrays.put(states, by_priority, arrays.full(len(by_priority), PRIORITY))
            if self._rank is not None and len(by_rank) + len(by_priority):
                of_held = arrays.full(
                    len(slots.holders.rows), self._view(slots).rank(self._rank, job)
                )
                arrays.put(ranks, slots.holders.rows, of_held)
        return [states, ranks]

    def is_valid(self, head: tuple[Ranks, SlotCandidate] | None, request: Request) -> bool:
        """Return whether a kept list may be used whose ``head`` is this one.

        Only expressions that are not stable are looked at again.
        """
        if head is None:
            return self._stable
        ranks, candidate = head
        asks = not self._stable and candidate.state == PRIORITY
        if asks and not self._is_allowed(candidate.offer, request):
            return False
        if self._rank_stable or candidate.state == NOT_PREEMPTED:
            return True
        rank = WORST
        if self._rank is not None:
            value = self._rank.evaluate(self._ad(candidate.offer), request.ad())
            number = as_number(value)
            if number is not None:
                rank = as_float(float(number))
        return rank == ranks[-1]

    def why(self, candidate: SlotCandidate) -> str:
        """Return why the slot is taken from its job; empty where it is free."""
        return _WHY[candidate.state]

    def refused(
        self, slots: Rows, table: SlotTable, others: Array, job: JobTable
    ) -> Sequence[tuple[str, Array]]:
        """Return why claims are not preempted for ``job``, and where; no reason where they may be.

        ``slots`` are all of ``table``, ``others`` the claims of other submitters.
        """
        everywhere = table.arrays.truths(slots.rows)
        if not self.is_on:
            return [(PREEMPTION_OFF, everywhere)]
        rest = ~slots.hold(named(_PREFERRED), job)
        found = [("", ~rest), (OWN_CLAIM, rest & ~others)]
        rest = rest & others
        if self._requirements is not None:
            view = slots
            if self._occupants.any:
                view = self._whole_view(slots, table)
            allowed = view.hold(self._requirements, job)
            found.append((NO_PREEMPTION, rest & ~allowed))
            rest = rest & allowed
        as_good = slots.hold(named(_AS_GOOD), job)
        return [*found, (WORSE_RANK, rest & ~as_good), ("", rest & as_good)]

    def allows(self, offer: Offer, request: Request) -> bool:
        """Return whether PREEMPTION_REQUIREMENTS is there and holds."""
        return self._requirements is not None and self._holds(self._requirements, offer, request)

    def _is_allowed(self, offer: Offer, request: Request) -> bool:
        """Return whether PREEMPTION_REQUIREMENTS holds."""
        return self._requirements is None or self.allows(offer, request)

    def _holds(self, condition: Expr, offer: Offer, request: Request) -> bool:
        return holds(condition.evaluate(self._ad(offer), request.ad()))

    def _ad(self, offer: Offer) -> Ad:
        return offer.ad(self._occupants.of(offer.occupant))
