"""What a startd writes of its other slots into the ad of each: slotN_State and the like, Child*.

Follows src/condor_startd.V6/Resource.cpp (publish_SlotAttrs, publish_dynamic_child_attrs) and
ResMgr.cpp (publishSlotAttrs), HTCondor 23.9 and 25.14: each attribute of STARTD_SLOT_ATTRS of each
slot, dynamic ones too, after the id of that slot; a partitionable slot lists attributes of its
dynamic slots in the order of their ids. Only what an expression names is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from htcq.classad.names import words
from htcq.classads import spelled
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import frames_of
from htcq.pool.slot import PARTITIONABLE, PLACES, Slot
from htcq.simulate.slots import Slots

_OF_A_SLOT = re.compile(r"(slot\d+(?:_\d+)?)_([a-z]\w*)\Z")
_CHILD = "child"
#: Attributes of dynamic slots that their parent lists (publish_dynamic_child_attrs).
_LISTED = frozenset({
    "name", "state", "activity", "accountinggroup", "cpus", "memory", "disk", "gpus", "currentrank",
    "dslotid", "enteredcurrentstate", "remoteowner", "remoteuser", "retirementtimeremaining",
})  # fmt: skip
Texts = Mapping[str, str]
_NOTHING: Texts = {}


class Neighbours:
    """Writes into slots of ``pool`` what their ads say of others of the same startd."""

    def __init__(self, pool: Pool) -> None:
        named = _named(pool)
        #: The attributes that are named: of which slot, and what of it.
        self._crossed = {
            name: found.groups() for name in named if (found := _OF_A_SLOT.match(name))
        }
        self._children = {
            name: name[len(_CHILD) :]
            for name in named
            if name.startswith(_CHILD) and name[len(_CHILD) :] in _LISTED
        }
        self._slots = Slots()

    @property
    def any(self) -> bool:
        """Whether any expression names such an attribute."""
        return bool(self._crossed or self._children)

    def crossed(self, slots: Iterable[Slot]) -> Texts:
        """Return what every ad of a startd says of its ``slots``."""
        if not self._crossed:
            return _NOTHING
        by_id = {str(slot.name).partition("@")[0].lower(): slot for slot in slots}
        return {
            name: _text(by_id.get(of), attribute) for name, (of, attribute) in self._crossed.items()
        }

    def children(self, slot: Slot, slots: Iterable[Slot]) -> Texts:
        """Return what a partitionable slot says of its dynamic ones, which are among ``slots``."""
        if not self._children or slot.type != PARTITIONABLE:
            return _NOTHING
        own = sorted(
            (each for each in slots if each is not slot and each.parent == slot.name),
            key=attrgetter("number"),
        )
        return {
            name: f"{{ {', '.join(_text(each, attribute) for each in own)} }}"
            for name, attribute in self._children.items()
        }

    def written(self, slot: Slot, texts: Texts) -> Slot:
        """Return ``slot`` with these attributes, where its ad has them or they are of others."""
        changed = {name: text for name, text in texts.items() if _differs(slot, name, text)}
        return self._slots.changed(slot, changed) if changed else slot


def _differs(slot: Slot, name: str, text: str) -> bool:
    now = slot.frame.text(name)
    return now != text and not (not now and text == "undefined")


def _named(pool: Pool) -> set[str]:
    jobs: Sequence[Job] = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
    found: set[str] = set()
    for frame in frames_of(pool.slots or ()) | frames_of(jobs):
        found |= frame.words()
    for knob in pool.central or ():
        found.update(word.lower() for word in words(knob.value))
    return found


def _text(slot: Slot | None, attribute: str) -> str:
    """Return the expression that an attribute of a slot is; "undefined" where it has none."""
    if slot is None:
        return "undefined"
    if attribute == "dslotid":
        return str(slot.number)
    if attribute not in PLACES:
        return slot.frame.text(attribute) or "undefined"
    return spelled(slot.value(attribute))
