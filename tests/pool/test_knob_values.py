"""Values that daemons cannot use: what htcq says of each trial that was made on a real pool.

The trials and their outcomes are those of ``tests/golden/knobs`` (25.14.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.htcondor.knob_types import Misfit
from htcq.live.configuration import read_dump
from htcq.pool.configuration import Configuration, configuration_from
from htcq.pool.knob_values import Flaw, flaws, type_of

_GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "knobs"
OUTCOMES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (_GOLDEN / "outcomes.jsonl").read_text().splitlines()
    if not line.startswith("#")
]


def configuration(text: str) -> Configuration:
    return configuration_from("test", text, read_dump)


def of(text: str) -> list[Flaw]:
    return list(flaws(configuration(text)))


def _name(row: dict[str, Any]) -> str:
    return f"{row['daemon']}: {row['knob']} = {row['value']}"
