"""Matches that startds refuse, since START takes no more beside the claims made before.

A negotiator sees how many dynamic slots there were when the cycle began. The next ad of the slot
says how many there are: no further cycle makes such a match.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from htcq.claims.dynamic import NO_DYNAMIC_SLOT
from htcq.simulate.cycle.cycle import Cycle
from htcq.why.leftovers import AfterCycle
from htcq.why.slots import SlotSide

#: The access point, the job and the slot of a match.
MatchKey = tuple[str, str, str]


def beside_others(cycle: Cycle, slots: SlotSide, after: AfterCycle) -> Iterator[MatchKey]:
    """Yield the matches of a finished ``cycle`` that come to nothing for that."""
    refused = [each for each in cycle.talks.made if each.claim.refusal == NO_DYNAMIC_SLOT]
    if not refused:
        return
    suiting: dict[tuple[object, ...], Any] = {}
    places = {
        offer.name: (table, row)
        for table in slots.offered
        for row, offer in enumerate(table.offers)
    }
    for made in refused:
        (table, row), request = places[made.slot], cycle.askers.request_of(made.job)
        key = table, id(request), made.job.submitter
        if key not in suiting:
            suiting[key] = table.with_left(after).suits(slots.meeting(made.job).job)
        if not suiting[key][row]:
            yield cycle.askers.access.name_of(made.job), made.job.id, made.slot
