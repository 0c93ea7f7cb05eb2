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
    """Return the metrics of a result as text; each sample has the labels ``common``."""
    lines: list[str] = []
    for metric in metrics:
        lines += _lines(metric, result, common)
    return "".join(f"{line}\n" for line in lines)


def _lines(metric: Metric[Result], result: Result, common: Mapping[str, str]) -> Iterator[str]:
    found = metric.read(result)
    if found is None:
        return
    if isinstance(found, (int, float)):
        found = [(_NO_LABELS, found)]
    yield f"# HELP {metric.name} {_escaped(metric.about)}"
    yield f"# TYPE {metric.name} gauge"
    for labels, value in found:
        yield f"{metric.name}{_labels({**common, **labels})} {_number(value)}"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    pairs = ",".join(f'{name}="{_quoted(text)}"' for name, text in labels.items())
    return f"{{{pairs}}}"


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
        if value > 0:
            return "+Inf"
        return "-Inf"
    return plain_number(value)
