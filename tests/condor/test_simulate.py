"""Random pools, drawn anew in every run: a simulated cycle makes the matches that a real negotiator makes.

``--cycle-cases N`` draws N pools for each HTCondor version; a failure names the options that
draw its pool again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest
from conftest import Site
from match_logs import LoggedCycle
from one_cycle import recorded
from random_additions import with_additions
from random_cycles import Scenario, random_scenario

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
_MAX_DIFFERENCES = 40
#: The log has six digits of each cost.
_PRECISION = 1e-5


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        numbers = range(metafunc.config.getoption("--cycle-cases"))
        metafunc.parametrize("number", numbers, ids=[f"case-{number:03}" for number in numbers])


def test_a_simulated_cycle_makes_the_matches_that_a_real_one_makes(
    site: Site, number: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """From a snapshot that a user could have taken before: matches, costs and rejections in order, usage and limits."""
    seed = pytestconfig.option.cycle_seed
    scenario = random_scenario(f"{seed}-{site.suite}-{number}")
    if number % 2:
        scenario = with_additions(scenario)
    found = recorded(site, scenario, tmp_path)

    trace = run_cycle(pool_of(open_snapshot(found.before), str(found.before)))

    differing = [*differing_in(scenario, found.cycle, trace)]
    again = (
        f"again with: --cycle-seed {seed} --cycle-cases {number + 1} --suite {site.suite} -k "
        f"case-{number:03}"
    )
    told = [again, *map(str, trace.unmodelled), *differing[:_MAX_DIFFERENCES]]
    assert not differing, "\n".join(told)
    assert trace.crash is None, again


def test_start_vanilla_universe_sees_the_request_and_not_what_a_policy_consumes(
    site: Site, tmp_path: Path
) -> None:
    """The schedd puts the job's own RequestCpus into SLOT.Cpus > JOB.RequestCpus: nothing is matched.

    The slots consume no cpus, so that the request asks for none of them while it is matched.
    """
    scenario = random_scenario("3544663979-sid-3")
    assert scenario.knobs["START_VANILLA_UNIVERSE"] == "SLOT.Cpus > JOB.RequestCpus"
    found = recorded(site, scenario, tmp_path)

    trace = run_cycle(pool_of(open_snapshot(found.before), str(found.before)))

    assert not [*differing_in(scenario, found.cycle, trace)]
    assert found.cycle.rejections


def differing_in(
    scenario: Scenario, cycle: LoggedCycle, trace: Trace, charges: bool = True
) -> Iterator[str]:
    """Yield where the log of a real cycle differs from a simulated one, in ``charges`` too if so."""
    made = [
        (match.job, match.request, match.submitter, match.slot, match.cost)
        for match in cycle.matches
    ]
    expected = [
        (match.job, match.request, match.submitter, match.slot, f"{match.cost:g}")
        for match in trace.matches
    ]
    yield from unlike("match", made, expected)
    rejected = [(each.job, each.submitter, each.reason) for each in trace.rejections]
    yield from unlike("rejection", cycle.rejections, rejected)
    limits = {group.name: group.limit for group in trace.groups if group.limit is not None}
    for group, limit in cycle.limits.items():
        if limits.get(group) != pytest.approx(limit, rel=_PRECISION, abs=_PRECISION, nan_ok=True):
            yield f"limit of {group}: really {limit}, simulated {limits.get(group)}"
    if charges:
        yield from _unlike_usage(scenario, cycle, trace)


def _unlike_usage(scenario: Scenario, cycle: LoggedCycle, trace: Trace) -> Iterator[str]:
    """Yield who used something else before its first turn, or was charged something else for the matches."""
    for name in {match.submitter for match in cycle.matches} - set(cycle.used):
        yield f"usage of {name} before: the log was read without it"
    used = {each.name: each.used_before for each in trace.submitters}
    for name, usage in cycle.used.items():
        if used.get(name) != pytest.approx(usage, rel=_PRECISION, abs=_PRECISION):
            yield f"usage of {name} before: really {usage}, simulated {used.get(name)}"
    charged: defaultdict[str, float] = defaultdict(float)
    for match in cycle.matches:
        for name in (match.submitter, scenario.groups[match.submitter.partition("@")[0]]):
            charged[name] += float(match.cost)
    simulated = {
        each.name: each.used_after - each.used_before for each in (*trace.submitters, *trace.groups)
    }
    for name in {**simulated, **charged}:
        if simulated.get(name) != pytest.approx(charged[name], rel=_PRECISION, abs=_PRECISION):
            yield f"charge to {name}: really {charged[name]}, simulated {simulated.get(name)}"


def unlike(what: str, really: Sequence[object], simulated: Sequence[object]) -> Iterator[str]:
    """Yield where two lists differ."""
    for index, (one, other) in enumerate(zip_longest(really, simulated)):
        if one != other:
            yield f"{what} {index}: really {one}, simulated {other}"
