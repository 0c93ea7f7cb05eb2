"""Declared rows as JSON.

Numbers that JSON cannot write are the texts "nan", "infinity" and "-infinity".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from htcq.report.column import Column, Row, Value, for_programs


def row_json(columns: Iterable[Column[Row]], row: Row) -> dict[str, Any]:
    """Return one row as an object of its columns' names and values."""
    return {column.name: _written(column.read(row)) for column in for_programs(columns)}


def _written(value: Value) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value


def finite(value: Any) -> Any:
    """Return ``value`` with texts in the place of NaN and infinities."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(each) for each in value]
    return value


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "nan"
    if value > 0:
        return "infinity"
    return "-infinity"
