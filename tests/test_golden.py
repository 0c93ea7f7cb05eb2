"""Golden files say where their truth comes from."""

from __future__ import annotations

import json

import pytest

from tests.golden_cases import POLICIES, read

FILES = sorted(path.stem for path in POLICIES.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_every_golden_case_states_its_name_origin_and_reason(name: str) -> None:
    cases = read(name)

    assert cases
    for case in cases:
        assert [key for key in ("name", "origin", "why") if len(str(case.get(key, ""))) < 5] == []
    assert len(cases) == len({case["name"] for case in cases})


def test_golden_policies_hold_nothing_but_cases() -> None:
    assert [f"{name}.json" for name in FILES] == sorted(path.name for path in POLICIES.iterdir())


@pytest.mark.parametrize("name", FILES)
def test_golden_cases_are_self_contained(name: str) -> None:
    """No case refers to a file outside the repository."""
    assert "file:" not in json.dumps(read(name))
    assert "../" not in json.dumps(read(name))
