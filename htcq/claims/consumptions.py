"""What jobs take of slots by consumption policy, evaluated once for what the policy names.

A policy that refers to nothing of its slot takes the same of all slots that have it
(src/condor_utils/consumption_policy.cpp:cp_compute_consumption, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from htcq.classads import Ad
from htcq.policy.claim import Taken
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PLACES, Number
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


class Consumptions:
    """What jobs take of slots by the consumption policies of these."""

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
        if not self.is_alone(kind, frame):
            return kind.consumed(ad(), amounts)
        key = (tuple(kind.consumption.items()), id(jobs))
        if key not in self._known:
            self._known[key] = (jobs, kind.consumed(ad(), amounts))
        return self._known[key][1]

    def is_alone(self, kind: SlotClass, frame: SharedAttributes) -> bool:
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
