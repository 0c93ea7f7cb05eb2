"""The slots of a pool and the claims on them as time goes by, and what that comes to.

A claim of the captured pool is that of the job which its schedd has there (RemoteHost), where that
is a job of the claim's own submitter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.classads import as_number
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_state import machine_of
from htcq.simulate.course.claims import Base, Claim, amounts_of
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.draining import Draining, start_of
from htcq.simulate.course.machines import Fills
from htcq.simulate.course.occupancy import Occupancy
from htcq.simulate.course.schedds import Schedds
from htcq.simulate.course.waiting import Waiting
from htcq.simulate.cycle.other_slots import in_use
from htcq.simulate.slots import Slots
from htcq.units import GPUS


class Holdings:
    """Every slot of ``pool`` that is no claim (``bases``), and the claims on them."""

    def __init__(self, pool: Pool, occupancy: Occupancy, devices: Devices) -> None:
        self._pool, self._occupancy, self._devices = pool, occupancy, devices
        self.slots_of_claims = Slots()
        self.bases: dict[str, Base] = {}
        self._parts: dict[str, list[Base]] = {}
        #: All slots of each startd that has backfill slots.
        self.beside: dict[str, list[Base]] = {}
        #: Those that drain.
        self.draining = Draining()
        #: How full the machines were, and which of them have changed since.
        self._fills, self._changed = Fills(), set[str]()

    # The captured pool
    # ----------------------------------------------------------------------------------------------

    def move_in(self, waiting: Waiting, schedds: Schedds) -> Iterator[Claim]:
        """Take over the slots of the captured pool, and yield its claims one after another."""
        slots = self._pool.slots or ()
        for slot in slots:
            # The negotiator matches a dynamic slot that nobody has as any other.
            if slot.type != DYNAMIC or not (slot.claimed and slot.customer):
                found = self.bases[str(slot.name)] = Base(slot, amounts_of(slot))
                self._devices.move_in(found)
        self.draining.captured(self.bases.values(), self._start_of)
        shared = {base.slot.startd for base in self.bases.values() if base.backfill}
        for base in self.bases.values():
            if base.slot.startd in shared:
                self.beside.setdefault(base.slot.startd, []).append(base)
        running = _running(self._pool, waiting)
        for slot in slots:
            claim = self._captured(slot, waiting, schedds)
            if claim is not None:
                claim.job = running.get((claim.schedd, str(slot.name), claim.submitter))
                yield claim
        self._parts = self._by_machine()
        self._changed = set(self._parts)

    def _captured(self, slot: Slot, waiting: Waiting, schedds: Schedds) -> Claim | None:
        is_dynamic = slot.type == DYNAMIC
        base = self.bases.get(slot.parent)
        # A dynamic slot whose parent is a static one, by its name, has none: one of the two ads is
        # wrong.
        if base is None or base.whole == is_dynamic or not (slot.claimed and slot.customer):
            return None
        amounts = amounts_of(slot) if is_dynamic else {}
        schedd = waiting.home(slot.customer, slot.remote_schedd)
        limits = slot.concurrency_limits if isinstance(slot.concurrency_limits, str) else ""
        limits = schedds.kept_limits(schedd, limits)
        if slot.startd in self.draining.startds:
            slot = self.draining.opened(slot, self._start_of(slot))
        claim = Claim(str(base.slot.name), slot, amounts, slot.customer, schedd, limits, 0.0)
        claim.user = schedds.user_of(slot, schedd)
        claim.devices = self._devices.held(base, slot) if amounts.get(GPUS) else ()
        claim.runs_since = -float(as_number(slot.job_seconds) or 0)
        claim.retires_at = float(as_number(slot.retirement_seconds) or 0)
        base.claims[claim] = None
        if base.whole:
            base.slot = self.slots_of_claims.unclaimed(slot)
        return claim

    def _by_machine(self) -> dict[str, list[Base]]:
        """Return the slots of each machine; all of them as one where a claim is elsewhere."""
        apart = all(
            machine_of(claim.slot) == machine_of(base.slot)
            for base in self.bases.values()
            for claim in base.claims
        )
        found: dict[str, list[Base]] = {}
        for base in self.bases.values():
            base.machine = machine_of(base.slot) if apart else ""
            found.setdefault(base.machine, []).append(base)
        return found

    # What changes
    # ----------------------------------------------------------------------------------------------

    def add(self, base: Base, claim: Claim) -> None:
        """Put a claim on a slot; of a partitionable one what it has is taken already."""
        self.changed(base)
        base.claims[claim] = None

    def remove(self, claim: Claim, now: float) -> Base:
        """Take a claim away, and give back what it had; return its slot."""
        base = self.bases[claim.of]
        self.changed(base)
        del base.claims[claim]
        for asset, amount in claim.amounts.items():
            base.left[asset] += amount
        if base.whole:
            base.slot = self._occupancy.entered(base.slot, now)
        self._devices.give_back(base, claim.devices)
        self.settle(base.slot.startd)
        return base

    def settle(self, startd: str) -> None:
        """End a drain that ends by itself when no claim is left."""
        drain = self.draining.startds.get(startd)
        if drain is not None and drain.resumes and not any(self.claims_of(startd)):
            del self.draining.startds[startd]

    def claims_of(self, startd: str) -> Iterator[Claim]:
        """Yield the claims on the slots of a startd."""
        for base in self.bases.values():
            if base.slot.startd == startd:
                yield from base.claims

    def _start_of(self, slot: Slot) -> str:
        return start_of(self._pool.startd_configuration(slot), slot)

    def changed(self, base: Base) -> None:
        """Note that a slot is not as it was."""
        base.shown = None
        self._changed.add(base.machine)
        for each in self.beside.get(base.slot.startd, ()):
            if each.backfill:
                each.shown = None

    def has(self, claim: Claim) -> bool:
        """Return whether a claim is still there."""
        return claim in self.bases[claim.of].claims

    # What it comes to
    # ----------------------------------------------------------------------------------------------

    def slots(self, now: float) -> Iterator[Slot]:
        """Return every slot as it is now: what is left of each, and its claims."""
        return self._slots_of(self.bases.values(), now)

    def _slots_of(self, bases: Iterable[Base], now: float) -> Iterator[Slot]:
        found = self._open_slots_of(bases, now)
        return map(self.draining.shown, found) if self.draining.startds else found

    def _open_slots_of(self, bases: Iterable[Base], now: float) -> Iterator[Slot]:
        for base in bases:
            if not base.whole:
                yield base.shown or self._show(base)
            elif not base.claims:
                yield base.slot
            for claim in base.claims:
                yield self._occupancy.shown(claim, now)

    def _show(self, base: Base) -> Slot:
        """Return a partitionable slot with what it has left, the same one until that changes."""
        has = base.left
        if base.backfill:
            has = without(has, used_of(self.beside[base.slot.startd]))
        left = self.slots_of_claims.left(base.slot, has)
        base.shown = left._replace(dynamic_slots=len(base.claims))
        return base.shown

    def fills(self, now: float) -> Fills:
        """Return how full the machines are; those alone are added up whose claims have changed."""
        for part in self._changed:
            self._fills.put(part, self._slots_of(self._parts[part], now))
        self._changed.clear()
        return self._fills

    def claims(self) -> Iterator[Claim]:
        """Yield every claim."""
        for base in self.bases.values():
            yield from base.claims

    def claimed(self, asset: str) -> float:
        """Return how much of an asset is in claims."""
        return sum(claim.has.get(asset, 0) for claim in self.claims())

    def total(self, asset: str) -> float:
        """Return how much of an asset there is."""
        free = sum(
            base.left.get(asset, 0)
            for base in self.bases.values()
            if not (base.whole and base.claims)
        )
        return free + self.claimed(asset)


def used_of(bases: Iterable[Base]) -> dict[str, Number]:
    """Return what claims on ``bases`` use of the backfill slots among these."""
    return in_use(
        (base.slot, claim.amounts or claim.has) for base in bases for claim in base.claims
    )


def without(has: Mapping[str, Number], used: Mapping[str, Number]) -> dict[str, Number]:
    """Return what is left of ``has`` where others use so much of it."""
    return {name: max(0, amount - used.get(name, 0)) for name, amount in has.items()}


def _running(pool: Pool, waiting: Waiting) -> dict[tuple[str, str, str], Job]:
    """Return the jobs that hold one slot each, by their schedds, slots and submitters."""
    found: dict[tuple[str, str, str], Job] = {}
    for job in pool.jobs or ():
        if job.running and not job.parallel and isinstance(job.remote_host, str):
            home = waiting.home(job.submitter, job.schedd)
            found[home, job.remote_host, job.submitter] = job
    return found
