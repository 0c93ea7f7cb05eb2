"""Prometheus' text form, as the textfile collector of node_exporter reads it.

Text format 0.0.4 of https://prometheus.io/docs/instrumenting/exposition_formats/, without times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from htcq.report.metric import Metric, Result
from htcq.units import plain_number

_NO_LABELS: Mapping[str, str] = {}


def metrics_text(
    metrics: Iterable[Metric[Result]], result: Result, common: Mapping[str, str] = _NO_LABELS
) -> str:
    """Return the metrics of a result as the content of a file; every sample has the labels ``common``."""
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric, result, common))


def _lines(metric: Metric[Result], result: Result, common: Mapping[str, str]) -> Iterator[str]:
    found = metric.read(result)
    if found is None:
        return
    samples = [(_NO_LABELS, found)] if isinstance(found, (int, float)) else found
    yield f"# HELP {metric.name} {_escaped(metric.about)}"
    yield f"# TYPE {metric.name} gauge"
    for labels, value in samples:
        pairs = ",".join(
            f'{label}="{_quoted(text)}"' for label, text in {**common, **labels}.items()
        )
        yield (
            f"{metric.name}{{{pairs}}} {_number(value)}"
            if pairs
            else f"{metric.name} {_number(value)}"
        )


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
