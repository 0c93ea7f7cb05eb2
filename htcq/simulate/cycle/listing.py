"""What a search for slots is about: who asks, what the limits are, and which slots fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from htcq.simulate.cycle.candidates import NOT_PREEMPTED, SlotCandidate, SlotCandidates
from htcq.simulate.cycle.matchlist import MatchList
from htcq.simulate.cycle.preemption import Preemptible
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import SlotAnswer
from htcq.simulate.cycle.session import Session
from htcq.simulate.cycle.slot_table import SlotTable
from htcq.simulate.cycle.trace import Crash

Array = Any


class CrashError(Exception):
    """The negotiator ends here, with these words; ``crash`` has the slot and the job as well."""

    def __init__(self, crash: Crash) -> None:
        super().__init__(crash.message)
        self.crash = crash


class Allowance(NamedTuple):
    """What a submitter may still be given: ``used`` of ``limit``, of free slots apart.

    Only claimed slots that prefer its jobs if so.
    """

    used: float
    limit: float
    used_unclaimed: float
    unclaimed: float
    only_preferred: bool = False

    def permits(self, candidate: SlotCandidate) -> bool:
        """Return whether a match may be made with a slot of a kept list.

        One that is taken from a job counts as one or the other.
        """
        cost = candidate.cost
        if candidate.state != NOT_PREEMPTED and _permits(cost, self.used, self.limit):
            return True
        return _permits(cost, self.used_unclaimed, self.unclaimed)


def _permits(cost: float, used: float, limit: float) -> bool:
    """Return whether a match stays within a limit.

    Beyond it only once, as the first (SubmitterLimitPermits).
    """
    return used + cost <= limit or (used <= 0 < limit)


class Asker(NamedTuple):
    """Who asks: a ``submitter`` in a session, and the ``request`` as its schedd sent it.

    The kept list is for one of these.
    """

    request: Request
    submitter: str
    session: Session


class FittingSlots(NamedTuple):
    """The slots of a table that a request may have: some of its rows, claimed ones among them.

    ``over_limit`` are those that a limit of the submitter held back, ``refused`` those that
    PREEMPTION_REQUIREMENTS did.
    """

    slots: SlotTable
    answer: SlotAnswer
    places: Array
    preemptible: Preemptible | None
    over_limit: int
    refused: int


@dataclass
class Listing:
    """The slots that one request may have, and what kept others from it."""

    candidates: SlotCandidates
    list: MatchList[SlotCandidate]
    over_concurrency: bool = False
    #: Whether there are slots among them that would be preempted.
    preempting: bool = False
    over_limit: int = 0
    refused: int = 0
