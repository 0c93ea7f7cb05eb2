"""Facts that many rules show: knobs with their places, and lists of names in words."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact
from htcq.units import counted as counted
from htcq.units import listed as listed


def knob_fact(evidence: Evidence, name: str, default: str = "(not set)") -> Fact:
    """Return a knob of the central manager, with file and line where they are known."""
    central = evidence.pool.central
    if central is not None:
        knob = central.knob(name)
        if knob is not None:
            return Fact(knob.name, knob.value, knob.place)
    return Fact(name, evidence.setting(name, default))


def each_machine(count: int) -> str:
    """Return the machines that are alike as the subject of a sentence in the singular."""
    return "the machine" if count == 1 else f"each of {count} machines"
