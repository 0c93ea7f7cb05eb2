"""A metric that a result declares once: its name, what it means, and its samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Result = TypeVar("Result")
#: Labels by name, and a value.
Sample = tuple[Mapping[str, str], float]


@dataclass(frozen=True)
class Metric(Generic[Result]):
    """One metric of a result.

    ``read`` returns its value, or its samples if it has labels, or None if the result has no such
    metric.
    """

    name: str
    about: str
    read: Callable[[Result], float | Iterable[Sample] | None]
