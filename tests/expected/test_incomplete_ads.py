"""Machines whose ads lack what each startd sends: a comparison with it is undefined (ClassAd language, 25.13)."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import INCOMPLETE
from tests.audit.sites import Text, found
from tests.balance.pools import balanced
from tests.expected.pools import cycles, free, only, site, waiting

REQUIREMENTS = 'TARGET.Arch == "X86_64" && TARGET.Cpus >= RequestCpus'
BUSY: dict[str, Text] = {"Cpus": 0, "Arch": '"X86_64"'}


def test_a_machine_without_arch_gets_no_job_and_is_named() -> None:
    given = site(
        free(), free("slot1@node2", **BUSY), cycles(), jobs=[waiting(Requirements=REQUIREMENTS)]
    )
    finding = only(INCOMPLETE, given)
    assert (
        "the ads of 1 machine (node1) have no Arch, which 1 waiting job compares" in finding.message
    )
    assert finding.severity.word == "warning"
    assert not balanced(given).is_sound


@pytest.mark.parametrize(
    ("first", "requirements"),
    [
        ({"Arch": '"aarch64"'}, REQUIREMENTS),
        ({}, "TARGET.Cpus >= RequestCpus && RequestMemory > 9999999"),
        ({"State": '"Drained"', "Draining": "true"}, REQUIREMENTS),
    ],
)
def test_another_arch_and_jobs_that_do_not_ask_are_no_finding(
    first: dict[str, Text], requirements: str
) -> None:
    ads = (free(**first), free("slot1@node2", **BUSY), cycles())
    assert not found(INCOMPLETE, site(*ads, jobs=[waiting(Requirements=requirements)]))


def test_ads_that_were_asked_for_less_lack_nothing() -> None:
    given = site(
        free(), free("slot1@node2", Cpus=0), cycles(), jobs=[waiting(Requirements=REQUIREMENTS)]
    )
    assert not found(INCOMPLETE, given)
