"""Texts that are kept of an observation: what changes rarely, written the same until it changes.

Quotas are written as ``htcq.drift.texts`` does, weights as ``412 slots, weight 3296``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.drift.observation import DriftObservation, WeightUse
from htcq.drift.texts import setting_text

_WEIGHT = re.compile(r"([0-9]+) slots, weight (\S+)")


def texts_of(observation: DriftObservation) -> frozenset[tuple[str, str, str]]:
    """Return every text as (kind, name, text), of the kinds that an observation has."""
    return frozenset(_texts(observation))


def _texts(observation: DriftObservation) -> Iterator[tuple[str, str, str]]:
    for group in observation.groups:
        if group.declared is not None:
            yield "declared", group.name, setting_text(group.declared)
        if group.configured is not None:
            yield "configured", group.name, setting_text(group.configured)
    for use in observation.weights:
        yield "weight", use.expression, weight_text(use)
    for name, value in observation.settings.items():
        yield "setting", name, value
    for doubt in observation.doubts:
        yield "doubt", "", doubt


def weight_text(use: WeightUse) -> str:
    """Return the use of an expression as text; :func:`weight_of` reads it back."""
    return f"{use.slots} slots, weight {repr(float(use.weight)).removesuffix('.0')}"


def weight_of(expression: str, text: str) -> WeightUse | None:
    """Return the use of ``expression`` in ``text``; None where it has none."""
    found = _WEIGHT.fullmatch(text)
    if found is None:
        return None
    slots, weight = found.groups()
    try:
        return WeightUse(expression, int(slots), float(weight))
    except ValueError:
        return None
