"""The golden cases: numbers that HTCondor, its tests or its documentation state, never our own output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

POLICIES = Path(__file__).parent / "golden" / "policies"


def read(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file."""
    cases: list[dict[str, Any]] = json.loads(
        (POLICIES / f"{name}.json").read_text(encoding="utf-8")
    )
    return cases


def golden(name: str, having: str = "origin") -> pytest.MarkDecorator:
    """Run a test once for each case of a file that has the key ``having``, as its argument ``case``."""
    cases = [case for case in read(name) if having in case]
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])
