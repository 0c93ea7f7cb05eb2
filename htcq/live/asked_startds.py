"""The startds that a capture asks for their configuration, chosen while it reads the ads of slots.

These are one of each policy with others of its machine, those that suspend or vacate jobs, whose
slots have fewer cores than the machine, or whose own counters say that they start nothing, were
tried most for what runs there, or that nobody claims them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from htcq.classads import as_number
from htcq.pool.slot import startd_in

#: How many startds of a machine are asked for their knobs.
_MAX_BESIDE = 4
#: So many times the claims that led to a start are wasted claims.
_WASTED = 4
#: How many startds that seem to start nothing, or that nobody claims, are asked for theirs; and
#: how many tries that start nothing are no accident.
_MAX_FAILING, _OFTEN = 8, 3
#: How many that were tried most for each job that seems to run there.
_MAX_ODD = 4

#: Activities in which no job makes progress.
_STANDING = frozenset(("Suspended", "Vacating", "Killing"))

_Location = dict[str, str]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Tries(NamedTuple):
    """What a startd counted in the last minutes; None where its ads do not say."""

    claims: int | None
    activations: int | None
    starts: int | None


class AskedStartds:
    """The startds that are asked, by the locations of their slots."""

    def __init__(self) -> None:
        self._policies: dict[tuple[tuple[str, str], ...], _Location] = {}
        self._tried: dict[str, tuple[_Location, Tries]] = {}
        self._busy: Counter[str] = Counter()
        self._suspends: set[str] = set()
        #: Of each startd the cores that none of its slots has.
        self._in_no_slot: dict[str, float] = {}
        self._of_machines: dict[str, dict[str, _Location]] = {}

    def look(self, ad: Any, location: _Location) -> None:
        """Look at the ad of a slot."""
        if not {"Name", "MyAddress"} <= location.keys():
            return
        startd = startd_of(location)
        if ad.get("Activity") == "Busy":
            self._busy[startd] += 1
        elif ad.get("Activity") in _STANDING:
            self._suspends.add(startd)
        if ad.get("DynamicSlot") is True:
            return
        self._policies.setdefault(_policy(ad), location)
        self._tried.setdefault(startd, (location, _tries(ad)))
        cores, own = (as_number(ad.get(name)) or 0 for name in ("TotalCpus", "TotalSlotCpus"))
        self._in_no_slot[startd] = self._in_no_slot.get(startd, cores) - own
        beside = self._of_machines.setdefault(location.get("Machine", ""), {})
        if len(beside) < _MAX_BESIDE:
            beside.setdefault(startd, location)

    def add(self, other: AskedStartds) -> None:
        """Add what was seen in other ads, of other machines."""
        self._policies = _joined(self._policies, other._policies)
        self._tried = _joined(self._tried, other._tried)
        self._of_machines = _joined(self._of_machines, other._of_machines)
        self._busy += other._busy
        self._suspends |= other._suspends
        for startd, cores in other._in_no_slot.items():
            self._in_no_slot[startd] = self._in_no_slot.get(startd, 0) + cores

    def locations(self) -> tuple[_Location, ...]:
        """Return the locations of those that are asked, each once."""
        asked = {startd_of(each): each for each in self._policies.values()}
        for each in self._policies.values():
            for startd, location in self._of_machines[each.get("Machine", "")].items():
                asked.setdefault(startd, location)
        tried, busy = self._tried, self._busy
        failing = [name for name in tried if name in self._suspends]
        failing += [name for name, (_, tries) in tried.items() if starts_nothing(tries, busy[name])]
        # Where jobs fail at once, slots look as if they ran: the oddest are asked in any case.
        odd = sorted(tried, key=lambda name: -_tries_for_each(tried[name][1], busy[name]))
        odd = [name for name in odd if _tries_for_each(tried[name][1], busy[name]) > 1]
        unslotted = [name for name in tried if self._in_no_slot[name] > 0]
        unused = [name for name, (_, tries) in tried.items() if tries.claims == 0]
        for startd in [*failing, *unslotted, *odd[:_MAX_ODD], *unused][:_MAX_FAILING]:
            asked.setdefault(startd, tried[startd][0])
        return tuple(asked.values())


def _joined(first: dict[_Key, _Value], then: dict[_Key, _Value]) -> dict[_Key, _Value]:
    """Return both, in their order; of what both have that of the first one."""
    return {**first, **then, **first}


def startd_of(location: Mapping[str, str]) -> str:
    """Return the name of the startd of a slot; several of them may run on a machine."""
    return startd_in(location["Name"])


def starts_nothing(tries: Tries, running: int) -> bool:
    """Return whether a startd counts many more claims or starts than jobs that run there.

    Its configuration may say why. A dynamic slot whose job failed at once is there for a while.
    """
    claims, activations, starts = (each or 0 for each in tries)
    often = max(_OFTEN, _OFTEN * running)
    if max(claims, activations) < often:
        return False
    if starts == 0 or claims == 0 or starts >= often:
        return True
    return claims >= max(often, _WASTED * activations)


def _tries_for_each(tries: Tries, running: int) -> float:
    """Return how often a startd was tried for each job that seems to run there."""
    return max(tries.claims or 0, tries.activations or 0) / max(1, running)


def _tries(ad: Mapping[str, Any]) -> Tries:
    names = ("RecentClaimRequests", "RecentActivationRequests", "RecentJobStarts")
    values = [ad.get(name) for name in names]
    return Tries(*(value if isinstance(value, int) else None for value in values))


def _policy(ad: Any) -> tuple[tuple[str, str], ...]:
    names = ("slotweight", "condorversion")
    kept = [name for name in ad if name.lower() in names or name.lower().startswith("consumption")]
    return tuple(sorted((name.lower(), str(ad.lookup(name))) for name in kept))
