"""A pool as time goes by: jobs start where they were matched, run, end, and leave their claims to others.

Follows src/condor_schedd.V6/schedd.cpp (FindRunnableJob) and src/condor_startd.V6/Resource.cpp (create_dslot), HTCondor
25.14. Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from htcq.classads import as_number
from htcq.negotiate.cycle.talk import Made
from htcq.negotiate.cycles.runtimes import Dice, RunTime
from htcq.negotiate.cycles.slots import Slots
from htcq.negotiate.cycles.waiting import Waiting
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import SUBMITTER
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, Number, Slot
from htcq.pool.weights import Weights
from htcq.quota.knobs import number_of

#: For how long a claim is used again, in seconds (CLAIM_WORKLIFE, param_info.in).
_WORKLIFE = 1200.0


@dataclass(eq=False)
class Claim:
    """A claim on ``amounts`` of the slot ``of``, of all of it where there are none; its job runs until ``ends``."""

    of: str
    slot: Slot
    amounts: Mapping[str, Number]
    submitter: str
    limits: str
    since: float
    ends: float = 0.0


@dataclass
class Base:
    """A slot of the captured pool without its dynamic slots: what it has left, and who has claims on it."""

    slot: Slot
    left: dict[str, Number]
    claims: dict[Claim, None] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether it is claimed whole or not at all."""
        return self.slot.type != PARTITIONABLE


class World:
    """One pool; ``run_time`` says how long its jobs run, with ``dice``."""

    def __init__(self, pool: Pool, run_time: RunTime, dice: Dice) -> None:
        self._pool, self._run_time, self._dice = pool, run_time, dice
        self._slots, self._weights, self._numbers = Slots(), Weights(), count(1)
        self._ending: list[tuple[float, int, Claim]] = []
        self.now = 0.0
        self.waiting = Waiting(pool)
        #: How long each job waited that has started, in seconds, by submitter.
        self.waited: dict[str, list[float]] = {}
        central = pool.central
        self._leftovers = central is None or central.truth("CLAIM_PARTITIONABLE_LEFTOVERS", True)
        life = None if central is None else number_of(central.value("CLAIM_WORKLIFE") or "none")
        self._worklife = _WORKLIFE if life is None else life
        self.bases: dict[str, Base] = {}
        self._move_in()

    def _move_in(self) -> None:
        """Take over the slots and claims of the captured pool: who runs there, and for how long, nobody knows."""
        slots = self._pool.slots or ()
        for slot in slots:
            if slot.type != DYNAMIC:
                self.bases[str(slot.name)] = Base(slot, _has(slot))
        for slot in slots:
            name, _, machine = str(slot.name).partition("@")
            base = self.bases.get(f"{name.rpartition('_')[0]}@{machine}" if slot.type == DYNAMIC else str(slot.name))
            if base is not None and slot.claimed and slot.customer and (slot.type == DYNAMIC or base.whole):
                amounts = _has(slot) if slot.type == DYNAMIC else {}
                claim = Claim(str(base.slot.name), slot, amounts, slot.customer, "", 0.0)
                base.claims[claim] = None
                self._run(claim, None)

    # What the collector shows -----------------------------------------------------------------------------------

    def pool(self) -> Pool:
        """Return the pool as it is now."""
        running: dict[str, tuple[int, float]] = {}
        slots = []
        for base in self.bases.values():
            free = base.slot if base.whole else self._slots.left(base.slot, base.left)
            slots += [free] if not base.whole or not base.claims else []
            for claim in base.claims:
                slots.append(claim.slot)
                number, weight = running.get(claim.submitter, (0, 0.0))
                running[claim.submitter] = (number + 1, weight + (as_number(self._weights.of(claim.slot)) or 0.0))
        records = {**(self._pool.records or {}), SUBMITTER: self.waiting.records(running)}
        return replace(self._pool, slots=tuple(slots), jobs=tuple(self.waiting.jobs()), records=records)

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for base in self.bases.values():
            yield from base.claims

    def claimed(self, asset: str) -> float:
        """Return how much of an asset is in claims."""
        return sum(_has(claim.slot).get(asset, 0) for claim in self.claims())

    def total(self, asset: str) -> float:
        """Return how much of an asset there is."""
        free = sum(base.left.get(asset, 0) for base in self.bases.values() if not (base.whole and base.claims))
        return free + self.claimed(asset)

    def largest(self, asset: str) -> float:
        """Return the most of an asset that is free in any one slot."""
        return max(
            (base.left.get(asset, 0) for base in self.bases.values() if not (base.whole and base.claims)), default=0
        )

    # What happens -----------------------------------------------------------------------------------------------

    def take(self, made: Iterable[Made]) -> int:
        """Let the jobs start that were matched, unless a startd refuses; return how many did."""
        good = [each for each in made if not each.claim.refusal]
        for each in good:
            base = self.bases[each.slot]
            self._start(base, each.job, {} if base.whole else each.claim.amounts, each.limits)
        started = len(good)
        # What is left of a slot that was matched whole comes back to the schedd only when the slot is claimed.
        for each in good if self._leftovers else ():
            base = self.bases[each.slot]
            started += 0 if base.whole or each.policy else self._fill(base, each.job.submitter)
        return started

    def _fill(self, base: Base, submitter: str) -> int:
        """Let the schedd put more jobs of a submitter in what is left of a slot that was matched whole."""
        started = 0
        for job in self.waiting.of(submitter):
            asked = self.waiting.asked(job, tuple(base.left))
            if _fits(asked, base.left) and any(asked.values()):
                self._start(base, job, asked, "")
                started += 1
        return started

    def _start(self, base: Base, job: Job, amounts: Mapping[str, Number], limits: str) -> None:
        if base.whole:
            slot = self._slots.claimed(base.slot, job.submitter, limits)
        else:
            slot = self._slots.dynamic(base.slot, next(self._numbers), amounts, job.submitter, limits)
            for asset, amount in amounts.items():
                base.left[asset] -= amount
        claim = Claim(str(base.slot.name), slot, amounts, job.submitter, limits, self.now)
        base.claims[claim] = None
        self._run(claim, job)

    def _run(self, claim: Claim, job: Job | None) -> None:
        if job is not None:
            self.waiting.start(job)
            self.waited.setdefault(job.submitter, []).append(self.now)
        seconds = self._run_time(job, self._dice)
        claim.ends = self.now + seconds
        heapq.heappush(self._ending, (claim.ends, next(self._numbers), claim))

    def advance(self, until: float) -> None:
        """Let time go by: jobs end, and others of the same submitter start in their claims, or the claims end."""
        while self._ending and self._ending[0][0] <= until:
            self.now, _, claim = heapq.heappop(self._ending)
            job = self._next(claim) if self.now - claim.since < self._worklife else None
            if job is not None:
                self._run(claim, job)
            else:
                self._release(claim)
        self.now = until

    def _next(self, claim: Claim) -> Job | None:
        """Return the next job of the submitter that fits in a claim."""
        has = claim.amounts or _has(claim.slot)
        for job in self.waiting.of(claim.submitter):
            if _fits(self.waiting.asked(job, tuple(has)), has):
                return job
        return None

    def _release(self, claim: Claim) -> None:
        base = self.bases[claim.of]
        del base.claims[claim]
        for asset, amount in claim.amounts.items():
            base.left[asset] += amount


def _fits(asked: Mapping[str, Number], has: Mapping[str, Number]) -> bool:
    return all(amount <= has[asset] for asset, amount in asked.items())


def _has(slot: Slot) -> dict[str, Number]:
    return {asset: amount or 0 for asset, amount in slot.left().items()}
