"""Claims of jobs on unused slots: whether they match, what they take, and what they are charged.

All rules ask for the same claims, and so do the trials of root causes, which change few slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Optional

from htcq.classads import Ad
from htcq.policy.claim import accounted
from htcq.pool.autocluster import Autocluster
from htcq.pool.matching import fits
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Number
from htcq.pool.slot_class import SlotClass
from htcq.simulate.cycle.reference_graph import ReferenceGraph
from htcq.units import attribute

Taken = Mapping[str, Optional[Number]]


class Consumptions:
    """What jobs take of slots by consumption policy.

    A policy that refers to nothing of its slot is evaluated once for all slots that have it.
    """

    def __init__(self) -> None:
        self._links = ReferenceGraph()
        self._alone: dict[tuple[SharedAttributes, SharedAttributes], bool] = {}
        # The job is kept as well: its identity is valid only as long as it exists.
        self._known: dict[tuple[object, int], tuple[object, Taken]] = {}

    def of(
        self,
        kind: SlotClass,
        jobs: object,
        frame: SharedAttributes,
        ad: Callable[[], Ad],
        amounts: Mapping[str, Number],
    ) -> Taken:
        """Return what a job of ``jobs`` takes of a slot of ``kind`` with ``amounts`` left.

        ``frame`` has the shared attributes of ``jobs``, ``ad`` returns the ad of its first job.
        """
        if not self._is_alone(kind, frame):
            return kind.consumed(ad(), amounts)
        key = (tuple(kind.consumption.items()), id(jobs))
        if key not in self._known:
            self._known[key] = (jobs, kind.consumed(ad(), amounts))
        return self._known[key][1]

    def _is_alone(self, kind: SlotClass, frame: SharedAttributes) -> bool:
        """Return whether the policy refers to nothing of the slot, not even through the job."""
        slot = kind.first.frame
        key = (slot, frame)
        if key not in self._alone:
            own = {f"consumption{asset}" for asset in kind.consumption}
            assets = {attribute(asset).lower() for asset in kind.assets}
            reached = self._links.reached(sorted(own), slot, frame) - own
            of_slot = reached & (slot.texts.keys() | PLACES.keys() | assets)
            self._alone[key] = not of_slot
        return self._alone[key]


class UnusedClaims:
    """Claims of autoclusters on slots that have all that they had at birth."""

    def __init__(self) -> None:
        self._consumptions = Consumptions()
        self._fits: dict[tuple[SlotClass, SharedAttributes], bool] = {}
        self._charged: dict[tuple[SlotClass, SharedAttributes], tuple[Number, ...]] = {}

    def fits(self, kind: SlotClass, jobs: Autocluster) -> bool:
        """Return whether a job of ``jobs`` would be matched with a slot of ``kind``."""
        key = kind, jobs.frame
        if key not in self._fits:
            taken: Taken = {}
            if kind.supports_policy:
                taken = self.taken(kind, jobs)
            self._fits[key] = fits(kind, jobs, kind.total, taken)
        return self._fits[key]

    def taken(self, kind: SlotClass, jobs: Autocluster) -> Taken:
        """Return what a job of ``jobs`` takes by the consumption policy of ``kind``."""
        return self._consumptions.of(kind, jobs, jobs.frame, jobs.ad, kind.total)

    def charged(self, kind: SlotClass, jobs: Autocluster) -> tuple[Number, ...]:
        """Return what a job of ``jobs`` is charged: by a policy at the match, and then for good."""
        key = kind, jobs.frame
        if key not in self._charged:
            self._charged[key] = self._charged_anew(kind, jobs)
        return self._charged[key]

    def _charged_anew(self, kind: SlotClass, jobs: Autocluster) -> tuple[Number, ...]:
        if kind.type != PARTITIONABLE:
            return (kind.plain_weight(),)
        if not kind.supports_policy:
            asked = {asset: jobs.request.get(asset) or 0 for asset in kind.assets}
            return (accounted(kind.standing_weight(asked)),)
        taken = self.taken(kind, jobs)
        amounts = {asset: amount or 0 for asset, amount in taken.items()}
        return kind.cost(taken) or 0, accounted(kind.standing_weight(amounts))
