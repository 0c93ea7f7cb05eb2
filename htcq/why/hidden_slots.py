"""Slots that NEGOTIATOR_SLOT_CONSTRAINT hides, and that have what no slot has that it shows.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from htcq.pool.slot_class import SlotClass
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.units import amount_of, counted
from htcq.why import match_failure as wall
from htcq.why.blocked import Blocked, largest_of, number_of, some_of
from htcq.why.clause_walls import last_clause, last_wall
from htcq.why.match_failure import MatchFailure
from htcq.why.negotiator import hiding_cure

#: How such slots are kept from a request; the detail is what gives them to jobs.
HIDDEN = "hidden"
_CONSTRAINT = "NEGOTIATOR_SLOT_CONSTRAINT"


class Hidden(NamedTuple):
    """The names of the hidden slots, and what gives them to jobs; empty: nothing but the knob."""

    names: frozenset[str] = frozenset()
    cure: str = ""

    def apart(self, kinds: Sequence[SlotClass]) -> tuple[list[SlotClass], list[SlotClass]]:
        """Return the slots of ``kinds`` that are seen, and the hidden ones, in such classes."""
        seen, unseen = list[SlotClass](), list[SlotClass]()
        if not self.names:
            return list(kinds), unseen
        for kind in kinds:
            away = tuple(slot for slot in kind.slots if str(slot.name) in self.names)
            rest = tuple(slot for slot in kind.slots if str(slot.name) not in self.names)
            if away:
                unseen.append(SlotClass(away))
            if rest:
                seen.append(SlotClass(rest) if away else kind)
        return seen, unseen


NONE_HIDDEN = Hidden()


def hidden_of(quotas: PoolQuotas) -> Hidden:
    """Return the slots of a pool that its negotiator does not see."""
    names = frozenset(str(slot.name) for slot in quotas.supply.hidden)
    return Hidden(names, hiding_cure(quotas.pool))


def with_hidden(
    walls: Iterable[MatchFailure], hidden: Sequence[Blocked], is_excluded: bool
) -> Iterator[MatchFailure]:
    """Yield ``walls`` of all slots that are seen, with the hidden ones for which they do not hold.

    ``is_excluded``: Requirements exclude all slots that are seen.
    """
    met, is_named = some_of(each.only(~each.failure.excluded) for each in hidden), False
    for each in walls:
        asset, those = str(each.amounts.get("asset", "")), list[Blocked]()
        if each.id == wall.NO_SUCH_MACHINE and asset:
            those = some_of(one.only(~one.short_of(asset)) for one in met)
        elif each.id == wall.REQUIREMENTS and is_excluded:
            those = met
        if not those:
            yield each
            continue
        told = _with(each, those, asset if each.id == wall.NO_SUCH_MACHINE else "")
        # Of several clauses the first one names them.
        yield replace(told, text=each.text) if is_named else told
        is_named = True


def _with(each: MatchFailure, those: Sequence[Blocked], asset: str) -> MatchFailure:
    """Return a reason with the hidden slots that do not have it, and what resolves it then."""
    free = some_of(one.only(~one.failure.refuses) for one in those)
    those = free or those
    name, more = those[0].first[1], number_of(those) - 1
    which = "which Requirements allow"
    if asset:
        which = f"which has {amount_of(asset, largest_of(those[:1], asset))}"
    beside = f" and {counted(more, 'more slot')}" if more else ""
    text = f"{each.text}; {_CONSTRAINT} hides {name}, {which}{beside}"
    cure = those[0].detail or wall.WALLS[wall.SLOT_CONSTRAINT].lifted_by
    last = None if free else last_clause(those)
    if last is not None:
        text += f", and {last.clause.attribute or 'START'} refuses the job there"
        cure += f"; {last_wall(last, number_of(those)).lifted_by}"
    return replace(each, text=text, amounts={**each.amounts, "hidden": more + 1}, advice=cure)
