"""What a real history tells of how long jobs ran."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from broken import POLICY, break_it
from conftest import Site

from htcq.pool.ads import read_past
from htcq.pool.shared_attributes import Expressions
from htcq.store.job_history import past_chunks

pytestmark = pytest.mark.condor
SECONDS = (2, 7)


def test_a_history_has_the_seconds_for_which_each_job_held_its_slot(
    site: Site, tmp_path: Path
) -> None:
    pool = break_it(site, POLICY)
    begun = time.monotonic()
    clusters = [
        pool.submit({"arguments": str(seconds), "request_memory": 128}) for seconds in SECONDS
    ]
    pool.wait(
        lambda: not pool.ads("jobs", ["ClusterId"]),
        60,
        "the end of all jobs",
        ("SchedLog", "ShadowLog"),
    )
    all_of_it = time.monotonic() - begun
    (tmp_path / "history").write_text(pool.tool("condor_history", "-long"))
    read = read_past(past_chunks(tmp_path / "history"), Expressions())
    ran = {job.cluster: seconds for job, seconds in read.past}

    assert not read.damage.sentences()
    for cluster, seconds in zip(clusters, SECONDS):
        told = ran[cluster]
        # A job holds its slot a little longer than its program runs: transfers, and the start of
        # shadow and starter.
        assert told is not None
        assert seconds <= told <= all_of_it
