"""What differs of a group's quota, in words."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.drift.compare import Difference, Side

#: What is said of both sides, by what differs; of what is missing on one side the other is told.
_WORDS = {
    "not-configured": "declared with a quota of {one}, but not configured",
    "not-declared": "configured with a quota of {other}, but not declared",
    "kind": "declared {one}, but configured {other}",
    "quota": "quota declared {one}, but configured {other}",
    "accept-surplus": "accept_surplus declared {one}, but configured {other}",
    "autoregroup": "autoregroup declared {one}, but configured {other}",
    "not-published": "no quota published where {other} should be",
    "effective": "quota published {one} where {other} should be",
    "subtree": "quota with all groups below published {one} where {other} should be",
}


def told(difference: Difference) -> str:
    """Return ``difference`` in words, without the name of its group."""
    return _WORDS[difference.what].format(one=_side(difference.one), other=_side(difference.other))


def told_all(differences: Iterable[Difference]) -> str:
    """Return several differences of one group in words."""
    return "; ".join(told(each) for each in differences)


def amount(value: float) -> str:
    """Return an amount of weight to six digits after the dot; NaN as HTCondor's logs have it."""
    return f"{round(value, 6) + 0:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:g}"


def _side(value: Side) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return amount(value) if isinstance(value, float) else str(value)
