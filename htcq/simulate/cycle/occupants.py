"""Who has claims on slots, as the negotiator writes it into the ads of these slots.

Follows addRemoteUserPrios of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. It is written
when the cycle begins; what users and groups use is a function there, and changes with each match.
Nothing is written where no preemption is considered.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType

from htcq.classads import Value, as_number
from htcq.htcondor.releases import FLOORS_OF_CLAIMS
from htcq.pool.slot import Slot
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.cpp_float import as_float
from htcq.simulate.cycle.accounts import Accounts

_PRIORITY, _FLOOR, _USED = "RemoteUserPrio", "RemoteUserFloor", "RemoteUserResourcesInUse"
_GROUP, _GROUP_USED, _GROUP_QUOTA = (
    "RemoteGroup",
    "RemoteGroupResourcesInUse",
    "RemoteGroupQuota",
)
_CHANGING = frozenset({_USED.lower(), _GROUP_USED.lower()})
#: All of them, in lower case.
NAMES = _CHANGING | {name.lower() for name in (_PRIORITY, _FLOOR, _GROUP, _GROUP_QUOTA)}
_CURRENT_RANK, _PREEMPTING_RANK = "CurrentRank", "PreemptingRank"
NOTHING: Mapping[str, Value] = MappingProxyType({})
#: The user of a partitionable slot whose dynamic slots are preempted together.
SEVERAL = "various_dSlot_users"


class Occupants:
    """What is written into the ads of claimed slots: what the ``words`` of expressions name."""

    def __init__(
        self, quotas: PoolQuotas, accounts: Accounts, words: Container[str], preemption: bool = True
    ) -> None:
        self._quotas, self._accounts, self.preemption = quotas, accounts, preemption
        self._named = frozenset(name for name in NAMES if preemption and name in words)
        self._has_floor = FLOORS_OF_CLAIMS.holds(quotas.negotiator_version)
        self._known: dict[str, Mapping[str, Value]] = {}
        self._changes = 0

    @property
    def any(self) -> bool:
        """Whether anything is written because of an occupant."""
        return bool(self._named)

    @property
    def changes(self) -> int:
        """A number that is another one when what is written may have changed."""
        return 0 if self._named.isdisjoint(_CHANGING) else self._accounts.changes

    def added(self, slot: Slot, occupant: str) -> Mapping[str, Value]:
        """Return what the ad of ``slot`` has because of its ``occupant``."""
        found = self.of(occupant)
        rank = as_number(slot.frame.value(_PREEMPTING_RANK)) if self.preemption else None
        if rank is None:
            return found
        # A new job has to be better than the one that waits for the claim.
        return {**found, _CURRENT_RANK: float(rank)}

    def of(self, occupant: str) -> Mapping[str, Value]:
        """Return what the ads of the slots of ``occupant`` have; the same object while it is so."""
        if not self._named or occupant in ("", SEVERAL):
            return NOTHING
        if self._changes != self.changes:
            self._changes = self.changes
            self._known = {each: self._of(each, known) for each, known in self._known.items()}
        found = self._known.get(occupant)
        if found is None:
            found = self._known[occupant] = self._of(occupant, NOTHING)
        return found

    def _of(self, occupant: str, known: Mapping[str, Value]) -> Mapping[str, Value]:
        quotas, accounts = self._quotas, self._accounts
        group = accounts.group_of(occupant)
        values: dict[str, Value] = {
            _PRIORITY: as_float(quotas.priority(occupant)),
            _USED: float(accounts.usage(occupant)),
        }
        if self._has_floor:
            values[_FLOOR] = quotas.floor(occupant)
        if quotas.grouped:
            values[_GROUP] = group
            values[_GROUP_USED] = float(accounts.groups[group])
            # It is that of the cycle before, which nobody knows: it is taken to be the same.
            values[_GROUP_QUOTA] = accounts.quota(group)
        found = {name: value for name, value in values.items() if name.lower() in self._named}
        return known if known == found else found
