"""From 25.10.1 to 25.13.2 the accountant never zeroes ResourcesUsed; 25.14.1 does, as its Accountantnew.log shows."""

from __future__ import annotations

import pytest

from tests.audit.rules.quota.groups import uses
from tests.audit.sites import accounting, collector, found, look, negotiator, pool, slot

RULE = "usage-grows"


def of(version: str) -> str:
    return f'"$CondorVersion: {version} 2026-06-01 BuildID: 1 $"'


@pytest.mark.parametrize("version", ["25.10.1", "25.12.0", "25.13.2"])
def test_a_version_that_never_resets_is_found(version: str) -> None:
    (finding,) = found(RULE, pool(negotiator(CondorVersion=of(version))))
    assert f"HTCondor {version} never resets" in finding.message


def test_a_record_that_grew_is_told_beside_what_it_holds() -> None:
    given = pool(
        negotiator(CondorVersion=of("25.11.0")),
        *uses("a", 2),
        accounting("a.ada@site", ResourcesUsed=500),
    )
    (finding,) = found(RULE, given)
    assert finding.message.endswith("; a.ada@site has 500 for 2 slots")


def test_a_pool_whose_negotiator_has_no_ad_is_known_by_its_collector() -> None:
    assert found(RULE, pool(collector(CondorVersion=of("25.12.0")), complete=False))


@pytest.mark.parametrize("version", ["25.9.2", "25.10.0", "25.14.1", "24.12.0"])
def test_other_versions_are_not(version: str) -> None:
    assert not found(RULE, pool(negotiator(CondorVersion=of(version))))


def test_without_either_ad_it_is_not_checked() -> None:
    assert [each.missing for each in look(RULE, pool(slot(), complete=False)).not_checked] == [
        "negotiator or collector ads (collector.ads)"
    ]
