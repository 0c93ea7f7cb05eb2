"""The claim of a job on a slot that no job uses: every number of it, put together in one place.

The negotiator matches it and charges the match cost (src/condor_utils/consumption_policy.cpp,
matchmaker.cpp); the startd changes the request and carves the dynamic slot (src/condor_startd.V6,
Resource.cpp:create_dslot); the accountant charges the weight of that slot for as long as it lives
(Accountant.cpp:GetSlotWeight), HTCondor 23.9 to 25.14. The parts are those of htcq.policy.claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from htcq.claims.consumptions import Consumptions
from htcq.claims.matching import Mismatch, fits, wall_of
from htcq.claims.startds import Carver, StartdTable
from htcq.classads import Expr, Value, named
from htcq.policy.carved import Amounts, Way
from htcq.policy.claim import (
    Startd,
    Taken,
    accounted,
    changed_requests,
    consumed,
    never_matched,
    refused,
)
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass

_Amounts = tuple[tuple[str, "Number | None"], ...]


def weight_of(kind: SlotClass, got: Amounts, by: Expr | None = None) -> Value:
    """Return the weight of the slot that a claim has of a slot of ``kind``.

    That is the dynamic slot with ``got``, or the whole static slot. ``by`` is the weight that the
    central manager has in the place of the slots' own.
    """
    if kind.type == PARTITIONABLE:
        return dynamic_weight(kind, got, by)
    if by is not None:
        return by.evaluate(kind.ad(kind.total))
    return kind.full_weight


def dynamic_weight(kind: SlotClass, got: Amounts, by: Expr | None = None) -> Value:
    """Return the weight of a dynamic slot with ``got``, whatever the type of ``kind`` is."""
    return (by or named("SlotWeight")).evaluate(kind.dynamic_ad(got))


def taken_as_changed(kind: SlotClass, jobs: Autocluster, startd: Startd) -> Taken:
    """Return what ``jobs`` take by policy when ``startd`` has changed their request."""
    changed = next(iter(changed_requests(kind, jobs, kind.total, startd)))
    return kind.consumed(jobs.ad(changed))


def matched_amounts(taken: Taken) -> dict[str, Number]:
    """Return the amounts of a match; empty where the negotiator matches nothing.

    It matches nothing where an amount is no number or below zero, or all are 0.
    """
    if never_matched(taken) is not None:
        return {}
    return {asset: amount for asset, amount in taken.items() if amount is not None}


def taken_again(kind: SlotClass, jobs: Autocluster, got: Amounts) -> Taken:
    """Return what ``jobs`` take by policy of the dynamic slot that has ``got``."""
    return consumed(kind.dynamic_ad(got), jobs.ad(), kind.consumption)


class Claims:
    """Claims of autoclusters on unused slots; the startds are those of ``startds``.

    Each number is computed once for what its expressions name: the weight of a dynamic slot for
    all jobs that get the same, a match cost for all that consume the same. ``before`` are the
    claims of a pool with the same jobs, whose startds may be others.
    """

    def __init__(self, startds: StartdTable, before: Claims | None = None) -> None:
        self.startds = startds
        self._consumptions: Consumptions = Consumptions()
        self._carver = Carver(self._consumptions)
        self._fits: dict[tuple[SlotClass, SharedAttributes], bool] = {}
        self._costs: dict[tuple[SlotClass, _Amounts], Number | None] = {}
        self._weights: dict[tuple[SlotClass, _Amounts], Number] = {}
        if before is not None:
            self._carver, self._consumptions = before._carver, before._consumptions
            self._fits, self._costs, self._weights = before._fits, before._costs, before._weights

    def on(self, configurations: Mapping[str, Configuration]) -> Claims:
        """Return the claims of the same jobs where startds are configured so."""
        startds = self.startds.on(configurations)
        return self if startds is self.startds else Claims(startds, self)

    def of(self, kind: SlotClass, jobs: Autocluster) -> Claim:
        """Return the claim of a job of ``jobs`` on a slot of ``kind``."""
        return Claim(self, kind, jobs)

    def fits(self, kind: SlotClass, jobs: Autocluster) -> bool:
        """Return whether a job of ``jobs`` would be matched with a slot of ``kind``."""
        key = kind, jobs.frame
        if key not in self._fits:
            self._fits[key] = fits(kind, jobs, kind.total, self.taken(kind, jobs))
        return self._fits[key]

    def taken(self, kind: SlotClass, jobs: Autocluster, left: Amounts | None = None) -> Taken:
        """Return what a job takes by the consumption policy of ``kind``; nothing without one.

        Without ``left``, the slot has all that it had at birth.
        """
        if not kind.supports_policy:
            return {}
        have = kind.total if left is None else left
        return self._consumptions.of(kind, jobs, jobs.frame, jobs.ad, have)

    def way(self, kind: SlotClass, jobs: Autocluster, taken: Taken) -> Way:
        """Return how the startd carves; ``taken`` is what the job consumes by policy."""
        return self._carver.carve(kind, jobs, self.startds.of(kind.first), taken)

    def cost(self, kind: SlotClass, taken: Taken) -> Number | None:
        """Return W(R) - W(R') with a policy, else the weight of the whole slot.

        None where a weight is no number, on which the negotiator exits, or where what is taken
        never matches.
        """
        if not kind.supports_policy:
            return kind.plain_weight()
        key = kind, tuple(taken.items())
        if key not in self._costs:
            never = never_matched(taken) is not None
            self._costs[key] = None if never else kind.cost(taken)
        return self._costs[key]

    def standing(self, kind: SlotClass, got: Amounts) -> Number:
        """Return what the accountant charges while a claim with ``got`` lives."""
        key = kind, tuple(got.items())
        if key not in self._weights:
            self._weights[key] = accounted(weight_of(kind, got))
        return self._weights[key]


@dataclass(frozen=True, eq=False)
class Claim:
    """One claim, each part computed when it is asked for.

    All parts but ``matched`` say what would be if START and Requirements let the job in.
    """

    claims: Claims
    kind: SlotClass
    jobs: Autocluster

    @cached_property
    def taken(self) -> Taken:
        """The amounts that the negotiator takes by consumption policy; none without one."""
        return self.claims.taken(self.kind, self.jobs)

    @cached_property
    def _wall(self) -> tuple[Mismatch, str]:
        return wall_of(self.kind, self.jobs, self.kind.total, self.taken)

    @property
    def matched(self) -> Mismatch:
        """NONE where the negotiator matches the job, else the first reason against it."""
        return self._wall[0]

    @property
    def lack(self) -> str:
        """The asset that is short or has no number; empty where there is none to name."""
        return self._wall[1]

    @property
    def cost(self) -> Number | None:
        """The match cost; None where a weight is no number or the consumption never matches."""
        return self.claims.cost(self.kind, self.taken)

    @cached_property
    def _way(self) -> Way:
        return self.claims.way(self.kind, self.jobs, self.taken)

    @property
    def got(self) -> Amounts:
        """The amounts of the claimed slot: of the dynamic one that is carved, or the static one.

        They are empty where the startd cannot carve any.
        """
        return self._way.got

    @property
    def standing(self) -> Number | None:
        """The charge while the claim lives; None where no slot can be carved."""
        if not self.got:
            return None
        return self.claims.standing(self.kind, self.got)

    @cached_property
    def refusal(self) -> str:
        """The reason why the startd does not start the job; empty where it does."""
        if self._way.refusal or self.kind.type != PARTITIONABLE:
            return self._way.refusal
        return refused(self.kind, self.jobs, self._way)

    @property
    def charges(self) -> tuple[Number, ...]:
        """The weights that are charged for it: at the match by a policy, and while it lives.

        None at all where the consumption never matches.
        """
        if self.kind.supports_policy and never_matched(self.taken) is not None:
            return ()
        found = [self.standing]
        if self.kind.supports_policy:
            found.insert(0, self.cost)
        return tuple(each for each in found if each is not None)
