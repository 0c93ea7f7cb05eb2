"""What schedds start in what is left of slots that they were matched with.

The rest of a slot comes back with each claim on it. Claims are made when the cycle is over, one
after another, then those of the jobs that the rests are used for. A job whose claim the startd
refuses waits until that is known. For slots with a consumption policy the access point alone
decides whether there are leftovers, and the rest is void as soon as another claim on the slot is
asked for.

Follows src/condor_schedd.V6/schedd.cpp (claimedStartd) and src/condor_startd.V6/command.cpp
(request_claim), HTCondor 25.14.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.simulate.course.advertised import Advertised
from htcq.simulate.course.claims import Base
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.holdings import used_of, without
from htcq.simulate.course.schedds import Schedds
from htcq.simulate.course.suiting import Suiting
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.cycle.carving import Startds
from htcq.simulate.cycle.other_slots import in_use
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.schedd_negotiation import Made

_KNOB = "CLAIM_PARTITIONABLE_LEFTOVERS"
#: Starts a job in a slot, with these amounts; returns the places of its GPUs.
Start = Callable[[Base, Job, Mapping[str, Number]], Sequence[int]]


@dataclass
class _ClaimRequest:
    """A claim that was asked for: for ``job``, which the startd ``refuses`` or not.

    ``ends_rest``: what was left of the slot before is void then. ``devices``: places of its GPUs.
    ``is_void``: it is for what was left of a slot, and void by the time that it is asked for.
    """

    base: Base
    job: Job
    policy: bool
    amounts: Mapping[str, Number]
    refuses: bool
    ends_rest: bool
    devices: Sequence[int] = ()
    is_void: bool = False


class _Stage:
    """The claims on slots of ``bases`` that are asked for after a cycle at ``now``, in order."""

    def __init__(
        self, now: float, bases: Mapping[str, Base], advertised: Advertised, devices: Devices
    ) -> None:
        self.now, self._bases, self._advertised, self._devices = now, bases, advertised, devices
        self._asked = deque[_ClaimRequest]()
        self._of_slot: dict[str, deque[_ClaimRequest]] = {}
        #: Jobs that are to be refused, by schedd and id, and how many of each schedd.
        self.held = set[tuple[str, str]]()
        self.in_vain = Counter[str]()

    @cached_property
    def _of_startd(self) -> Mapping[str, Sequence[Base]]:
        found: dict[str, list[Base]] = {}
        for base in self._bases.values():
            found.setdefault(base.slot.startd, []).append(base)
        return found

    def ask(self, asked: _ClaimRequest, schedd: str) -> None:
        """Ask for a claim behind all others."""
        self._asked.append(asked)
        self._of_slot.setdefault(str(asked.base.slot.name), deque()).append(asked)
        if asked.refuses:
            self.held.add((schedd, asked.job.id))
            self.in_vain[schedd] += 1

    def next(self) -> _ClaimRequest | None:
        """Return the claim that is made or refused next; None where all are."""
        if not self._asked:
            return None
        asked = self._asked.popleft()
        self._of_slot[str(asked.base.slot.name)].popleft()
        return asked

    def refused(self, asked: _ClaimRequest, schedd: str) -> None:
        """Let a job wait again whose claim is refused."""
        self.held.discard((schedd, asked.job.id))
        self.in_vain[schedd] -= 1

    def left(self, base: Base) -> dict[str, Number]:
        """Return what a slot has left when the claim is made that was the last one made."""
        left = self._own_left(base)
        if not base.backfill:
            return left
        beside = self._of_startd[base.slot.startd]
        later = in_use(
            (other.slot, each.amounts) for other in beside for each in self._still_to_make(other)
        )
        return without(left, without(used_of(beside), later))

    def left_then(self, base: Base) -> dict[str, Number]:
        """Return what it has left when the next claim on it is asked for.

        By then the claims on other slots are made that were asked for before.
        """
        left = self._own_left(base)
        return without(left, used_of(self._of_startd[base.slot.startd])) if base.backfill else left

    def _own_left(self, base: Base) -> dict[str, Number]:
        left = dict(base.left)
        for each in self._still_to_make(base):
            for asset, amount in each.amounts.items():
                left[asset] += amount
        return left

    def slot(self, base: Base) -> Slot:
        """Return the slot as it is then, with the GPUs and as many dynamic slots as there are."""
        slot = base.slot
        held: list[int] = []
        for asked in self._still_to_make(base):
            held += asked.devices
        if held:
            slot = self._devices.of(base, sorted((*base.free, *held)))
        slot = slot._replace(dynamic_slots=self._dynamic_slots(base))
        if not self._advertised.is_named:
            return slot
        number = 0
        for each in self._of_startd[slot.startd]:
            number += 1
            if not each.whole:
                number += self._dynamic_slots(each)
        return self._advertised.at(slot, number)

    def _dynamic_slots(self, base: Base) -> int:
        return len(base.claims) - len(self._still_to_make(base))

    def _still_to_make(self, base: Base) -> Sequence[_ClaimRequest]:
        asked = self._of_slot.get(str(base.slot.name), ())
        return [each for each in asked if not each.refuses]

    def is_void(self, base: Base) -> bool:
        """Return whether what is left of a slot now is void before a claim on it can be made."""
        return any(each.ends_rest for each in self._of_slot[str(base.slot.name)])


class Leftovers:
    """Use of what is left of the slots of ``pool``."""

    def __init__(
        self,
        pool: Pool,
        waiting: Waiting,
        suiting: Suiting,
        startds: Startds,
        schedds: Schedds,
        advertised: Advertised,
        devices: Devices,
    ) -> None:
        self._pool, self._waiting, self._suiting = pool, waiting, suiting
        self._startds, self._schedds, self._advertised = startds, schedds, advertised
        self._devices = devices

    def use(
        self,
        made: Iterable[tuple[Made, Sequence[int]]],
        bases: Mapping[str, Base],
        now: float,
        start: Start,
        settle: Callable[[Job], None],
    ) -> None:
        """Start jobs in what is left after the matches ``made``.

        Those of matches that the startd does not refuse have started: with each match come the
        places of the GPUs that its job got. ``settle`` is called with each job when the rest of
        its slot has been used.
        """
        stage = _Stage(now, bases, self._advertised, self._devices)
        for each, devices in made:
            base = bases.get(each.slot)
            if base is not None and not (base.whole and each.preempts):
                refuses = bool(each.claim.refusal)
                asked = _ClaimRequest(
                    base, each.job, each.policy, each.claim.amounts, refuses, each.policy, devices
                )
                stage.ask(asked, self._schedd_of(asked))
        while (claimed := stage.next()) is not None:
            schedd = self._schedd_of(claimed)
            if claimed.refuses:
                stage.refused(claimed, schedd)
                if not claimed.is_void:
                    self._advertised.refused(claimed.base.slot)
                continue
            if not claimed.base.whole and self._comes_back(claimed, schedd):
                self._use_rest(stage, claimed, schedd, start)
            settle(claimed.job)

    def _schedd_of(self, asked: _ClaimRequest) -> str:
        return self._waiting.home(asked.job.submitter, asked.job.schedd)

    def _comes_back(self, claimed: _ClaimRequest, schedd: str) -> bool:
        """Return whether the schedd gets the rest of the slot with a claim."""
        return comes_back(self._pool, claimed.base.slot, schedd, claimed.policy)

    def _use_rest(self, stage: _Stage, claimed: _ClaimRequest, schedd: str, start: Start) -> None:
        """Start one more job of a submitter in the rest of a slot."""
        if not self._schedds.uses_rest(schedd, stage.in_vain[schedd]):
            return
        suiting, base = self._suiting, claimed.base
        left, slot = stage.left(base), stage.slot(base)
        literal, none = self._schedds.literal_limits(schedd), self._schedds.compared(schedd, "")

        def suits(request: Request) -> bool:
            # What is left comes back without the concurrency limits of the match: it is not for
            # jobs that have any.
            some = any(suiting.asked(request, tuple(left)).values())
            return some and suiting.fits(request, slot, left, none, literal)

        def startable(job: Job) -> bool:
            if (schedd, job.id) in stage.held:
                return False
            return self._schedds.may_start(job, schedd, lambda: slot.ad(left), stage.now)

        job = self._waiting.next(claimed.job.submitter, schedd, suits, startable)
        if job is None:
            return
        now = suiting.timed(slot, suiting.request(job))
        amounts = self._startds.share(*now, schedd, stage.left_then(base))
        is_void = stage.is_void(base)
        refuses = amounts is None or is_void
        ends_rest = claimed.policy and not refuses
        asked = _ClaimRequest(base, job, claimed.policy, amounts or {}, refuses, ends_rest)
        asked.is_void = is_void
        if not refuses:
            asked.devices = start(base, job, asked.amounts)
        stage.ask(asked, schedd)


def comes_back(pool: Pool, slot: Slot, schedd: str, has_policy: bool = False) -> bool:
    """Return whether a schedd gets what is left of a ``slot`` with its claim."""
    if not has_policy and not _has(pool.startd_configuration(slot)):
        return False
    return _has(pool.schedd_configuration(schedd))


def _has(configuration: Configuration | None) -> bool:
    """Return whether a daemon with this configuration gives or takes leftovers."""
    return configuration is None or configuration.truth(_KNOB, True)
