"""What the rules look at: the pool as captured, and what follows from it, computed once for all rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING

from htcq.audit.charges import Charge, charges
from htcq.audit.input import Input
from htcq.audit.trials import Trials
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.configuration import Configuration
from htcq.pool.matching import Mismatch, wall
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, STATIC, Number, Slot
from htcq.pool.slot_class import SlotClass, slot_classes
from htcq.pool.startds import StartdTable
from htcq.pool.versions import version
from htcq.pool.weights import Weights
from htcq.poolquota.groups import PoolQuotas

if TYPE_CHECKING:
    from htcq.audit.unmatched import Unmatched, UnusedSlots
    from htcq.simulate.cycle.submitter_queues import SubmitterQueues


class Evidence:
    """A pool and what follows from it."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.weights = Weights()
        self._charges: dict[int, tuple[Charge, ...]] = {}
        self._walls: dict[tuple[int, int], Mismatch] = {}
        self._cheapest: dict[int, tuple[SlotClass, Number] | None] = {}
        self._others: list[tuple[SlotClass, ...]] = []

    def with_settings(self, pool: Pool) -> Evidence:
        """Return the evidence on ``pool``, which is this one with other settings.

        What those settings leave alone is not computed anew: the jobs never change, the slots only with knobs of
        execute nodes.
        """
        from htcq.audit.unmatched import UnusedSlots

        other = Evidence(pool)
        if pool.jobs is self.pool.jobs:
            other.classes = self.classes
            other.trials = self.trials
            other._charges, other._walls = self._charges, self._walls
        if pool.slots is self.pool.slots:
            other.kinds, other.alike, other.unused = self.kinds, self.alike, self.unused
            return other
        other.kinds = tuple(_known_again(other.kinds, self.kinds))
        other.unused = UnusedSlots(other.alike, self.unused)
        # What is known of kinds is known by their identity, which only counts while they are there.
        self._others += (other.kinds, other.alike)
        return other

    def lacks(self, need: Input) -> bool:
        """Tell whether there is no evidence of this kind."""
        pool = self.pool
        there: Mapping[Input, object] = {
            Input.SLOTS: pool.slots,
            Input.JOBS: pool.jobs is not None,
            Input.SUBMITTERS: pool.submitters,
            Input.ACCOUNTING: pool.accounting,
            Input.SCHEDDS: pool.schedds,
            Input.CENTRAL: pool.central,
            Input.ACCESS: self.access,
            Input.EXECUTE: self.execute,
            Input.DECLARED: (),
            Input.ELASTIC: (),
        }
        return not there[need]

    def should_have(self, need: Input) -> bool:
        """Tell whether a live pool, or a full snapshot of it, has evidence of this kind.

        A pool without submitters, accounts or schedds may be idle, or another pool's target; nobody must declare.
        """
        pool = self.pool
        needed: Mapping[Input, bool] = {
            Input.SUBMITTERS: pool.records is None,
            Input.ACCOUNTING: pool.records is None,
            Input.SCHEDDS: pool.records is None,
            Input.ACCESS: bool(pool.schedds),
            Input.EXECUTE: bool(pool.slots),
            Input.DECLARED: False,
            Input.ELASTIC: False,
        }
        return needed.get(need, True)

    # Slots ------------------------------------------------------------------------------------------------------

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot; none where there are no slot ads."""
        return self.pool.slots or ()

    @cached_property
    def kinds(self) -> tuple[SlotClass, ...]:
        """The slots collapsed into kinds of equal policy and shape."""
        return slot_classes(self.slots)

    @cached_property
    def startds(self) -> StartdTable:
        """What the startds of the slots make of requests."""
        return StartdTable(self.execute)

    def kinds_of_type(self, *types: str) -> tuple[SlotClass, ...]:
        """Return the kinds of slot type Partitionable, Dynamic or Static."""
        return tuple(kind for kind in self.kinds if kind.type in types)

    @property
    def partitionable(self) -> tuple[SlotClass, ...]:
        """The partitionable kinds."""
        return self.kinds_of_type(PARTITIONABLE)

    @property
    def offered(self) -> tuple[SlotClass, ...]:
        """The kinds that the negotiator can match: all but dynamic slots."""
        return self.kinds_of_type(PARTITIONABLE, STATIC)

    @cached_property
    def alike(self) -> tuple[SlotClass, ...]:
        """The offered slots by shape and frame: all that their own expressions say of a job is equal."""
        found: dict[tuple[int, int], list[Slot]] = {}
        for kind in self.offered:
            for slot in kind.slots:
                found.setdefault((id(kind), id(slot.frame)), []).append(slot)
        return tuple(SlotClass(tuple(slots)) for slots in found.values())

    @property
    def with_policy(self) -> tuple[SlotClass, ...]:
        """The kinds that HTCondor matches by consumption policy."""
        return tuple(kind for kind in self.partitionable if kind.supports_policy)

    @cached_property
    def slot_types(self) -> Mapping[str, frozenset[int]]:
        """The numbers of the slot types that each machine has, by machine."""
        by_frame: dict[int, int] = {}
        found: dict[str, set[int]] = {}
        for kind in self.offered:
            for slot in kind.slots:
                if id(slot.frame) not in by_frame:
                    by_frame[id(slot.frame)] = slot.type_id
                found.setdefault(str(slot.machine), set()).add(by_frame[id(slot.frame)])
        return {machine: frozenset(types) for machine, types in found.items()}

    @property
    def dynamic(self) -> Iterator[Slot]:
        """Every dynamic slot."""
        return (slot for kind in self.kinds_of_type(DYNAMIC) for slot in kind.slots)

    # Jobs -------------------------------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> tuple[Autocluster, ...]:
        """The jobs collapsed into classes; none where there are no job ads."""
        return autoclusters_of(self.pool.jobs or ())

    @cached_property
    def trials(self) -> Trials:
        """What jobs take by the slots' consumption policies, tried once for all rules."""
        return Trials(lambda: self.classes)

    def charges(self, kind: SlotClass) -> tuple[Charge, ...]:
        """Return what the jobs that are tried on ``kind`` are charged there."""
        if id(kind) not in self._charges:
            constant = not self.trials.looks_at_slot(kind)
            self._charges[id(kind)] = tuple(charges(kind, self.trials.of(kind), constant))
        return self._charges[id(kind)]

    @cached_property
    def waiting(self) -> Mapping[str, tuple[Autocluster, ...]]:
        """The classes of each submitter's idle jobs."""
        found: dict[str, list[Autocluster]] = {}
        for each in self.classes:
            for submitter in each.idle:
                found.setdefault(submitter, []).append(each)
        return {submitter: tuple(classes) for submitter, classes in found.items()}

    def fits(self, kind: SlotClass, jobs: Autocluster) -> bool:
        """Tell whether a job of ``jobs`` would be matched with an unused slot of ``kind``."""
        key = id(kind), id(jobs.frame)
        if key not in self._walls:
            self._walls[key] = wall(kind, jobs)[0]
        return self._walls[key] is Mismatch.NONE

    def cheapest(self, jobs: Autocluster) -> tuple[SlotClass, Number] | None:
        """Return the kind of slot that costs a job of ``jobs`` least, and the match cost; None where it fits none.

        Every slot counts as unused. With a consumption policy a match costs what the weight loses, else all of it.
        """
        key = id(jobs.frame)
        if key not in self._cheapest:
            # Plain slots cost every job the same: the first that fits is the cheapest of them.
            plain = next((each for each in self._plain_by_weight if self.fits(each[0], jobs)), None)
            known = [plain] if plain is not None else []
            for kind in self.with_policy:
                cost = kind.cost(kind.consumed(jobs.ad())) if self.fits(kind, jobs) else None
                known += [(kind, cost)] if cost is not None else []
            self._cheapest[key] = min(known, key=lambda each: each[1], default=None)
        return self._cheapest[key]

    @cached_property
    def _plain_by_weight(self) -> tuple[tuple[SlotClass, Number], ...]:
        """The kinds without a consumption policy, the lightest first, with their weight."""
        plain = [(kind, kind.plain_weight()) for kind in self.offered if not kind.supports_policy]
        return tuple(sorted(plain, key=lambda each: each[1]))

    @cached_property
    def askers(self) -> SubmitterQueues:
        """What the access points offer to the negotiator: the jobs that they would start now, in their queues."""
        from htcq.simulate.cycle.submitter_queues import SubmitterQueues

        return SubmitterQueues(self.pool, self.quotas)

    @cached_property
    def unused(self) -> UnusedSlots:
        """The slots as they were if no job ran, and which of the jobs that are offered they would take."""
        from htcq.audit.unmatched import UnusedSlots

        return UnusedSlots(self.alike)

    @cached_property
    def unmatched(self) -> tuple[Unmatched, ...]:
        """The autoclusters of idle jobs that no slot would take even unused."""
        from htcq.audit.unmatched import unmatched

        return tuple(unmatched(self.askers, self.unused)) if self.alike else ()

    # Groups -----------------------------------------------------------------------------------------------------

    @cached_property
    def quotas(self) -> PoolQuotas:
        """The groups as the negotiator computes them."""
        return PoolQuotas(self.pool, self.weights)

    # Configuration ----------------------------------------------------------------------------------------------

    @cached_property
    def access(self) -> Mapping[str, Configuration]:
        """The configurations of access points by schedd name; the central manager's counts for schedds beside it."""
        return {**self._beside(self.pool.schedds), **self.pool.access}

    @cached_property
    def execute(self) -> Mapping[str, Configuration]:
        """The configurations of execution points by machine; the central manager's counts for startds beside it."""
        machine = self._central_machine
        beside = machine and any(slot.machine == machine for slot in self.slots)
        own = {machine: self.pool.central} if beside and self.pool.central is not None else {}
        return {**own, **self.pool.execute}

    def configurations(self) -> Iterator[tuple[str, Configuration]]:
        """Yield every configuration once, each with whose it is."""
        if self.pool.central is not None:
            yield "the central manager", self.pool.central
        for role, found in (("access point", self.pool.access), ("execution point", self.pool.execute)):
            for name, configuration in found.items():
                yield f"{role} {name}", configuration

    def version_of_schedd(self, name: str) -> tuple[int, ...]:
        """Return the version of the schedd ``name``; empty where its ad is not there."""
        record = next((each for each in self.pool.schedds if each.name == name), None)
        return () if record is None else version(record.value("CondorVersion"))

    @property
    def _central_machine(self) -> str:
        """The machine that config.txt comes from: the one of the collector that lists itself."""
        machines = {record.text("Machine") for record in self.pool.collectors}
        return machines.pop() if len(machines) == 1 else ""

    def _beside(self, records: Iterable[Record]) -> dict[str, Configuration]:
        machine, central = self._central_machine, self.pool.central
        if central is None or not machine:
            return {}
        return {record.name: central for record in records if record.text("Machine") == machine}

    def setting(self, name: str, default: str = "") -> str:
        """Return a knob of the central manager: as configured there, else HTCondor's default."""
        return self.pool.central.value(name, default) if self.pool.central is not None else default

    def truth(self, name: str, default: bool) -> bool:
        """Return a truth value of the central manager's configuration."""
        return self.pool.central.truth(name, default) if self.pool.central is not None else default


def _known_again(kinds: Iterable[SlotClass], before: Iterable[SlotClass]) -> Iterator[SlotClass]:
    """Yield ``kinds``, each of which that has the very slots of one of ``before`` as that one."""
    by_first = {id(kind.first): kind for kind in before}
    for kind in kinds:
        known = by_first.get(id(kind.first))
        if known is not None and len(known.slots) == len(kind.slots) and all(map(is_, known.slots, kind.slots)):
            yield known
        else:
            yield kind
