"""What must still be so just before a job is vacated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.reclaim.precheck import reason_not_to_vacate
from htcq.elastic.reclaim.reclaim_plan import Eviction
from htcq.live.vacating import Facts
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
SAME = Facts("hep.bob@site", "slot1_1@node1", 100.0, 900.0, 5)


def test_the_same_job_goes() -> None:
    assert reason_not_to_vacate(VICTIM, SAME, ReclaimLimits()) == ""


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (None, "it no longer runs"),
        (replace(SAME, submitter="chem.bob@site"), "it now belongs to chem.bob@site"),
        (replace(SAME, slot="slot1_2@node1"), "it was restarted"),
        (replace(SAME, started=101.0), "it was restarted"),
        (replace(SAME, universe=7), "it is of universe 7"),
        (replace(SAME, universe=11), "it is of universe 11"),
        (replace(SAME, universe=12), "it is of universe 12"),
        (
            replace(SAME, ran=599.0),
            "by its schedd's clock it has run 599 s of the 600 s that are guaranteed",
        ),
        (replace(SAME, left=600.0), "it ends within 600 s"),
    ],
)
def test_a_job_that_is_another_by_now_stays(now: Facts | None, said: str) -> None:
    assert reason_not_to_vacate(VICTIM, now, ReclaimLimits()) == said
