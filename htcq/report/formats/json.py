"""Declared rows as JSON, and numbers that JSON has not: they stand as the texts "nan", "infinity" and "-infinity"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from htcq.report.column import Column, Row, for_programs


def row_json(columns: Iterable[Column[Row]], row: Row) -> dict[str, Any]:
    """Return one row as an object of its columns' names and values."""
    values = ((column.name, column.read(row)) for column in for_programs(columns))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def finite(value: Any) -> Any:
    """Return ``value`` with texts in the place of NaN and infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(each) for each in value]
    return value
