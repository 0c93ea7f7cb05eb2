"""Cycle after cycle of real pools in real time: what was matched and rejected in each, and what had claims then.

In ``negotiation-3`` of recordings that others made, in ``real-time`` of own ones with each policy of jobs, access points
and condor_defrag; the README.md of each says how."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from htcq.operations.pool_source import Source, open_source, read_open
from htcq.pool.pool import Pool
from htcq.simulate.course.course import Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.simulate.unmodelled import unmodelled
from tests.pool.negotiations import expected

_GOLDEN = Path(__file__).resolve().parents[2] / "golden"
RECORDED = sorted(
    path
    for name in ("negotiation-3", "real-time")
    for path in (_GOLDEN / name).iterdir()
    if path.is_dir()
)
COURSES = [path for path in RECORDED if "cycles" in expected(path)]
CYCLES = [path for path in RECORDED if "cycles" not in expected(path)]
#: Its condor_defrag has knobs that nobody captured; real-time has others.
WITHOUT_KNOBS = "trixie-defrag"
#: Between two cycles claims go and come: usage is that of the cycle before in a simulation, and whether a
#: share is four cpus or a trace less decides about one more rejection.
WITH_DEFRAG = "sid-defrag"
#: What depends on moments at an access point of 23.9.6: here jobs began in the second of their shadow, and others became
#: idle while they cooled down.
BY_CHANCE = ("AllowedExecuteDuration of ", "SYSTEM_ON_VACATE_COOL_DOWN of ")
NUMBERS = ("matches", "rejections", "running", "cpus")


def recorded(path: Path, run_time: str) -> Pool:
    """Return the pool before the first cycle."""
    attribute = frozenset(run_time.partition(":")[2:]) - {""}
    return as_negotiator_reads(
        read_open(open_source(Source(snapshot=str(path), job_attributes=attribute)))
    )


@pytest.mark.parametrize("path", COURSES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_cycle_brings_what_it_brought(path: Path) -> None:
    record = expected(path)
    given = recorded(path, record["run_time"])
    plan = Plan(len(record["cycles"]), float(record["interval"] or 60))
    course = run_course(given, plan, run_time(record["run_time"]), Random(0))
    number = 2 if path == _GOLDEN / "negotiation-3" / WITHOUT_KNOBS else len(record["cycles"])

    numbers = [name for name in NUMBERS if path.name != WITH_DEFRAG or name != "rejections"]

    found = [{name: getattr(sample, name) for name in numbers} for sample in course.samples]
    real = [{name: each[name] for name in numbers} for each in record["cycles"]]
    assert found[:number] == real[:number]
    assert course.unmodelled == ()
    told = [*unmodelled(given, courses=True)]
    assert [each for each in told if not each.startswith(BY_CHANCE)] == []


@pytest.mark.parametrize("path", CYCLES, ids=lambda path: path.name)
def test_one_cycle_brings_what_it_brought(path: Path) -> None:
    record, trace = expected(path), run_cycle(recorded(path, ""))

    matches = [(each.request, each.submitter, each.slot) for each in trace.matches]
    rejections = [(each.job, each.submitter, each.reason) for each in trace.rejections]
    assert matches == [
        (each["request"], each["submitter"], each["slot"]) for each in record["matches"]
    ]
    assert rejections == [
        (each["request"], each["submitter"], each["reason"]) for each in record["rejections"]
    ]
