"""USE_GLOBAL_JOB_PRIOS: submitters stand in the negotiator's list once for each priority of their jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from htcq.why.verdict import Verdicts
from tests.pool.negotiations import DIRECTORY, expected, pool

RECORDED = DIRECTORY.with_name("global-job-prios")
CYCLES = sorted(RECORDED.iterdir())


@pytest.mark.parametrize("path", CYCLES, ids=lambda path: path.name)
def test_jobs_are_matched_in_the_order_of_the_negotiators_log(path: Path) -> None:
    record, trace = expected(path), run_cycle(pool(path))

    assert [(each.job, each.submitter, each.slot) for each in trace.matches] == [
        (each["job"], each["submitter"], each["slot"]) for each in record["matches"]
    ]
    assert [(each.job, each.submitter, each.reason) for each in trace.rejections] == [
        (each["request"], each["submitter"], each["reason"]) for each in record["rejections"]
    ]
    assert trace.unmodelled == ()


def test_what_later_turns_leave_out_is_named() -> None:
    """Half of the eight slots stay free beside seven jobs, as the log of the real negotiator has it."""
    found = pool(RECORDED / "sid-in-turns")
    jobs = [each for each in found.jobs or () if each.id == "8.0"]
    (verdict,) = Verdicts(found).on(jobs)
    (reason,) = verdict.walls

    assert reason.id == "job-prio-left-out"
    assert "JobPrio 8; " in reason.text
    assert "phys.ann@test for jobs of JobPrio 10 only" in reason.text
