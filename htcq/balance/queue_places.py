"""Where the waiting jobs of a submitter stand in the queue of their access point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from htcq.balance.wanting import Waiting
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.queue_order import order_in_queue

#: Stands for the end of a queue: no object has this id.
_BEHIND = -1


class QueuePlaces:
    """How many waiting jobs of a submitter its access point offers before those of a class."""

    def __init__(self, cycle: Cycle, waiting: Iterable[Waiting]) -> None:
        self._queues = cycle.askers.queues
        self._known: dict[tuple[str, str], dict[int, int]] = {}
        #: The classes of one submitter at one access point that the same cause keeps.
        self._alike = defaultdict[tuple[str, str, str], list[Waiting]](list)
        for one in waiting:
            self._alike[_kept(one)].append(one)

    def before(self, one: Waiting, access_point: str) -> int:
        """Return it; jobs that are not offered count as if they stood behind all others.

        Among those that the same cause keeps from being offered the order is that of the queue.
        """
        key = (one.meeting.submitter, access_point)
        places = self._known.get(key)
        if places is None:
            places = self._known[key] = self._places(*key)
        place = places.get(id(one.request))
        if place is not None:
            return place
        own = order_in_queue(one.verdict.jobs[0])
        first = [each for each in self._alike[_kept(one)] if id(each.request) not in places]
        first = [each for each in first if order_in_queue(each.verdict.jobs[0]) < own]
        return places[_BEHIND] + sum(each.number for each in first)

    def _places(self, submitter: str, access_point: str) -> dict[int, int]:
        queue = self._queues.get((submitter, access_point)) or self._queues.get((submitter, ""))
        places, before = dict[int, int](), 0
        for runs in () if queue is None else queue.requests():
            places.setdefault(id(runs[0].request), before)
            before += sum(len(run.jobs) for run in runs)
        places[_BEHIND] = before
        return places


def _kept(one: Waiting) -> tuple[str, str, str]:
    return one.meeting.submitter, one.verdict.access_point, one.cause
