"""Jobs are told apart by significant attributes alone (matchmaker.cpp:compute_significant_attrs, autocluster.cpp)."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from tests.audit.sites import found, job, look, negotiator, policy_slot, pool, schedd, slot

RULE = "significant-attribute-removed"
REMOVED = "REMOVE_SIGNIFICANT_ATTRIBUTES = CpusUsage, IsUrgent\n"
OLD = '"$CondorVersion: 25.4.0 2025-11-01 BuildID: 1 $"'


@pytest.mark.parametrize(
    "start",
    [
        "TARGET.IsUrgent =?= true",
        "IsUrgent || RequestCpus < 4",
        "Urgent",
        "ifThenElse(MY.Night, IsUrgent, true)",
    ],
)
def test_an_attribute_that_start_looks_at_is_found(start: str) -> None:
    given = pool(
        slot(Start=start, Urgent="TARGET.isurgent"),
        negotiator(),
        jobs=[job(IsUrgent="true")],
        config=REMOVED,
    )
    (finding,) = found(RULE, given)
    assert "isurgent of jobs" in finding.message.lower()
    assert [each.line for each in finding.settings] == ["REMOVE_SIGNIFICANT_ATTRIBUTES = CpusUsage"]


def test_what_htcondor_removes_by_itself_counts_too() -> None:
    """MemoryUsage is in the default of the list."""
    given = pool(
        slot(Start="(TARGET.MemoryUsage ?: 0) < 8000"), negotiator(), config="UID_DOMAIN = site\n"
    )
    (finding,) = found(RULE, given)
    assert "MemoryUsage" in finding.message


def test_so_does_a_consumption_policy() -> None:
    given = pool(
        policy_slot(ConsumptionMemory="TARGET.MemoryUsage ?: 128"),
        negotiator(),
        config="UID_DOMAIN = site\n",
    )
    assert found(RULE, given)


def test_a_pattern_is_looked_at() -> None:
    config = "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^Is\n"
    (finding,) = found(RULE, pool(slot(Start="TARGET.IsUrgent"), negotiator(), config=config))
    assert not finding.settings


@pytest.mark.parametrize(
    "given",
    [
        pool(slot(Start="TARGET.RequestCpus < 4"), negotiator(), config=REMOVED),
        pool(slot(Start="IsUrgent", IsUrgent="true"), negotiator(), config=REMOVED),
        pool(slot(Start="TARGET.IsUrgent"), negotiator(), config="UID_DOMAIN = site\n"),
        pool(slot(Start="TARGET.IsUrgent"), negotiator(CondorVersion=OLD), config=REMOVED),
        pool(slot(), policy_slot("slot1@b"), negotiator(), config="UID_DOMAIN = site\n"),
    ],
    ids=["others", "the slot's own", "not removed", "an old negotiator", "defaults"],
)
def test_what_is_significant_or_not_looked_at_is_not(given: Pool) -> None:
    assert not found(RULE, given)


def on_access_point(config: str, version: str = OLD) -> Pool:
    access = schedd(CondorVersion=version)
    central = negotiator(CondorVersion=version)
    return pool(
        slot(Start="TARGET.IsUrgent"), access, central, config="A = 1\n", access={"access1": config}
    )


def test_the_list_of_a_schedd_counts_in_all_versions() -> None:
    (finding,) = found(RULE, on_access_point(REMOVED))
    assert "REMOVE_SIGNIFICANT_ATTRIBUTES of access point access1" in finding.message
    assert [(each.line, each.nodes) for each in finding.settings] == [
        ("REMOVE_SIGNIFICANT_ATTRIBUTES = CpusUsage", ("access1",))
    ]


def test_so_does_a_list_that_stands_for_all_others() -> None:
    (finding,) = found(
        RULE, on_access_point("SIGNIFICANT_ATTRIBUTES = RequestCpus RequestMemory\n")
    )
    assert "refer to IsUrgent, RequestDisk and RequestGPUs of jobs, and SIGN" in finding.message
    assert [each.line for each in finding.settings] == [
        "SIGNIFICANT_ATTRIBUTES = RequestCpus RequestMemory, IsUrgent, RequestDisk, RequestGPUs"
    ]
    assert not found(
        RULE,
        on_access_point(
            "SIGNIFICANT_ATTRIBUTES = isurgent requestcpus requestmemory requestdisk requestgpus\n"
        ),
    )


def test_what_only_htcondors_own_limits_name_counts_as_far_as_it_is_a_request() -> None:
    """WithinResourceLimits of 25.14 names catalogs of common files, which few jobs have."""
    limits = (
        "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && (TARGET.RequestDisk - "
        "ifThenElse(RequestedCatalogs =?= undefined || catalogs =?= undefined, 0, CatalogSize)"
        ") <= MY.Disk"
    )
    machine = slot(WithinResourceLimits=limits, Start='TARGET.Project =?= "bar"')
    config = {"access1": "SIGNIFICANT_ATTRIBUTES = RequestCpus Requirements\n"}
    ads = (machine, schedd(), negotiator())
    (finding,) = found(RULE, pool(*ads, config="A = 1\n", access=config))
    assert finding.cause == "project, requestdisk"


def test_the_patterns_of_a_schedd_are_nobodys() -> None:
    assert not found(RULE, on_access_point("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^Is\n"))


def test_without_a_negotiator_its_version_is_not_known() -> None:
    assert look(
        RULE, pool(slot(Start="TARGET.IsUrgent"), config=REMOVED, complete=False)
    ).not_checked
