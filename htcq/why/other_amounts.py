"""Whether a slot with other amounts or attributes would take a job, and how many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.classads import Value, holds, named
from htcq.pool.job import Job
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.why import match_failure as wall
from htcq.why.verdict import Verdict

_REQUIREMENTS, _START = "Requirements", "Start"
_NOTHING: Mapping[str, Value] = {}
#: Reasons that end once a slot more has room.
_OF_ROOM = frozenset({
    wall.NO_ROOM, wall.OUTRANKED, wall.REQUIREMENTS, wall.START, wall.NO_SUCH_MACHINE,
    wall.PREEMPTION, wall.DRAINED, wall.STALE, wall.OFFLINE, wall.BROKEN, wall.ASSET_MISSING,
})  # fmt: skip


def waiting_for_room(found: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield the verdicts on jobs that slots alone keep from running: no limit, no access point."""
    for each in found:
        if not each.starts and all(one.id in _OF_ROOM for one in each.walls):
            yield each


def times(left: Mapping[str, Number], requested: Mapping[str, Number]) -> int:
    """Return for how many requests what is ``left`` is enough, of the assets that it has."""
    counts = [
        int(amount // requested[asset]) for asset, amount in left.items() if requested.get(asset)
    ]
    return max(0, min(counts, default=0))


class Takers:
    """Which jobs slots with other amounts would take; alike ones are asked once.

    ``added`` are attributes that the slots would have besides, whatever their ads say. A dynamic
    slot's Requirements compare with what it was made of: its START alone counts.
    """

    def __init__(self, added: Mapping[str, Value] = _NOTHING) -> None:
        self._added = added
        self._known: dict[tuple[object, ...], bool] = {}

    def takes(self, slot: Slot, left: Mapping[str, Number], job: Job) -> bool:
        """Return whether the Requirements of both hold if ``slot`` had so much ``left``."""
        key = (id(slot.frame), slot.machine, id(job.frame), tuple(left.items()))
        if key not in self._known:
            self._known[key] = _meet(slot, left, job, self._added)
        return self._known[key]


def _meet(slot: Slot, left: Mapping[str, Number], job: Job, added: Mapping[str, Value]) -> bool:
    ad, asking = slot.ad(dict(left), added), job.ad()
    mine, theirs = named(_REQUIREMENTS), named(_START if slot.type == DYNAMIC else _REQUIREMENTS)
    return holds(mine.evaluate(asking, ad)) and holds(theirs.evaluate(ad, asking))
