"""What a history tells of how long jobs ran."""

from __future__ import annotations

import pytest

from htcq.errors import InputError
from htcq.pool.ads import read_past
from htcq.pool.past import Past
from htcq.pool.shared_attributes import Expressions
from tests.audit.sites import Text, job


def past(*ads: str) -> list[Past]:
    return read_past(lambda: ["\n".join(ads).encode()], Expressions()).past


#: Two runs: one that was broken off after 400 s, and one of 90 s of which 20 went into the transfer
#: of input.
TWO_RUNS = {
    "JobStatus": 4, "RemoteWallClockTime": "490.0", "LastRemoteWallClockTime": "90.0", "JobCurrentStartDate": 1000,
    "JobCurrentStartExecutingDate": 1020, "CompletionDate": 1089,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({}, 90),
        ({"LastRemoteWallClockTime": None}, 89),
        ({"LastRemoteWallClockTime": None, "JobCurrentStartDate": None}, 490),
        ({"LastRemoteWallClockTime": "0.0", "RemoteWallClockTime": "1.0"}, 1),
        ({"LastRemoteWallClockTime": None, "CompletionDate": 0, "RemoteWallClockTime": "7.0"}, 7),
        ({"JobStatus": 3}, None),
        ({"JobStatus": 1}, None),
        (
            {
                "LastRemoteWallClockTime": None,
                "RemoteWallClockTime": "0.0",
                "JobCurrentStartDate": None,
            },
            None,
        ),
        (
            {
                "LastRemoteWallClockTime": '"long"',
                "RemoteWallClockTime": None,
                "JobCurrentStartDate": None,
            },
            None,
        ),
    ],
)
def test_the_last_run_of_a_finished_job_is_how_long_it_ran(
    changes: dict[str, Text | None], seconds: float | None
) -> None:
    ((_, found),) = past(job(**{**TWO_RUNS, **changes}))

    assert found == seconds


def test_times_do_not_make_jobs_unlike() -> None:
    one, other = past(
        job("1.0", **TWO_RUNS), job("1.1", **{**TWO_RUNS, "LastRemoteWallClockTime": "5.0"})
    )

    assert one.job.frame is other.job.frame
    assert (one.seconds, other.seconds) == (90, 5)


def test_text_without_a_job_is_an_error() -> None:
    with pytest.raises(InputError, match="holds no job"):
        past("this is no job at all\n")
