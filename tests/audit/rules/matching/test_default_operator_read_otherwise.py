"""Read in src/classad/source.cpp of 23.9 and 25.13, and seen: a startd of 25.14.1 with a negotiator of 23.9.6 gets no job."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import Text, found, look, negotiator, pool, slot

RULE = "default-operator-read-otherwise"
OLD, NEW = "$CondorVersion: 23.9.6 2026-07-12 $", "$CondorVersion: 25.14.1 2026-10-16 $"
CATALOGS = 'TARGET.RequestDisk - ifthenelse(MappingMethod ?: "" != "Copy", 0, 0) <= MY.Disk'


def newer(**changes: Text) -> str:
    return slot(CondorVersion=f'"{NEW}"', **changes)


def test_a_check_of_amounts_that_is_an_error_is_found() -> None:
    (finding,) = found(
        RULE, pool(newer(WithinResourceLimits=CATALOGS), negotiator(CondorVersion=f'"{OLD}"'))
    )

    assert finding.severity is Severity.ERROR
    assert finding.message == (
        "WithinResourceLimits has the operator ?: before another one, which the negotiator of HTCondor 23.9.6 reads "
        "otherwise than the startd of 25.14.1 that wrote it"
    )


def test_in_another_attribute_it_is_a_warning() -> None:
    ads = (newer(SlotWeight="Cpus + Extra ?: 1"), negotiator(CondorVersion=f'"{OLD}"'))
    (finding,) = found(RULE, pool(*ads))

    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("by", "text"), [(NEW, CATALOGS), (OLD, "(A ?: 1) > 0"), (OLD, "f(A ?: 1)")]
)
def test_where_both_read_the_same_all_is_well(by: str, text: str) -> None:
    ads = (newer(WithinResourceLimits=text), negotiator(CondorVersion=f'"{by}"'))

    assert not found(RULE, pool(*ads))


def test_slots_of_the_negotiators_own_age_are_fine() -> None:
    old = slot(CondorVersion=f'"{OLD}"', WithinResourceLimits=CATALOGS)

    assert not found(RULE, pool(old, negotiator(CondorVersion=f'"{OLD}"')))


def test_without_a_version_it_says_that_it_could_not_look() -> None:
    outcome = look(RULE, pool(newer(WithinResourceLimits=CATALOGS), complete=False))

    assert [each.missing for each in outcome.not_checked] == [
        "the negotiator's ad (collector.ads): its version"
    ]
