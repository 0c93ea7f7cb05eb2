"""Slots that change while claims come and go.

Partitionable ones with what they have left, and their dynamic ones.

Follows src/condor_startd.V6/Resource.cpp:create_dslot and ResAttributes.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htcq.classads import UNDEFINED
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import DYNAMIC, PLACES, Number, Slot
from htcq.units import attribute

_OWN_FIELDS = {name: Slot._fields[place] for name, place in PLACES.items()}
#: What a dynamic slot does not have, or has for itself.
_NOT_INHERITED = ("partitionableslot", "dynamicslot", "slottype", "numclaims", "totalslot")


class Slots:
    """Makes slots with other amounts; what they share with others is made once."""

    def __init__(self) -> None:
        self._expressions = Expressions()
        self._frames: dict[tuple[object, ...], SharedAttributes] = {}
        self._changed: dict[tuple[object, ...], tuple[SharedAttributes, SharedAttributes]] = {}

    def left(self, slot: Slot, amounts: Mapping[str, Number]) -> Slot:
        """Return a partitionable ``slot`` that has ``amounts`` left."""
        own, shared = _own(amounts)
        return slot._replace(**own, frame=self._with(slot.frame, shared, dynamic=False))

    def dynamic(
        self, parent: Slot, number: int, amounts: Mapping[str, Number], customer: str, limits: str
    ) -> Slot:
        """Return the dynamic slot with that number of ``parent``, claimed by ``customer``."""
        own, shared = _own(amounts)
        totals = {f"TotalSlot{attribute(asset)}": amount for asset, amount in amounts.items()}
        for name in [name for name in totals if name.lower() in PLACES]:
            own[_OWN_FIELDS[name.lower()]] = totals.pop(name)
        name, _, machine = str(parent.name).partition("@")
        return parent._replace(
            **own,
            frame=self._with(parent.frame, {**shared, **totals}, dynamic=True),
            name=f"{name}_{number}@{machine}",
            **_claimed(customer, limits),
        )

    def claimed(self, slot: Slot, customer: str, limits: str) -> Slot:
        """Return a static ``slot`` that ``customer`` has claimed."""
        return slot._replace(**_claimed(customer, limits))

    def unclaimed(self, slot: Slot) -> Slot:
        """Return ``slot`` with nobody on it."""
        return slot._replace(
            state="Unclaimed", activity="Idle", accounting_group=UNDEFINED, remote_user=UNDEFINED,
            remote_owner=UNDEFINED, concurrency_limits=UNDEFINED,
        )  # fmt: skip

    def drained(self, slot: Slot) -> Slot:
        """Return ``slot`` as it takes no job any more; a claim that is there stays."""
        return self.changed(slot, {"Requirements": "false"})

    def changed(self, slot: Slot, texts: Mapping[str, str]) -> Slot:
        """Return ``slot`` with other expressions for attributes that it shares with others."""
        key = (id(slot.frame), *sorted(texts.items()))
        if key not in self._changed:
            frame = slot.frame.changed(texts, self._expressions)
            # What is known by its id must live.
            self._changed[key] = (frame, slot.frame)
        return slot._replace(frame=self._changed[key][0])

    def _with(
        self, frame: SharedAttributes, shared: Mapping[str, Number], dynamic: bool
    ) -> SharedAttributes:
        """Return ``frame`` with other amounts of what slots share, for dynamic slots if so."""
        if not shared and not dynamic:
            return frame
        key = (id(frame), dynamic, *shared.items())
        found = self._frames.get(key)
        if found is None:
            gone = {name.lower() for name in shared}
            lines = [
                (name, text)
                for name, text in frame.lines
                if not (dynamic and name.decode().lower().startswith(_NOT_INHERITED))
                and name.decode().lower() not in gone
            ]
            lines += [(name.encode(), f"{amount}".encode()) for name, amount in shared.items()]
            if dynamic:
                lines += [(b"DynamicSlot", b"true"), (b"PartitionableSlot", b"false")]
                lines.append((b"SlotType", f'"{DYNAMIC}"'.encode()))
            found = self._frames[key] = SharedAttributes(tuple(lines), self._expressions)
        return found


def _own(amounts: Mapping[str, Number]) -> tuple[dict[str, Number], dict[str, Number]]:
    """Return a slot's own amounts by field, and those shared with others by attribute."""
    own: dict[str, Number] = {}
    shared: dict[str, Number] = {}
    for asset, amount in amounts.items():
        name = attribute(asset)
        field = _OWN_FIELDS.get(name.lower())
        if field is None:
            shared[name] = amount
        else:
            own[field] = amount
    return own, shared


def _claimed(customer: str, limits: str) -> dict[str, Any]:
    return {
        "state": "Claimed",
        "activity": "Busy",
        "accounting_group": customer,
        "remote_user": customer,
        "remote_owner": customer,
        "concurrency_limits": limits or UNDEFINED,
    }
