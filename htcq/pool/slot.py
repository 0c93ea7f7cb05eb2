"""A slot as its startd advertises it (machine-classad-attributes.rst, HTCondor 25.14)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, Union

from htcq.classads import UNDEFINED, Ad, Value, as_number
from htcq.pool.ad_lines import AdSchema
from htcq.pool.shared_attributes import SharedAttributes
from htcq.units import CPUS, DISK, GPUS, MEMORY, attribute

Number = Union[int, float]

#: Attributes that differ between equal slots, in the order of the fields of :class:`Slot`.
OWN = (
    "Name", "Machine", "State", "Activity", "Cpus", "Memory", "Disk", "GPUs", "TotalDisk",
    "TotalSlotDisk", "AccountingGroup", "RemoteUser", "NumDynamicSlots", "DaemonStartTime",
    "TotalMemory", "TotalSlotCpus", "TotalSlotMemory", "TotalSlots", "SlotID", "KFlops",
    "RemoteOwner", "CurrentRank", "RetirementTimeRemaining", "RemoteScheddName",
    "ConcurrencyLimits", "LastHeardFrom", "EnteredCurrentActivity", "DetectedMemory",
    "EnteredCurrentState", "TotalJobRunTime", "ExpectedMachineGracefulDrainingCompletion",
    "MyCurrentTime", "NumDynamicSlotsTime", "RecentClaimRequests", "RecentActivationRequests",
    "RecentJobStarts", "LastDrainStartTime", "RecentJobPreemptions", "RecentJobRankPreemptions",
    "RecentJobUserPrioPreemptions", "JobId", "JobStart", "UpdatesTotal", "UpdateSequenceNumber",
)  # fmt: skip
SHARED = (
    "MyType", "SlotType", "SlotTypeID", "PartitionableSlot", "DynamicSlot", "SlotWeight",
    "MachineResources", "Consumption*", "TotalCpus", "TotalGPUs", "TotalSlot*", "NumClaims",
    "CondorVersion", "Requirements", "Start", "WithinResourceLimits", "Rank", "DiskQuantum",
    "DetectedCpus", "DetectedGPUs", "WantMatching", "WorkingCM", "Offline", "SlotBackfill",
    "BackfillSlot", "Draining", "GPUs_*", "AvailableGPUs", "DrainReason",
    "GhostMultiplier", "HtcqModel", "HtcqModelHash", "DedicatedScheduler", "ClassAdLifetime",
    "SlotBrokenCode", "SlotBrokenReason", "BrokenSlot*", "IsDataSlot", "IsDirectAttach", "OCU",
    "Healthy", "HealthFactor", "HealthExprs", "NegotiatorRequirements", "WantAdRevaluate",
    "PreemptingConcurrencyLimits", "PreemptingAccountingGroup", "PreemptingUser", "PreemptingRank",
    "MaxJobRetirementTime", "PslotRollupInformation", "WantClaiming",
    "Unhibernate", "MachineMaxVacateTime", "CondorPlatform",
)  # fmt: skip
#: The types of their ads.
SLOT_TYPES = (b"Machine", b"Slot")
SLOT = AdSchema(tuple(name.lower() for name in OWN), frozenset(name.lower() for name in SHARED))

#: The index of each own attribute in a :class:`Slot`.
PLACES = {name.lower(): place for place, name in enumerate(OWN, 1)}

#: The name of an attribute, in lower case.
_ATTRIBUTE = re.compile(r"[a-z_][a-z0-9_]*\Z")
#: The name of a dynamic slot. Its number stands before the first @; a startd of a pilot job has a
#: name of its own with more of them behind it.
_CHILD = re.compile(r"([^@]+)_([0-9]{1,9})@(.+)\Z", re.DOTALL)
PARTITIONABLE, DYNAMIC, STATIC = "Partitionable", "Dynamic", "Static"
_NOTHING: Mapping[str, Value] = {}


class Slot(NamedTuple):
    """One slot: its shared attributes (``frame``) and its own; amounts in MB, KiB and counts."""

    frame: SharedAttributes
    name: Value
    machine: Value
    state: Value
    activity: Value
    cpus: Value
    memory_mb: Value
    disk_kb: Value
    gpus: Value
    total_disk_kb: Value
    total_slot_disk_kb: Value
    accounting_group: Value
    remote_user: Value
    dynamic_slots: Value
    daemon_start_time: Value
    total_memory_mb: Value
    total_slot_cpus: Value
    total_slot_memory_mb: Value
    total_slots: Value
    slot_id: Value
    kflops: Value
    remote_owner: Value
    current_rank: Value
    retirement_seconds: Value
    remote_schedd: Value
    concurrency_limits: Value
    last_heard: Value
    activity_since: Value
    detected_memory_mb: Value
    state_since: Value = UNDEFINED
    job_seconds: Value = UNDEFINED
    drained_until: Value = UNDEFINED
    own_time: Value = UNDEFINED
    split_since: Value = UNDEFINED
    recent_claims: Value = UNDEFINED
    recent_activations: Value = UNDEFINED
    recent_starts: Value = UNDEFINED
    drained_at: Value = UNDEFINED
    recent_preemptions: Value = UNDEFINED
    recent_rank_preemptions: Value = UNDEFINED
    recent_prio_preemptions: Value = UNDEFINED
    job_id: Value = UNDEFINED
    job_start: Value = UNDEFINED
    updates: Value = UNDEFINED
    update_number: Value = UNDEFINED

    def ad(
        self, changed: dict[str, Number] | None = None, added: Mapping[str, Value] = _NOTHING
    ) -> Ad:
        """Return the slot's ad with some amounts changed, and attributes ``added``.

        It is valid until the next call for a slot of the same frame.
        """
        amounts = changed or {}
        names = {attribute(asset): amounts[asset] for asset in amounts}
        return self.frame.ad_of(self, {**names, **added})

    def value(self, name: str) -> Value:
        """Return the attribute ``name``, the slot's own or a shared one; UNDEFINED where absent."""
        place = PLACES.get(name.lower())
        if place is None:
            return self.frame.value(name)
        found: Value = self[place]  # type: ignore[assignment]  # only the first field is a frame
        return found

    def own(self) -> Iterator[tuple[str, Value]]:
        """Yield the attributes that are the slot's own."""
        return zip(OWN, self[1:])

    @property
    def type(self) -> str:
        """Partitionable, Dynamic or Static, as the slot says or as its attributes show."""
        text = self.frame.value("SlotType")
        if isinstance(text, str):
            return text
        if self.frame.value("PartitionableSlot") is True:
            return PARTITIONABLE
        if self.frame.value("DynamicSlot") is True:
            return DYNAMIC
        return STATIC

    @property
    def parent(self) -> str:
        """The name of the partitionable slot that a dynamic one is part of; of others their own."""
        name = str(self.name)
        child = _CHILD.match(name) if self.type == DYNAMIC else None
        return name if child is None else f"{child.group(1)}@{child.group(3)}"

    @property
    def number(self) -> int:
        """The number of a dynamic slot among those of its parent; 0 where its name has none."""
        child = _CHILD.match(str(self.name))
        return 0 if child is None else int(child.group(2))

    @property
    def type_id(self) -> int:
        """The number of its slot type, or its parent's; 0 where the ad does not say."""
        number = as_number(self.frame.value("SlotTypeID"))
        if number is None:
            return 0
        return abs(int(number))

    @property
    def startd(self) -> str:
        """The name of its startd; a machine may have several."""
        return startd_in(str(self.name))

    @property
    def claimed(self) -> bool:
        """Whether the accountant charges somebody for it (Accountant.cpp:IsClaimed)."""
        return is_claimed(self.state)

    @property
    def customer(self) -> str:
        """The submitter that is charged: AccountingGroup, else RemoteUser; empty where none is."""
        return charged_to(self.accounting_group, self.remote_user)

    @property
    def occupant(self) -> str:
        """Whom a match would preempt: who is to have the claim next, else who has it.

        It is empty where nobody has it (matchmaker.cpp: matchmakingAlgorithm, 25.14).
        """
        customer = self.customer
        if not customer:
            return ""
        for name in ("PreemptingAccountingGroup", "PreemptingUser"):
            value = self.frame.value(name)
            if isinstance(value, str) and value:
                return value
        return customer

    def left(self) -> dict[str, Number | None]:
        """Return what the slot has left of each asset; None where the ad has no number."""
        amounts: dict[str, Number | None] = {}
        own = {CPUS: self.cpus, MEMORY: self.memory_mb, DISK: self.disk_kb, GPUS: self.gpus}
        ad = None
        for asset in self.assets:
            if asset in own:
                value = own[asset]
            else:
                ad = ad or self.ad()
                value = ad.value(attribute(asset))
            amounts[asset] = as_number(value)
        return amounts

    def total(self) -> dict[str, Number | None]:
        """Return the slot's amounts at birth (TotalSlot<asset>).

        Where the ad does not say, the amount that it has.
        """
        amounts = self.left()
        for asset in amounts:
            place, name = _total_of(asset)
            whole = as_number(self.frame.value(name) if place is None else self[place])  # type: ignore[arg-type]
            if whole is not None:
                amounts[asset] = whole
        return amounts

    def whole(self) -> dict[str, Number]:
        """Return the slot's amounts at birth; 0 where the ad has no number."""
        return {asset: amount or 0 for asset, amount in self.total().items()}

    @property
    def assets(self) -> tuple[str, ...]:
        """The assets of MachineResources in lower case, without swap; else the built-in ones.

        A word that cannot be the name of an attribute is no asset: HTCondor finds no amount of it.
        """
        resources = self.frame.value("MachineResources")
        if not isinstance(resources, str):
            return (CPUS, MEMORY, DISK)
        return _assets_in(resources)


def startd_in(name: str) -> str:
    """Return the name of the startd in that of a slot; all of it where it names no slot."""
    return name.partition("@")[2] or name


def is_claimed(state: Value) -> bool:
    """Return whether the accountant charges somebody for a slot in ``state``."""
    return state in ("Claimed", "Preempting")


def charged_to(accounting_group: Value, remote_user: Value) -> str:
    """Return the submitter that is charged for a slot; empty where there is none."""
    for name in (accounting_group, remote_user):
        if isinstance(name, str) and name:
            return name
    return ""


@lru_cache(maxsize=1024)
def _total_of(asset: str) -> tuple[int | None, str]:
    """Return the place of TotalSlot<asset> in a slot, where there is one, and its name."""
    name = f"TotalSlot{attribute(asset)}"
    return PLACES.get(name.lower()), name


@lru_cache(maxsize=1024)
def _assets_in(resources: str) -> tuple[str, ...]:
    listed = dict.fromkeys(resources.replace(",", " ").lower().split())
    return tuple(each for each in listed if each != "swap" and is_asset(each))


def is_asset(word: str) -> bool:
    """Return whether an attribute of a slot can be called ``word``, in lower case."""
    return bool(_ATTRIBUTE.match(word))


def number_or(value: Value, otherwise: Number) -> Number:
    """Return ``value`` as a number, or ``otherwise``."""
    number = as_number(value)
    if number is None:
        return otherwise
    return number
