"""A recorded pool as if its daemons were of another version; expected is what HTCondor's sources say of each version."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.audit.catalog import rule
from htcq.errors import InputError
from htcq.htcondor.releases import (
    ABSOLUTE_DISK,
    CHANGES,
    DISK_QUANTUM,
    OFFER_LIMIT,
    ROLES,
    USAGE_GROWS,
    Change,
)
from htcq.pool.pool import Pool
from htcq.simulate.as_version import as_version_of, pool_as_version, version_changes, versions_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.what_if import WhatIf, changed_pool
from tests.audit.sites import job, schedd, static_slot
from tests.pool.negotiations import CYCLES, expected, whole_pool
from tests.simulate.cycle.test_cycle import asks, given, policy_slot, queue


def site(jobs: int = 30, config: str = "CONDOR_HOST = here\n") -> Pool:
    """Return a pool of 25.14.1 with one submitter and room for all jobs."""
    slots = [policy_slot(f"slot1@node{number}") for number in range(8)]
    ads = [*slots, schedd(), asks("ada", jobs)]
    pool = given(*ads, jobs=queue(jobs), config=config)
    return pool_as_version(pool, [as_version_of(f"{role}=25.14.1") for role in ROLES])


@pytest.mark.parametrize(
    ("change", "version", "has_it"),
    [
        (OFFER_LIMIT, (25, 10, 1), False),
        (OFFER_LIMIT, (25, 11, 0), True),
        (OFFER_LIMIT, (), True),
        (ABSOLUTE_DISK, (24, 12, 18), False),
        (ABSOLUTE_DISK, (25, 4, 0), True),
        (DISK_QUANTUM, (24, 12, 17), False),
        (DISK_QUANTUM, (24, 12, 18), True),
        (DISK_QUANTUM, (25, 0, 8), True),
        (DISK_QUANTUM, (25, 4, 0), False),
        (DISK_QUANTUM, (25, 7, 0), True),
        (USAGE_GROWS, (25, 13, 2), True),
        (USAGE_GROWS, (25, 14, 0), False),
        (USAGE_GROWS, (), False),
    ],
)
def test_a_change_holds_from_one_version_on(
    change: Change, version: tuple[int, ...], has_it: bool
) -> None:
    assert change.holds(version) is has_it


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.effect[:40])
def test_every_change_names_a_role_and_a_rule_that_exist(change: Change) -> None:
    assert change.role in ROLES
    assert change.effect.endswith(".")
    if change.rule:
        assert rule(change.rule).id == change.rule


def test_an_older_access_point_offers_all_jobs_in_one_talk() -> None:
    """25.11 is the first that offers 20 jobs of a submitter at a time."""
    newer = run_cycle(site())
    older = run_cycle(changed_pool(site(), WhatIf(versions=(as_version_of("access=25.10"),))))

    assert (len(newer.matches), len(older.matches)) == (20, 30)


def test_only_the_daemons_of_that_role_get_the_version() -> None:
    changed = pool_as_version(site(), [as_version_of("execute=23.9.6")])

    assert versions_of(changed, "execute") == {(23, 9, 6)}
    assert versions_of(changed, "access") == versions_of(site(), "access")


def test_defaults_that_differ_by_version_are_not_settings() -> None:
    """A dump of 25.14 has the default of REMOVE_SIGNIFICANT_ATTRIBUTES, which older versions do not have."""
    usual = "REMOVE_SIGNIFICANT_ATTRIBUTES = CpusUsage,DiskUsage,GPUsUsage,MemoryUsage,ResidentSetSize\n"
    own = "REMOVE_SIGNIFICANT_ATTRIBUTES = JobPrio\n"
    asked = [as_version_of("access=23.9.6")]
    changed = [pool_as_version(site(config=text), asked).central for text in (usual, own)]

    assert [central is not None and len(central.knobs) for central in changed] == [0, 1]


def test_what_changes_is_told_once_for_all_daemons_of_a_role() -> None:
    asked = [as_version_of("access=23.9.6"), as_version_of("central=25.14")]
    told = [*version_changes(site(), asked)]

    assert {each.role for each in told} == {"access"}
    assert all(each.gone for each in told)
    limit = next(each for each in told if each.since == "25.11")
    assert limit.sentence.startswith(
        "access points, no longer before 25.11: A schedd offers at most"
    )
    assert limit.sentence.endswith("(rule offer-budget-used-up)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("schedd=25.14", "not ROLE=VERSION"),
        ("access=new", "not ROLE=VERSION"),
        ("access=25", "not ROLE=VERSION"),
        ("access=22.0", "changes of this version are not known"),
        ("access=26.0", "changes of this version are not known"),
    ],
)
def test_other_roles_and_versions_are_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        as_version_of(text)


def test_a_version_of_two_numbers_is_the_last_of_its_series() -> None:
    assert as_version_of("access=25.5").version > (25, 5, 1)


@pytest.mark.parametrize(
    ("version", "matches"), [("23.9.6", 1), ("24.6.1", 1), ("24.7.3", 0), ("25.14.1", 0)]
)
def test_static_slots_refuse_what_they_do_not_have(version: str, matches: int) -> None:
    """Seen on real pools: a 25.14.1 startd publishes the condition for static slots, one of 23.9.6 does not."""
    slot = static_slot(Requirements="START", Start="true")
    large = job("1.0", RequestMemory=10**7, Requirements="true")
    pool = given(slot, schedd(), asks("ada", 1), jobs=[large])
    there = pool_as_version(pool, [as_version_of(f"execute={version}")])
    back = pool_as_version(
        pool_as_version(pool, [as_version_of("execute=25.14.1")]),
        [as_version_of(f"execute={version}")],
    )

    assert [len(run_cycle(each).matches) for each in (there, back)] == [matches, matches]


def test_vectors_stay_as_they_are_under_their_own_versions() -> None:
    """A pool of 25.14.1 as if it were of 25.14.1 has the same cycle."""
    for path in [path for path in CYCLES if path.name.startswith("sid-")][:12]:
        pool, order = whole_pool(path), expected(path)["submitter_order"]
        asked = [as_version_of(f"{role}=25.14.1") for role in ROLES]
        assert run_cycle(pool_as_version(pool, asked), order) == run_cycle(pool, order), Path(path)
