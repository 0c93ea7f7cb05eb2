"""Facts that many rules show: knobs with their places, and lists of names in words."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact
from htcq.units import counted as counted

#: The largest number of names that a sentence lists.
_LISTED = 3


def knob_fact(evidence: Evidence, name: str, default: str = "(not set)") -> Fact:
    """Return a knob of the central manager, with file and line where they are known."""
    central = evidence.pool.central
    knob = central.knob(name) if central is not None else None
    if knob is None:
        return Fact(name, evidence.setting(name, default))
    return Fact(knob.name, knob.value, knob.place)


def listed(names: Iterable[str]) -> str:
    """Return names in words: ``a``, ``a and b``, ``a, b and c``, ``a, b, c and 4 more``."""
    every = list(dict.fromkeys(names))
    shown = every[:_LISTED] if len(every) > _LISTED + 1 else every
    tail = [f"{len(every) - len(shown)} more"] if len(shown) < len(every) else []
    words = shown + tail
    return (
        words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
    )
