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
    if central is not None:
        knob = central.knob(name)
        if knob is not None:
            return Fact(knob.name, knob.value, knob.place)
    return Fact(name, evidence.setting(name, default))


def listed(names: Iterable[str]) -> str:
    """Return names in words: ``a``, ``a and b``, ``a, b and c``, ``a, b, c and 4 more``."""
    words = list(dict.fromkeys(names))
    if not words:
        return ""
    if len(words) == 1:
        return words[0]
    if len(words) > _LISTED + 1:
        words = [*words[:_LISTED], f"{len(words) - _LISTED} more"]
    return f"{', '.join(words[:-1])} and {words[-1]}"
