"""STARTD_ATTRS and STARTD_EXPRS without an attribute that must not be set by hand."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import node
from htcq.pool.pool import of_startd
from htcq.pool.slot import Slot

#: Knobs that list attributes to add to slot ads; what they list wins over the startd's own.
LISTS = ("STARTD_ATTRS", "STARTD_EXPRS")


def unlisted(evidence: Evidence, slots: Iterable[Slot], attribute: str) -> tuple[Setting, ...]:
    """Return the lists without ``attribute``, for those machines of ``slots`` whose list has it."""
    found: dict[Setting, None] = {}
    for slot in {slot.startd: slot for slot in slots}.values():
        machine, configuration = str(slot.machine), of_startd(evidence.execute, slot)
        if configuration is None:
            continue
        for name in LISTS:
            words = configuration.value(name).replace(",", " ").split()
            kept = [word for word in words if word.lower() != attribute.lower()]
            if len(kept) < len(words):
                found[node(evidence, machine, name, ", ".join(kept))] = None
    return tuple(found)
