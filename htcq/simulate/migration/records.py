"""What a change of slot weights makes of a pool, as records.

Their fields are the names in every output.

``before`` is in the unit of the slot weights as they are, ``after`` in that of the new ones.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Amount:
    """One amount in both units."""

    before: float
    after: float


@dataclass(frozen=True)
class GroupMove:
    """One group; ``depth`` is 0 for the root.

    ``config_quota`` is the amount or the share that the configuration says (None: it says
    nothing), ``quota`` what the negotiator makes of it, ``share`` that with the groups below it
    as a part of the pool. ``usage`` is that of the group itself, ``idle`` what its idle jobs
    weigh to their schedds, ``cheapest`` the cheapest match of any of them on an empty slot
    (None: they fit nowhere, or are not known). ``allocated`` and ``limit`` are those of the
    first round after the switch, as long as schedds report running jobs in the old unit; the
    limit is None without a turn. ``charged`` is the usage that the negotiator counts then: one
    before 25.10.1 charges running claims in the old unit until they end. ``starves`` says why
    the group gets nothing then, ``starves_later`` the same when all running jobs are reported in
    the new unit; empty: it does not.
    """

    name: str
    parent: str | None
    depth: int
    static: bool
    config_quota: Amount | None
    quota: Amount
    share: Amount
    usage: Amount
    charged: float
    running: Amount
    idle: Amount
    idle_jobs: int
    cheapest: float | None
    allocated: float
    limit: float | None
    accept_surplus: bool
    autoregroup: bool
    starves: str = ""
    starves_later: str = ""

    @property
    def over(self) -> float:
        """How far it is above its quota after the switch.

        No new job starts until that much has ended.
        """
        return max(0.0, self.charged - self.quota.after)


@dataclass(frozen=True)
class SubmitterMove:
    """One submitter; ``ceiling`` and ``floor`` are None where it has none.

    ``priority`` is the real one: as it is stored, and what it would be if all earlier usage had
    been in the new unit. ``until_seconds`` is when the stored one is within a tenth of that if
    usage stays as it is; 0: it is now.
    """

    name: str
    group: str
    usage: Amount
    ceiling: Amount | None
    floor: Amount | None
    priority: Amount | None
    factor: float = 1.0
    until_seconds: float = 0.0

    @property
    def too_good(self) -> float:
        """By which factor the stored priority is too good after the switch.

        Below 1: it is too bad.
        """
        if self.priority is None or not self.priority.before:
            return 1.0
        return self.priority.after / self.priority.before


@dataclass(frozen=True)
class Migration:
    """A pool before and after the switch.

    ``pool_weight`` is that of the captured slots, ``empty_weight`` that of the same machines
    without claims, of which quotas are shares. ``weights`` are the SlotWeight expressions
    before, that of most weight first, ``new_weights`` those after. ``schedd_weights`` are the
    expressions by which access points weigh idle jobs. ``nodes`` are the machines that change,
    ``plain_nodes`` those of them without a consumption policy. ``stay`` tells which do not
    change, and why; ``missing`` tells what could not be computed. ``reweighs``: whether the
    negotiator weighs running claims anew in each cycle.
    """

    source: str
    taken: str
    version: str
    pool_weight: Amount
    empty_weight: Amount
    weights: tuple[str, ...]
    new_weights: tuple[str, ...]
    schedd_weights: tuple[str, ...]
    new_schedd_weight: str
    nodes: tuple[str, ...]
    plain_nodes: tuple[str, ...]
    slot_types: tuple[int, ...]
    reweighs: bool
    preemption: bool
    groups: tuple[GroupMove, ...]
    submitters: tuple[SubmitterMove, ...]
    round_robin_rate: Amount | None
    halflife_seconds: float
    stay: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def factor(self) -> float:
        """Factor from the old unit to the new one that keeps the share of the pool."""
        return self.empty_weight.after / self.empty_weight.before

    @property
    def done(self) -> bool:
        """Whether the pool has the model already."""
        return not self.plain_nodes and set(self.weights) == set(self.new_weights)

    @property
    def starving(self) -> tuple[GroupMove, ...]:
        """The groups that get nothing right after the switch."""
        return tuple(group for group in self.groups if group.starves)

    @property
    def grouped(self) -> bool:
        """Whether there is any group but the root."""
        return len(self.groups) > 1
