"""Knobs with values that their daemons cannot use do what ``tests/golden/knobs/outcomes.jsonl`` says.

``--all-knobs`` tries all of them, half an hour; otherwise three stand for them: an expression and
a number that end the negotiator, and a START that is an error in the slots."""

from __future__ import annotations

import json

import pytest
from conftest import NEWEST
from knob_trials import GOLDEN, Outcome, made, trials

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

_FEW = (
    ("NEGOTIATOR_PRE_JOB_RANK", "((HtcqTrial =?= 1)"),
    ("START", "((HtcqTrial =?= 1)"),
    ("NEGOTIATOR_INTERVAL", "5s"),
)


def _recorded() -> dict[tuple[str, ...], dict[str, object]]:
    lines = (GOLDEN / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    rows = [json.loads(line) for line in lines]
    return {(row["knob"], row["value"], row["daemon"], row.get("beside", "")): row for row in rows}


def _essence(exits: object, ad: object, job: object, tool: object) -> tuple[object, ...]:
    """Return what does not differ from one pool to the next: sentences have names and times."""
    return bool(exits), ad, str(job).partition(":")[0], bool(tool)


def test_daemons_do_what_they_did(suite: str, request: pytest.FixtureRequest) -> None:
    chosen = list(trials())
    if not request.config.getoption("--all-knobs"):
        chosen = [trial for trial in chosen if (trial.knob, trial.value) in _FEW]
    recorded, wrong = _recorded(), []
    for trial, seen in made(chosen, suite):
        row = recorded[trial.key]
        expected = _essence(
            row.get("exits"), row.get("ad", ""), row.get("job", ""), row.get("tool")
        )
        if _of(seen) != expected:
            wrong.append((trial, seen))

    assert len(chosen) >= len(_FEW)
    assert wrong == []


def _of(seen: Outcome) -> tuple[object, ...]:
    return _essence(seen.exits, seen.ad, seen.job, seen.tool)
