"""The first lines on jobs that a cycle has nothing to do with."""

from __future__ import annotations

from io import StringIO

import pytest

from htcq.expected.unmet import MISSING, Unmet, keys_of
from htcq.pool.pool import Pool
from htcq.report.views.why_table import show_table_of
from htcq.report.views.why_text import show_verdicts
from htcq.units import show_moment
from htcq.why.verdict import Verdicts
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter

STARTED = 1_760_000_000


def lines_on(given: Pool) -> list[str]:
    out = StringIO()
    show_verdicts(Verdicts(given).on(given.jobs or ()), given, out)
    return out.getvalue().splitlines()


def test_a_job_that_runs_is_said_to_run_where_and_since_when() -> None:
    running = job(
        JobStatus=2, RemoteHost='"slot1_1@node1"', JobCurrentStartDate=STARTED,
        ScheddName='"access1"',
    )  # fmt: skip
    lines = lines_on(pool(slot(), schedd(), submitter(), negotiator(), jobs=[running]))
    assert lines[0].endswith(f": runs on slot1_1@node1 since {show_moment(STARTED)}")
    assert "not-idle" not in "".join(lines)


def test_a_job_that_its_schedd_starts_is_not_said_to_suit_no_slot() -> None:
    mine = job(JobUniverse=7, Requirements='TARGET.Arch == "VAX"', ScheddName='"access1"')
    access = {"access1": "ARCH = X86_64\n"}
    given = pool(slot(), schedd(), submitter(), negotiator(), jobs=[mine], access=access)
    lines = lines_on(given)
    assert lines[0].endswith(": does not start: the schedd access1 does not meet its Requirements")
    assert "no slot" not in "".join(lines)


CAME = 1_800_000_000


@pytest.mark.parametrize(
    ("rejected", "ids", "head"),
    [
        (None, (), "starts: the next cycle matches it"),
        (None, ("starts-do-not-last",), "starts: the next cycle matches it"),
        (CAME - 900, (), "starts: the next cycle matches it"),
        (
            CAME - 20, (),
            "did not start with the last cycle; the next cycle matches it",
        ),
        (
            CAME - 20, ("expected-starts-missing",),
            "did not start, though the simulated cycle starts it",
        ),
        (None, ("matched-jobs-do-not-start",), "did not start, though the simulated cycle starts it"),
    ],
)  # fmt: skip
def test_the_first_line_says_what_was_seen_before_what_is_simulated(
    rejected: int | None, ids: tuple[str, ...], head: str
) -> None:
    said: dict[str, Text] = {"LastRejMatchReason": '"no match found"'}
    asks: dict[str, Text] = {} if rejected is None else {**said, "LastRejMatchTime": rejected}
    given = pool(
        slot(), schedd(), submitter(), negotiator(LastNegotiationCycleTime0=CAME - 30),
        jobs=[job(ScheddName='"access1"', **asks)],
    )  # fmt: skip
    unmet = [Unmet(each, "m1", "text", "cure", jobs=keys_of(given.jobs or ())) for each in ids]
    out = StringIO()
    show_verdicts(Verdicts(given).on(given.jobs or ()), given, out, unmet)
    assert out.getvalue().splitlines()[0].endswith(f"access1: {head}")


def test_the_table_counts_apart_what_should_have_started() -> None:
    given = pool(slot(), schedd(), submitter(), negotiator(), jobs=[job(ScheddName='"access1"')])
    verdicts = list(Verdicts(given).on(given.jobs or ()))
    missing = Unmet(MISSING, "m1", "text", "cure", jobs=keys_of(given.jobs or ()))
    for unmet, line, column in (
        ([], "1 job starts with the next cycle, 0 wait", "match"),
        (
            [missing],
            "0 jobs start with the next cycle, 0 wait, 1 did not start though the simulated cycle "
            "starts it",
            "did not",
        ),
    ):
        out = StringIO()
        show_table_of(verdicts, given, out, unmet)
        assert line in out.getvalue().splitlines()
        assert f"  {column}" in out.getvalue()
