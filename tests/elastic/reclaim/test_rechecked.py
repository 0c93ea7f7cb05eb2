"""What must still be so just before a job is vacated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.reclaim.precheck import ClaimNow, reason_not_to_vacate
from htcq.elastic.reclaim.reclaim_plan import Eviction
from htcq.settings.reclaim import ReclaimLimits

VICTIM = Eviction(
    "hep",
    "hep.bob@site",
    "access1",
    "1.0",
    "slot1_1@node1",
    "node1",
    {"cpus": 1},
    900.0,
    100.0,
    0.25,
    ("cpus",),
    "",
)
SAME = ClaimNow("hep.bob@site", ("access1", "1.0"), 100.0, 900.0)


def test_the_same_job_goes() -> None:
    assert reason_not_to_vacate(VICTIM, 5, SAME, ReclaimLimits()) == ""


@pytest.mark.parametrize(
    ("universe", "claim", "said"),
    [
        (None, SAME, "it no longer runs"),
        (5, None, "it no longer runs"),
        (5, replace(SAME, submitter="chem.bob@site"), "it now belongs to chem.bob@site"),
        (5, replace(SAME, job=("access1", "1.1")), "its slot has another job"),
        (5, replace(SAME, job=("access2", "1.0")), "its slot has another job"),
        (5, replace(SAME, started=101.0), "it was restarted"),
        (7, SAME, "it is of universe 7"),
        (11, SAME, "it is of universe 11"),
        (12, SAME, "it is of universe 12"),
        (
            5,
            replace(SAME, ran=599.0),
            "by its machine's clock it has run 599 s of the 600 s that are guaranteed",
        ),
    ],
)
def test_a_job_that_is_another_by_now_stays(
    universe: int | None, claim: ClaimNow | None, said: str
) -> None:
    assert reason_not_to_vacate(VICTIM, universe, claim, ReclaimLimits()) == said
