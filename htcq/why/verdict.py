"""One verdict on each idle job.

Whether the next cycle starts it, and otherwise every wall between it and a start.

The verdict is that of the simulated cycle: what was matched starts, and what was not is
explained by what the cycle itself noted (which requests each talk offered, how it ended, which
turns the groups had). Jobs of one queue that are alike and stand together share one explanation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot_class import offered_classes, slot_classes
from htcq.simulate.course.claims import LEFTOVER, MATCH
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.group_negotiation import Skipped, SubmitterQueue
from htcq.simulate.cycle.preemption import NO_PREEMPTION
from htcq.simulate.cycle.queues import Offered, Queue, Request, Run
from htcq.simulate.cycle.search import NO_MATCH
from htcq.simulate.cycle.trace import Trace
from htcq.why.access import (
    asks_for_too_many,
    budget_walls,
    job_prio_walls,
    old_ad_walls,
    passed_over_walls,
    refusal_walls,
    silent_schedds,
    silent_walls,
)
from htcq.why.beside_others import beside_others
from htcq.why.blocked import Blocked
from htcq.why.competition import Competition, open_orders
from htcq.why.demand import demand_walls
from htcq.why.groups import group_walls, offered_of, order_wall
from htcq.why.hidden_slots import hidden_of
from htcq.why.leftovers import after_cycle
from htcq.why.match_failure import (
    CLAIM_REFUSED,
    DEDICATED_SCHEDULER,
    GROUP_ORDER,
    NEGOTIATOR_CRASH,
    NO_DEMAND,
    NO_SUCH_MACHINE,
    NOT_ADVERTISED,
    OFFLINE,
    OUTRANKED,
    OWNER,
    REQUIREMENTS,
    SCHEDD_SILENT,
    STALE,
    MatchFailure,
)
from htcq.why.negotiator import crash_walls, negotiator_walls
from htcq.why.returned import RETURNED, given_back, joined, refused
from htcq.why.slots import SlotSide
from htcq.why.state import is_to_come, state_walls
from htcq.why.unmatched import UnusedSlots, last_first, none_suits

#: What keeps jobs in a pool without slots, and what there is to do.
NO_SLOT = "the collector has no slot"
NO_SLOT_CURE = "the startds: condor_status lists no slot of theirs"
#: Reasons that follow from the matches of the same cycle.
_OF_MATCHES = frozenset((OUTRANKED, GROUP_ORDER))


@dataclass(frozen=True)
class Verdict:
    """What the next cycle makes of ``jobs``, which are alike and wait at one access point.

    ``starts_by`` is how they start, empty where they do not. ``rejection`` is the reason of the
    simulated negotiator, empty where it gave none. ``equals`` is among how many submitters the
    negotiator's order decides, if that is not known: the verdicts on them may be interchanged.
    """

    jobs: tuple[Job, ...]
    submitter: str
    access_point: str
    starts: bool
    starts_by: str
    walls: tuple[MatchFailure, ...]
    rejection: str = ""
    #: How the first cycle would start them, where only a negotiator is missing; else empty.
    would_start_by: str = ""
    #: Whether no slot of the pool would take them even with no job on it, or the schedd itself,
    #: where that starts them.
    fits_nowhere: bool = False
    equals: int = 0


class _JobVerdict(NamedTuple):
    """What the cycle makes of a job, in the order of the fields of a verdict."""

    starts: bool
    starts_by: str
    walls: tuple[MatchFailure, ...]
    rejection: str = ""
    would_start_by: str = ""
    fits_nowhere: bool = False


@dataclass(frozen=True)
class _Place:
    """Where a job stood in its queue when the cycle was over."""

    queue: Queue
    run: Run


class Verdicts:
    """The verdicts on the jobs of ``pool``, by one simulated cycle.

    Unless it ``explains_slots`` the walls say of slots no more than that none is left: taking apart
    why each slot refuses a job costs more than the cycle itself.
    """

    def __init__(
        self,
        pool: Pool,
        order: Iterable[str] = (),
        skip_bad_slots: bool = False,
        ran: tuple[Cycle, Trace] | None = None,
        explains_slots: bool = True,
    ) -> None:
        """Simulate the cycle, or take one of ``pool`` that ``ran`` already."""
        self.pool, self._explains_slots = pool, explains_slots
        if ran is None:
            cycle = Cycle(pool, tuple(order), skip_bad_slots)
            ran = (cycle, cycle.run())
        self.cycle, self.trace = ran
        self._access = self.cycle.askers.access
        self._made = {
            (self.access_point(made.job), made.job.id): made for made in self.cycle.talks.made
        }
        #: For how many slots each job is matched.
        self._slots = Counter(
            (self.access_point(made.job), made.job.id)
            for made in self.cycle.talks.made
            if not made.claim.refusal
        )
        #: Matches that the schedd gives back: for a job that it names, or for the first of a
        #: request.
        self._given_back = {
            (where, match.job or match.request): match
            for where, match in self.cycle.talks.given_back
        }
        #: What the claims of the cycle leave of the slots.
        self.after = after_cycle(pool, self.cycle)
        self._places = dict(self._placed())
        self._asking: dict[int, list[SubmitterQueue]] = {}
        for asking in self.cycle.askers.every:
            self._asking.setdefault(id(asking.queue), []).append(asking)
        self._equals = dict(open_orders(self.cycle, self.trace))
        self._by_run: dict[int, _JobVerdict] = {}
        self._by_frame: dict[tuple[int, int], _JobVerdict] = {}
        self.slots = SlotSide(self.cycle, self.after, lambda: self.others)
        self._beside_others = frozenset(beside_others(self.cycle, self.slots, self.after))
        self._competition = Competition(self.cycle)
        #: What of the negotiator keeps every job from a match.
        self.of_cycle = tuple(negotiator_walls(self.cycle, self.trace))

    @cached_property
    def wasted(self) -> Mapping[str, str]:
        """The reasons for which matches were given back or refused, by the name of the slot."""
        found: dict[str, str] = {}
        for match in self.trace.matches:
            key = match.access_point, match.job, match.slot
            if match.refusal and key not in self._beside_others:
                found.setdefault(match.slot, RETURNED.get(match.refusal, CLAIM_REFUSED))
        return found

    @cached_property
    def others(self) -> tuple[Job, ...]:
        """One job of each kind that runs, or that the cycle starts."""
        found: dict[tuple[int, str], Job] = {}
        for job in self.pool.jobs or ():
            if job.running or (self.access_point(job), job.id) in self._made:
                found.setdefault((id(job.frame), job.submitter), job)
        return tuple(found.values())

    def access_point(self, job: Job) -> str:
        """Return the name of the access point of ``job``; empty where the pool does not say."""
        return self._access.name_of(job)

    def _placed(self) -> Iterator[tuple[tuple[str, str], _Place]]:
        for queue in self.cycle.askers.queues.values():
            for run in queue.runs:
                place = _Place(queue, run)
                for job in run.jobs:
                    yield (self.access_point(job), job.id), place

    def on(self, jobs: Iterable[Job]) -> tuple[Verdict, ...]:
        """Return the verdicts on ``jobs``, equal jobs together, in the order of their first."""
        found: dict[tuple[object, ...], tuple[Verdict, list[Job]]] = {}
        for job in jobs:
            where = self.access_point(job)
            outcome = self._outcome(job, where)
            walls = tuple((each.id, each.text, each.advice) for each in outcome.walls)
            key = (
                job.submitter, where, id(job.frame), outcome.starts_by, outcome.would_start_by,
                walls, outcome.rejection, outcome.fits_nowhere,
            )  # fmt: skip
            known = found.get(key)
            if known is None:
                equals = self._equals.get((job.submitter, where), 0)
                verdict = Verdict((), job.submitter, where, *outcome, equals=equals)
                known = found[key] = (verdict, [])
            known[1].append(job)
        return tuple(replace(verdict, jobs=tuple(alike)) for verdict, alike in found.values())

    def _outcome(self, job: Job, where: str) -> _JobVerdict:
        """Return what the cycle makes of a job of the access point ``where``."""
        key = (where, job.id)
        made, back, place = self._made.get(key), self._given_back.get(key), self._places.get(key)
        if is_to_come(job):
            return self._unoffered(job)
        if made is not None and not made.claim.refusal:
            if self._slots[key] < job.wanted and place is not None:
                return self._gathering(place, job, self._slots[key])
            return self._starts(MATCH)
        if key in self.after.leftovers:
            return self._starts(LEFTOVER)
        if made is not None and (*key, made.slot) in self._beside_others:
            return self._stays(*self.slots.walls(job, True, self._explains_slots))
        if made is not None:
            return self._stays(refused(made.slot, made.claim.refusal))
        if back is not None and back.job:
            return self._stays(given_back(back, self._access[where]))
        if place is None:
            return self._unoffered(job)
        return self._waiting(place, job)

    def _starts(self, by: str) -> _JobVerdict:
        """Return what becomes of a job that a cycle starts.

        No cycle starts one where the negotiator does not work.
        """
        if self.of_cycle:
            return self._stays()._replace(would_start_by=by)
        return _JobVerdict(True, by, ())

    def _stays(
        self, *walls: MatchFailure, rejection: str = "", fits_nowhere: bool = False
    ) -> _JobVerdict:
        found = list(walls)
        if self.of_cycle:
            # Where no cycle comes earlier jobs take nothing: that stands for a later one.
            found = [each for each in walls if each.id not in _OF_MATCHES]
            found += [*self.of_cycle, *(each for each in walls if each.id in _OF_MATCHES)]
        return _JobVerdict(False, "", tuple(found), rejection, fits_nowhere=fits_nowhere)

    def _unoffered(self, job: Job) -> _JobVerdict:
        """Return what becomes of a job that no access point offers."""
        walls = tuple(state_walls(self.pool, job, self.access_point(job)))
        # What a schedd starts itself has to suit the schedd, not a slot.
        fits_nowhere = any(each.id == REQUIREMENTS for each in walls)
        if not walls:
            walls = tuple(refusal_walls(self.cycle, job))
            fits_nowhere = any(asks_for_too_many(each.amounts) for each in walls)
        return self._stays(*walls, fits_nowhere=fits_nowhere)

    # A job that was in a queue and was not matched
    # ----------------------------------------------------------------------------------------------

    def _waiting(self, place: _Place, job: Job) -> _JobVerdict:
        if id(place.run) not in self._by_run:
            self._by_run[id(place.run)] = self._explained(place, job)
        known = self._by_run[id(place.run)]
        # Jobs of one request differ in what is not significant.
        key = id(place.run), id(job.frame)
        if key not in self._by_frame:
            walls = tuple(self.slots.as_requested(known.walls, job))
            self._by_frame[key] = known._replace(walls=walls)
        return self._by_frame[key]

    def _gathering(self, place: _Place, job: Job, matched: int) -> _JobVerdict:
        """Return what becomes of a job that gets some of the slots that it wants in this cycle."""
        found = self._waiting(place, job)
        text = (
            f"the next cycle matches {matched} of the {job.wanted} slots that it requests, which "
            "are kept until it has all of them"
        )
        amounts = {"matched": matched, "requested": job.wanted}
        kept = MatchFailure(DEDICATED_SCHEDULER, text, amounts, "the next matches")
        return found._replace(walls=(*found.walls, kept))

    def _explained(self, place: _Place, job: Job) -> _JobVerdict:
        asking, run, where = self._asker(place), place.run, self.access_point(job)
        offered, rejection = None, ""
        returned: tuple[MatchFailure, ...] = ()
        if asking is not None:
            offered = offered_of(asking, run)
        if offered is not None:
            rejection = offered.rejection
            back = self._given_back.get((where, offered.job))
            if back is not None and not back.job:
                returned = (given_back(back, self._access[where]),)
        is_closed = any(each.id in (OFFLINE, OWNER, STALE) for each in returned)
        if returned and not rejection:
            return self._stays(*self._returned(job, returned, is_closed))
        none_left = rejection in (NO_MATCH, NO_PREEMPTION)
        none_left = none_left and offered is not None and not offered.beyond
        of_slots = self.slots.walls(job, none_left, self._explains_slots, is_closed)
        no_slot = bool(of_slots)
        returned, of_slots = joined(returned, of_slots)
        if rejection == NO_PREEMPTION and not of_slots:
            of_slots = self.slots.preemption_walls(job)
        demand = tuple(self._demand(asking, job))
        is_asked = all(each.id != NOT_ADVERTISED for each in demand)
        walls = [
            *returned,
            *refusal_walls(self.cycle, job),
            *passed_over_walls(self.cycle, place.queue, run, job),
            *job_prio_walls(self._asking.get(id(place.queue), []), run),
            *budget_walls(asking, place.queue, run),
            *(silent_walls(self.pool, where) if is_asked else ()),
            *demand,
            *group_walls(self.cycle, asking, run, no_slot),
            *of_slots,
            *crash_walls(self.trace),
        ]
        # All that the negotiator does not come to waits for that first.
        walls.sort(key=lambda each: each.id != NEGOTIATOR_CRASH)
        # That nobody knows whether a schedd is up keeps no job from a slot; without time or a cycle
        # earlier jobs take nothing.
        is_left = asking is not None and asking.skipped is Skipped.NO_TIME
        if not (is_left or self.of_cycle) and all(wall.id == SCHEDD_SILENT for wall in walls):
            walls.append(self._no_slot(offered))
        if any(wall.id == OUTRANKED for wall in walls):
            walls += order_wall(self.cycle, asking)
        walls = [*self._competition.judged(job, walls), *old_ad_walls(where, self._silent)]
        nowhere = self._nowhere(run, job) if walls and none_suits(walls) else None
        if nowhere is None:
            return self._stays(*walls, rejection=rejection)
        # No limit that it meets before counts: without it the job starts no sooner.
        return self._stays(*last_first(walls), rejection=rejection, fits_nowhere=True)

    def _returned(
        self, job: Job, returned: tuple[MatchFailure, ...], is_closed: bool
    ) -> Iterator[MatchFailure]:
        """Yield why a match is given back; where the slot is closed, of all that are closed so."""
        of_slots: tuple[MatchFailure, ...] = ()
        if is_closed:
            of_slots = self.slots.walls(job, False, self._explains_slots, is_closed)
        ids = {each.id for each in returned}
        rest, found = joined(returned, of_slots)
        yield from rest
        yield from (each for each in found if each.id in ids)

    def _nowhere(self, run: Run, job: Job) -> Sequence[Blocked] | None:
        """Return the obstacles of a job that fits no slot, even with no job on it; else None."""
        found = self._unused.blocked(run.request)
        if found is not None and self.cycle.looks_at_clock:
            # The cycle's own requests have a moment in the place of the clock.
            return self._unused.blocked(Request(job))
        return found

    @cached_property
    def _silent(self) -> Mapping[str, str]:
        return silent_schedds(self.pool)

    @cached_property
    def _unused(self) -> UnusedSlots:
        kinds = offered_classes(slot_classes(self.pool.slots or ()))
        return UnusedSlots(kinds, hidden=hidden_of(self.cycle.quotas))

    def _asker(self, place: _Place) -> SubmitterQueue | None:
        """Return the submitter that asked for the run; one with a talk before one without."""
        every = self._asking.get(id(place.queue), [])
        fitting = [
            each for each in every if each.job_prios is None or place.run.job_prio in each.job_prios
        ]
        fitting.sort(key=lambda each: each.talk is None)
        return next(iter(fitting or every), None)

    def _demand(self, asking: SubmitterQueue | None, job: Job) -> Iterator[MatchFailure]:
        for each in demand_walls(self.cycle, asking, job.submitter, self.access_point(job)):
            # The dedicated scheduler counts idle jobs only once it asks for slots: its ad says
            # nothing of demand.
            if each.id != NO_DEMAND or not job.parallel:
                yield each

    def _no_slot(self, offered: Offered | None) -> MatchFailure:
        """Return the wall of a job that no other wall keeps from a slot."""
        if not self.pool.slots:
            return MatchFailure(NO_SUCH_MACHINE, NO_SLOT, advice=NO_SLOT_CURE)
        why = "the negotiation ends before it"
        if offered is not None and offered.rejection:
            why = offered.rejection
        return MatchFailure(OUTRANKED, f"earlier jobs take the slots: {why}")
