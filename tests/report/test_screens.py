"""What people read of a large pool stays on few lines, whatever keeps its jobs."""

from __future__ import annotations

import io
from dataclasses import replace

from htcq.pool.pool import Pool
from htcq.report.views.why_table import show_table_of
from htcq.why.choice import all_idle
from htcq.why.match_failure import WALLS, MatchFailure
from htcq.why.verdict import Verdict, Verdicts
from tests.audit.sites import job, pool, schedd, slot, submitter

#: So many lines are read.
_LINES = 100


def of_every_reason() -> tuple[Pool, list[Verdict]]:
    """Return a pool, and verdicts with every reason that there is, each of jobs of two kinds."""
    given = pool(
        slot(),
        submitter(),
        schedd(),
        jobs=[job(f"1.{number}", ScheddName='"access1"') for number in range(2)],
        config="".join(
            f"{knob} = 1\n" for knob in (
                "NEGOTIATOR_MAX_TIME_PER_CYCLE", "NEGOTIATOR_MAX_TIME_PER_SCHEDD",
                "NEGOTIATOR_MAX_TIME_PER_SUBMITTER", "NEGOTIATOR_MAX_TIME_PER_PIESPIN",
                "NEGOTIATOR_SIMULATE_CYCLES", "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD",
            )
        ),
    )  # fmt: skip
    verdicts = Verdicts(given)
    idle = all_idle(given.jobs or ())
    alike = verdicts.on(idle)[0]
    found = []
    for reason in WALLS:
        for one in idle:
            walls = (MatchFailure(reason, "a sentence " * 40),)
            found.append(replace(alike, jobs=(one,), walls=walls, starts=False, starts_by=""))
    return given, found


def test_why_all_of_every_reason_stays_below_100_lines() -> None:
    given, found = of_every_reason()
    short, wide = io.StringIO(), io.StringIO()
    show_table_of(found, given, short)
    show_table_of(found, given, wide, wide=True)
    assert len(short.getvalue().splitlines()) <= _LINES
    assert "more reasons: --wide prints all" in short.getvalue()
    assert "more rows: --wide prints all" in short.getvalue()
    for reason in WALLS:
        assert f"\n{reason}: " in wide.getvalue()
