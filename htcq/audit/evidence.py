"""The evidence of the rules: the captured pool, and what follows from it, computed once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from htcq.audit.charges import Charge, charges
from htcq.audit.fix import Setting
from htcq.audit.input import Input
from htcq.audit.only_files import words_for
from htcq.audit.pool_with_settings import pool_with_settings
from htcq.audit.size import Size, size_of
from htcq.audit.subject import Subject
from htcq.audit.trials import Trials
from htcq.claims.claim import Claims
from htcq.claims.startds import StartdTable
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import SCHEDD, STARTD
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import DYNAMIC, PARTITIONABLE, STATIC, Number, Slot
from htcq.pool.slot_class import SlotClass, known_again, offered_classes, slot_classes
from htcq.pool.weights import Weights
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import ailments
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.unread import unread

if TYPE_CHECKING:
    from htcq.balance.balance import Balance
    from htcq.simulate.cycle.submitter_queues import SubmitterQueues
    from htcq.why.unmatched import Unmatched, UnusedSlots
    from htcq.why.verdict import Verdicts


class Evidence(Subject):
    """A pool and what follows from it."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.weights = Weights()
        #: Whether a root cause is fixed in it: of what is found, nobody reads harm and settings.
        self.is_trial = False
        #: The same pool with other settings, which this one was made of.
        self._before: Evidence | None = None
        self._charges: dict[tuple[SlotClass, int], tuple[Charge, ...]] = {}
        self._cheapest: dict[SharedAttributes, tuple[SlotClass, Number] | None] = {}

    @property
    def source(self) -> str:
        """The pool or snapshot that it comes from."""
        return self.pool.source

    @property
    def pool_name(self) -> str:
        """The name of the pool: the machine of its collector."""
        return self.pool.name

    @property
    def taken(self) -> str:
        """The time at which the pool was captured."""
        return self.pool.taken_at

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The parts of the pool that could not be read."""
        return self.pool.incomplete

    @property
    def count(self) -> int:
        """The number of slots."""
        return len(self.slots)

    @property
    def ailments(self) -> tuple[Ailment, ...]:
        """The ailments of the daemons; none where only a configuration is known."""
        if self.pool.records is None:
            return ()
        return ailments(self.pool)

    @property
    def unread(self) -> tuple[str, ...]:
        """The data that a live pool has and this capture lacks."""
        return unread(self.pool)

    def with_settings(self, settings: Iterable[Setting]) -> Evidence:
        """Return the evidence on the same pool with these settings."""
        trial = self.on(pool_with_settings(self.pool, settings, self.quotas))
        trial.is_trial = True
        return trial

    def on(self, pool: Pool) -> Evidence:
        """Return the evidence on ``pool``, which is this one with other settings.

        Both share the jobs, and the slots unless knobs of execution points changed.
        """
        from htcq.why.unmatched import UnusedSlots

        other = Evidence(pool)
        other.weights = self.weights
        if pool.jobs is self.pool.jobs:
            other._before = self
            other.autoclusters = self.autoclusters
            other.trials = self.trials
            other._charges = self._charges
        if pool.slots is self.pool.slots:
            other.slot_classes = self.slot_classes
            other.slot_classes_by_frame = self.slot_classes_by_frame
            other.unused = self.unused
            return other
        other.slot_classes = tuple(known_again(other.slot_classes, self.slot_classes))
        other.slot_classes_by_frame = tuple(
            known_again(other.slot_classes_by_frame, self.slot_classes_by_frame)
        )
        other.unused = UnusedSlots(other.slot_classes_by_frame, self.unused)
        return other

    def lacks(self, need: Input) -> bool:
        """Return whether there is no data of this kind."""
        pool = self.pool
        there: Mapping[Input, object] = {
            Input.POOL: not pool.only_files,
            Input.SLOTS: pool.slots,
            Input.SHAPES: pool.slots or self.execute,
            Input.JOBS: pool.jobs is not None,
            Input.SUBMITTERS: pool.submitters,
            Input.ACCOUNTING: pool.accounting,
            Input.SCHEDDS: pool.schedds,
            Input.CENTRAL: pool.central,
            Input.ACCESS: self.access,
            Input.EXECUTE: self.execute,
            Input.BALANCE: not self.is_trial,
        }
        return not there.get(need)

    def missing(self, needs: Collection[Input]) -> str:
        """Return those of ``needs`` that are missing, in words; empty where none is."""
        if not self.pool.only_files:
            return super().missing(needs)
        return words_for({need for need in needs if self.lacks(need)}, bool(self.execute))

    def should_have(self, need: Input) -> bool:
        """Return whether a live pool, or a full snapshot of it, has data of this kind.

        A pool without submitters, accounts or schedds may be idle, or another pool's target.
        Configuration files are all that a directory of them can have.
        """
        pool = self.pool
        if pool.only_files:
            return False
        needed: Mapping[Input, bool] = {
            Input.SUBMITTERS: pool.records is None,
            Input.ACCOUNTING: pool.records is None,
            Input.SCHEDDS: pool.records is None,
            Input.ACCESS: bool(pool.schedds),
            Input.EXECUTE: bool(pool.slots),
            Input.BALANCE: False,
        }
        return needed.get(need, True)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot; none where there are no slot ads."""
        return self.pool.slots or ()

    @cached_property
    def size(self) -> Size:
        """The size of the pool."""
        return size_of(self.slots, self.weights)

    @cached_property
    def slot_classes(self) -> tuple[SlotClass, ...]:
        """The slots collapsed into classes of equal policy and shape."""
        return slot_classes(self.slots)

    @cached_property
    def startds(self) -> StartdTable:
        """The startds of the slots, by which requests are changed and slots carved."""
        return self.claims.startds

    def slot_classes_of_type(self, *types: str) -> tuple[SlotClass, ...]:
        """Return the classes of slot type Partitionable, Dynamic or Static."""
        return tuple(slot_class for slot_class in self.slot_classes if slot_class.type in types)

    @property
    def partitionable(self) -> tuple[SlotClass, ...]:
        """The partitionable classes."""
        return self.slot_classes_of_type(PARTITIONABLE)

    @property
    def offered(self) -> tuple[SlotClass, ...]:
        """The classes that the negotiator can match: all but dynamic slots."""
        return self.slot_classes_of_type(PARTITIONABLE, STATIC)

    @cached_property
    def slot_classes_by_frame(self) -> tuple[SlotClass, ...]:
        """The offered slots in classes of one shape and frame: their expressions are the same."""
        return offered_classes(self.slot_classes)

    @property
    def with_policy(self) -> tuple[SlotClass, ...]:
        """The classes that HTCondor matches by consumption policy."""
        return tuple(slot_class for slot_class in self.partitionable if slot_class.supports_policy)

    @property
    def dynamic(self) -> Iterator[Slot]:
        """Every dynamic slot."""
        for slot_class in self.slot_classes_of_type(DYNAMIC):
            yield from slot_class.slots

    @cached_property
    def autoclusters(self) -> tuple[Autocluster, ...]:
        """The jobs collapsed into classes; none where there are no job ads."""
        return autoclusters_of(self.pool.jobs or ())

    @cached_property
    def trials(self) -> Trials:
        """The trials of jobs on the slots' consumption policies, made once for all rules."""
        return Trials(lambda: self.autoclusters, self.claims.taken)

    def charges(self, slot_class: SlotClass) -> tuple[Charge, ...]:
        """Return the charges of the jobs that are tried on ``slot_class``."""
        # Startds that do the same are one object, also on the same pool with other settings.
        key = slot_class, id(self.startds.of(slot_class.first))
        if key not in self._charges:
            constant = not self.trials.looks_at_slot(slot_class)
            found = charges(self.claims, slot_class, self.trials.of(slot_class), constant)
            self._charges[key] = tuple(found)
        return self._charges[key]

    @cached_property
    def waiting(self) -> Mapping[str, tuple[Autocluster, ...]]:
        """The classes of each submitter's idle jobs."""
        found: dict[str, list[Autocluster]] = {}
        for each in self.autoclusters:
            for submitter in each.idle:
                found.setdefault(submitter, []).append(each)
        return {submitter: tuple(classes) for submitter, classes in found.items()}

    def fits(self, slot_class: SlotClass, jobs: Autocluster) -> bool:
        """Return whether one of ``jobs`` would be matched with an unused slot of ``slot_class``."""
        return self.claims.fits(slot_class, jobs)

    def cheapest(self, jobs: Autocluster) -> tuple[SlotClass, Number] | None:
        """Return the slot class with the least match cost for a job of ``jobs``, and that cost.

        None is returned where the job fits no slot. Every slot counts as unused. With a
        consumption policy the match cost is what the weight of the slot loses, else all of it.
        """
        key = jobs.frame
        if key not in self._cheapest:
            self._cheapest[key] = min(self._costs(jobs), key=itemgetter(1), default=None)
        return self._cheapest[key]

    def _costs(self, jobs: Autocluster) -> Iterator[tuple[SlotClass, Number]]:
        """Yield slot classes that a job of ``jobs`` fits, with the match cost."""
        for slot_class, weight in self._plain_by_weight:
            if self.fits(slot_class, jobs):
                # Plain slots cost every job the same: the first that fits is the cheapest of them.
                yield slot_class, weight
                break
        for slot_class in self.with_policy:
            if self.fits(slot_class, jobs):
                cost = self.claims.of(slot_class, jobs).cost
                if cost is not None:
                    yield slot_class, cost

    @cached_property
    def _plain_by_weight(self) -> tuple[tuple[SlotClass, Number], ...]:
        """The classes without a consumption policy, the lightest first, with their weight."""
        weighed = [(each, each.plain_weight()) for each in self.offered if not each.supports_policy]
        return tuple(sorted(weighed, key=itemgetter(1)))

    @cached_property
    def askers(self) -> SubmitterQueues:
        """The queues that access points offer to the negotiator: the jobs that may start now."""
        from htcq.simulate.cycle.submitter_queues import SubmitterQueues

        before = None if self._before is None else self._before.askers
        return SubmitterQueues(self.pool, self.quotas, before=before)

    @cached_property
    def claims(self) -> Claims:
        """The claims of the pool's jobs on slots that no job uses."""
        if self._before is not None:
            return self._before.claims.on(self.execute)
        return Claims(StartdTable(self.execute))

    @cached_property
    def unused(self) -> UnusedSlots:
        """The slots as if no job ran on them, and what keeps offered jobs from them."""
        from htcq.why.hidden_slots import hidden_of
        from htcq.why.unmatched import UnusedSlots

        return UnusedSlots(self.slot_classes_by_frame, hidden=hidden_of(self.quotas))

    @cached_property
    def unmatched(self) -> tuple[Unmatched, ...]:
        """The autoclusters of idle jobs that no slot would take even without a job on it."""
        from htcq.why.unmatched import unmatched

        if not self.slot_classes_by_frame:
            return ()
        return tuple(unmatched(self.askers, self.unused))

    @cached_property
    def balance(self) -> Balance:
        """Where all capacity is, and what all idle jobs wait for, by the next cycle."""
        from htcq.balance.balance import balance_of

        return balance_of(self.verdicts)

    @cached_property
    def verdicts(self) -> Verdicts:
        """What the next cycle makes of idle jobs, whatever slots say: an audit's only cycle."""
        from htcq.simulate.older_reading import as_negotiator_reads
        from htcq.why.verdict import Verdicts

        return Verdicts(as_negotiator_reads(self.pool), explains_slots=False)

    @cached_property
    def quotas(self) -> PoolQuotas:
        """The groups as the negotiator computes them."""
        before = None if self._before is None else self._before.quotas
        return PoolQuotas(self.pool, self.weights, before=before)

    @cached_property
    def access(self) -> Mapping[str, Configuration]:
        """The configurations of access points by schedd name.

        The central manager's configuration counts for schedds on the same machine.
        """
        return {**self._beside(self.pool.schedds), **self.pool.access}

    @cached_property
    def execute(self) -> Mapping[str, Configuration]:
        """The configurations of execution points by machine, or by startd if it has several.

        The central manager's configuration counts for startds on the same machine.
        """
        machine, central = self._central_machine, self.pool.central
        found: dict[str, Configuration] = {}
        if central is not None and machine and any(slot.machine == machine for slot in self.slots):
            found[machine] = central.of(STARTD)
        found.update(self.pool.execute)
        return found

    def configurations(self) -> Iterator[tuple[str, Configuration]]:
        """Yield every configuration once, each with the words for its owner."""
        # Files are one configuration, whatever roles the machine has.
        yield from islice(self._configurations(), 1 if self.pool.only_files else None)

    def _configurations(self) -> Iterator[tuple[str, Configuration]]:
        if self.pool.central is not None:
            yield "the central manager", self.pool.central
        for name, configuration in self.pool.access.items():
            yield f"access point {name}", configuration
        for name, configuration in self.pool.execute.items():
            yield f"execution point {name}", configuration

    @property
    def _central_machine(self) -> str:
        """The machine of config.txt: that of the collector if only one machine has one."""
        machines = {record.text("Machine") for record in self.pool.collectors}
        if len(machines) == 1:
            return machines.pop()
        return ""

    def _beside(self, records: Iterable[Record]) -> dict[str, Configuration]:
        machine, central = self._central_machine, self.pool.central
        if central is None or not machine:
            return {}
        beside = (record.name for record in records if record.text("Machine") == machine)
        return {name: central.of(SCHEDD, name) for name in beside}

    def setting(self, name: str, default: str = "") -> str:
        """Return a knob of the central manager: as configured there, else HTCondor's default."""
        if self.pool.central is None:
            return default
        return self.pool.central.value(name, default)

    def truth(self, name: str, default: bool) -> bool:
        """Return a truth value of the central manager's configuration."""
        if self.pool.central is None:
            return default
        return self.pool.central.truth(name, default)
