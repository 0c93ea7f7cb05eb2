"""Prometheus' text form, as the textfile collector of node_exporter reads it.

Text format 0.0.4 of https://prometheus.io/docs/instrumenting/exposition_formats/, without times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from htcq.units import plain_number

Sample = tuple[Mapping[str, str], float]
_NO_LABELS: Mapping[str, str] = {}


def gauge(name: str, meaning: str, value: float) -> Iterator[str]:
    """Yield the lines of a metric that has one value."""
    return gauges(name, meaning, [(_NO_LABELS, value)])


def gauges(name: str, meaning: str, samples: Iterable[Sample]) -> Iterator[str]:
    """Yield the lines of a metric that has a value for each of several sets of labels, or none at all."""
    yield f"# HELP {name} {_escaped(meaning)}"
    yield f"# TYPE {name} gauge"
    for labels, value in samples:
        pairs = ",".join(f'{label}="{_quoted(text)}"' for label, text in labels.items())
        yield f"{name}{{{pairs}}} {_number(value)}" if pairs else f"{name} {_number(value)}"


def text_of(lines: Iterable[str]) -> str:
    """Return ``lines`` as the content of a file."""
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    # What is no UTF-8 is spelled out before its backslash is escaped.
    plain = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return plain.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return plain_number(value)
