"""Pools whose roles run 23.9 and 25.14, mixed and whole: ``--as-version`` foretells what each does, from another one's snapshot.

One random pool for all mixtures, drawn anew in every run; a failure names the option that draws it
again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import NODE, PACE, Site
from mixed_pool import ACCESS, CENTRAL, EXECUTE, MixedPool, mixed_pool
from one_cycle import Recorded, recorded
from random_cycles import Scenario, random_scenario
from test_disk_quantum import EXPECTED, EXTENTS, GATED, let_go
from test_simulate import differing_in

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.simulate.as_version import as_version_of, pool_as_version
from htcq.simulate.cycle.cycle import Cycle, run_cycle
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.simulate.what_if import WhatIf, changed_pool
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
OLD, NEW = "trixie", "sid"
#: The suites of the central manager, the access point and the execution point.
WHOLE = ((OLD, OLD, OLD), (NEW, NEW, NEW))
MIXED = (
    (NEW, OLD, OLD),
    (OLD, NEW, OLD),
    (OLD, OLD, NEW),
    (NEW, NEW, OLD),
    (NEW, OLD, NEW),
    (OLD, NEW, NEW),
)
#: What versions decide about differently, beside what a random pool has.
KNOBS: Mapping[str, str] = {
    "FORCE_NEGOTIATOR_SLOT_WEIGHT": "True",
    "START_VANILLA_UNIVERSE": "SCHEDD.Name =!= undefined",
}


@dataclass(frozen=True)
class Seen:
    """What pools of the same scenario did, by the suites of their roles, and the versions of these."""

    scenario: Scenario
    cycles: Mapping[tuple[str, ...], Recorded]
    versions: Mapping[str, str]


def _name(suites: tuple[str, ...]) -> str:
    return "-".join(suites)


def _scenario(seed: str) -> Scenario:
    """Return a random pool with many jobs of one submitter, and no jobs that run before.

    A startd of another version would have carved their slots otherwise.
    """
    number = 0
    while True:
        scenario = random_scenario(f"{seed}-mixed-{number}")
        number += 1
        jobs: dict[str, int] = {}
        for cluster in scenario.clusters:
            jobs[cluster.submitter] = jobs.get(cluster.submitter, 0) + cluster.count
        if max(jobs.values()) > 25 and "CURB_MATCHMAKING" not in scenario.knobs:
            return replace(scenario, running=(), user_limit=0, knobs={**scenario.knobs, **KNOBS})


@pytest.fixture(scope="module")
def seen(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """One cycle of the same pool, of every mixture of versions."""
    scenario = _scenario(pytestconfig.option.cycle_seed)
    cycles: dict[tuple[str, ...], Recorded] = {}
    versions: dict[str, str] = {}
    for suites in (*WHOLE, *MIXED):
        with mixed_pool(dict(zip((CENTRAL, ACCESS, EXECUTE), suites))) as pool:
            versions.update(
                (part.record.suite, part.record.version) for part in pool.parts.values()
            )
            # MaxJobsRunning of users is left alone: it is in the schedd, not in the scenario.
            site = Site(pool, OLD, versions[OLD], dict(NODE))
            cycles[suites] = recorded(site, scenario, tmp_path_factory.mktemp(_name(suites)))
    return Seen(scenario, cycles, versions)


def _pairs() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for before in WHOLE:
        for after in (*WHOLE, *MIXED):
            if after != before:
                yield before, after


@pytest.mark.parametrize(("before", "after"), list(_pairs()), ids=_name)
def test_a_pool_of_other_versions_does_what_was_foretold(
    seen: Seen, before: tuple[str, ...], after: tuple[str, ...], pytestconfig: pytest.Config
) -> None:
    where = seen.cycles[before].before
    pool = pool_of(open_snapshot(where), str(where))
    asked = tuple(
        as_version_of(f"{role}={seen.versions[suite]}")
        for role, suite in zip((CENTRAL, ACCESS, EXECUTE), after)
    )
    trace = run_cycle(as_negotiator_reads(changed_pool(pool, WhatIf(versions=asked))))

    differing = [*differing_in(seen.scenario, seen.cycles[after].cycle, trace)]
    again = f"again with: --cycle-seed {pytestconfig.option.cycle_seed}"
    assert not differing, "\n".join([again, *map(str, trace.unmodelled), *differing[:30]])
    assert trace.crash is None


def test_versions_make_a_difference(seen: Seen) -> None:
    """Whole pools of the two versions do not do the same, or nothing would be foretold."""
    old, new = (seen.cycles[suites].cycle for suites in WHOLE)

    assert (old.matches, old.rejections) != (new.matches, new.rejections)


def _captured(pool: MixedPool, directory: Path) -> Pool:
    """Return the pool of HTCondor's own tools, with the jobs as they are once they may run."""
    pool.wait(lambda: pool.ads("submitters", ["IdleJobs"]), 60, "a submitter", ("SchedLog",))
    jobs = let_go(pool.tool("condor_q", "-allusers", "-long"))
    (directory / "collector.ads").write_text(pool.tool("condor_status", "-any", "-long"))
    (directory / "jobs.ads").write_text(jobs)
    (directory / "config.txt").write_text(pool.tool("condor_config_val", "-dump"))
    return pool_of(open_snapshot(directory), str(directory))


def _with_extents(pool: MixedPool) -> int:
    """Let slots have disk in extents, and queue a job that may not run yet."""
    pool.configure(PACE + EXTENTS)
    pool.restart()
    return pool.submit(GATED, 1)


@pytest.mark.parametrize(
    ("central", "access", "execute"), [(NEW, NEW, OLD), (NEW, OLD, NEW)], ids=_name
)
def test_a_startd_of_another_version_carves_what_was_foretold(
    central: str, access: str, execute: str, tmp_path: Path
) -> None:
    with mixed_pool({CENTRAL: central, ACCESS: access, EXECUTE: execute}) as pool:
        versions = {part.record.suite: part.record.version for part in pool.parts.values()}
        cluster = _with_extents(pool)
        captured = _captured(pool, tmp_path)
        pool.tool("condor_qedit", str(cluster), "MayRun", "true")
        dynamic = pool.wait(
            lambda: pool.ads("slots", ["Disk"], constraint="DynamicSlot =?= true"),
            60,
            "a dynamic slot",
            ("NegotiatorLog", "StartLog"),
        )

    assert dynamic[0]["Disk"] == EXPECTED[execute][0]
    for each in (OLD, NEW):
        asked = [as_version_of(f"execute={versions[each]}")]
        cycle = Cycle(pool_as_version(captured, asked))
        cycle.run()
        assert [made.claim.amounts["disk"] for made in cycle.talks.made] == [EXPECTED[each][0]]


def test_new_slots_match_nothing_in_an_old_pool(seen: Seen, tmp_path: Path) -> None:
    """To ClassAds of 23.9 the default WithinResourceLimits of 25.14 is an error."""
    with mixed_pool({CENTRAL: OLD, ACCESS: OLD, EXECUTE: NEW}) as pool:
        cluster = _with_extents(pool)
        captured = _captured(pool, tmp_path)
        pool.tool("condor_qedit", str(cluster), "MayRun", "true")
        pool.wait(
            lambda: "no match found" in pool.log("MatchLog"), 60, "a rejection", ("NegotiatorLog",)
        )
        assert " Matched " not in pool.log("MatchLog")

    reasons = [each.reason for each in run_cycle(as_negotiator_reads(captured)).rejections]
    assert reasons == ["no match found"]
    findings = {each.rule: each for each in audit(Evidence(captured), rules_of_pools()).findings}
    assert findings["default-operator-read-otherwise"].severity is Severity.ERROR
    older = pool_as_version(captured, [as_version_of(f"execute={seen.versions[OLD]}")])
    assert len(run_cycle(as_negotiator_reads(older)).matches) == 1
    newer = pool_as_version(older, [as_version_of(f"execute={seen.versions[NEW]}")])
    assert not run_cycle(as_negotiator_reads(newer)).matches
