"""NUM_CPUS above the cores of the machine."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import found, pool, slot

RULE = "cpus-above-machine"


def test_some_more_cores_are_information_and_twice_as_many_a_warning() -> None:
    (some,) = found(RULE, pool(slot(TotalCpus=8, DetectedCpus=6)))
    assert some.severity is Severity.INFO
    (twice,) = found(RULE, pool(slot(TotalCpus=8, DetectedCpus=4)))
    assert "the machine offers 8 cores and has 4" in twice.message
    assert twice.severity is Severity.WARNING


def test_what_the_machine_has_is_not_found() -> None:
    assert not found(RULE, pool(slot(TotalCpus=8, DetectedCpus=8)))
    assert not found(RULE, pool(slot(TotalCpus=8)))
