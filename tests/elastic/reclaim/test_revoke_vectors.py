"""The cases of Koordinator's revoke on a machine: the same jobs go, where somebody waits for all that is too much.

A case's cpu becomes cpus, its other dimension cards, and its priority that of the job. One more
cpu is free, so that who asks for a card alone finds one. Two cases have a runtime below 0, which
reclaim never sees: no group has that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from tests.elastic.reclaim.scenes import HOUR_AGO, Scene, victims

FILE = Path(__file__).resolve().parents[2] / "golden" / "elastic" / "revoke.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))
POSSIBLE = [case for case in CASES if min(case["runtime"].values()) >= 0]


def amounts(case: dict[str, Any], of: dict[str, int]) -> tuple[int, int]:
    """Return cpus and cards: the smallest cpu of a job is one."""
    unit = min(job["res"]["cpu"] for job in case["jobs"])
    return of["cpu"] // unit, of.get("gpu", of.get("memory", 0))


def test_all_cases_but_two_can_be() -> None:
    assert len(CASES) - len(POSSIBLE) == 2


@pytest.mark.parametrize("case", POSSIBLE, ids=[case["name"] for case in POSSIBLE])
def test_the_same_jobs_go(case: dict[str, Any]) -> None:
    (cpus, cards), (may, may_cards) = amounts(case, case["used"]), amounts(case, case["runtime"])
    over, over_cards = cpus - may, cards - may_cards
    # What must not be preempted is within the min: Koordinator admits no other.
    paid = [amounts(case, job["res"]) for job in case["jobs"] if not job.get("preemptible", True)]
    least = {"cpus": sum(each for each, _ in paid), "gpus": sum(each for _, each in paid)}
    borrower = ElasticGroup("borrower", min=least, max={"cpus": cpus, "gpus": cards})
    lender = ElasticGroup(
        "lender",
        min={"cpus": over + 1, "gpus": over_cards},
        max={"cpus": over + 1, "gpus": over_cards},
    )
    scene = Scene(ElasticQuotas((borrower, lender))).machine(cpus=cpus + 1, gpus=cards)
    for number, job in enumerate(case["jobs"]):
        asked, asked_cards = amounts(case, job["res"])
        protected = {} if job.get("preemptible", True) else {"HtcqProtected": "true"}
        scene.runs(
            f"1.{number}", "borrower", cpus=asked, gpus=asked_cards, started=HOUR_AGO + job.get("start", 0),
            JobPrio=job.get("priority", 0), **protected,
        )  # fmt: skip
    if over_cards:
        scene.waits("2.0", "lender", over_cards, gpus=1)
    plan = scene.waits("3.0", "lender", over + 1 - over_cards).plan()
    named = [job["name"] for job in case["jobs"]]
    expected = case.get("expected", case.get("expected_correct"))
    assert {named[int(each.partition(".")[2])] for each in victims(plan)} == set(expected)
