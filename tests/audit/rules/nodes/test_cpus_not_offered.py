"""NUM_CPUS below the cores of the machine."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import found, job, pool, slot

RULE = "cpus-not-offered"


def test_half_of_the_cores_are_a_warning_while_jobs_wait() -> None:
    half = slot(TotalCpus=4, DetectedCpus=8)
    (waited,) = found(RULE, pool(half, jobs=[job()]))
    assert waited.message == "the machine offers 4 of 8 cores"
    assert waited.severity is Severity.WARNING
    (idle,) = found(RULE, pool(half, jobs=[]))
    assert idle.severity is Severity.INFO
    (some,) = found(RULE, pool(slot(TotalCpus=6, DetectedCpus=8), jobs=[job()]))
    assert some.severity is Severity.INFO


def test_all_cores_are_not_found() -> None:
    assert not found(RULE, pool(slot(TotalCpus=8, DetectedCpus=8)))
    assert not found(RULE, pool(slot(TotalCpus=8, DetectedCpus=6)))
