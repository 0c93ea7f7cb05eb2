"""A sweep as JSON, piece by piece, since all results together may be large; the names are a contract."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from htcq.report.views.sweep_summary import summary
from htcq.simulate.sweep import SCHEMA, Ground, Run, record


def sweep_json(file: str, source: str, runs: Iterable[Run], ground: Ground) -> Iterator[str]:
    """Yield the text of one object; htcq-simulate(1) lists its names."""
    told = {
        "schema": SCHEMA,
        "sweep": file,
        "source": source,
        "snapshot": ground.snapshot,
        "htcq": ground.htcq,
    }
    yield json.dumps(told, indent=2)[:-2] + ',\n  "items": ['
    separator = "\n"
    for run in runs:
        yield separator + _indented(json.dumps(_item(run, ground), indent=2))
        separator = ",\n"
    yield "\n  ]\n}\n"


def _item(run: Run, ground: Ground) -> dict[str, Any]:
    told = record(run, ground, ground.key(run.item))
    result = told.pop("result")
    found = None if result is None else summary(result)
    common = ("schema", "snapshot", "htcq")
    return {
        **{name: value for name, value in told.items() if name not in common},
        "summary": found and asdict(found),
        "result": result,
    }


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
