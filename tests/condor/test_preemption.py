"""Random pools with claimed slots, drawn anew in every run: a simulated cycle preempts what a real negotiator preempts.

``--preemption-cases N`` draws N pools of each kind for each HTCondor version; a failure names the
options that draw its pool again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from conftest import Site
from one_cycle import recorded
from random_additions import preempting_with_additions
from random_preemption import KINDS, preempting_scenario
from test_simulate import differing_in, unlike

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.cycle import run_cycle
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
_MAX_DIFFERENCES = 40


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        numbers = range(metafunc.config.getoption("--preemption-cases"))
        metafunc.parametrize("number", numbers, ids=[f"case-{number:03}" for number in numbers])


@pytest.mark.parametrize("kind", KINDS)
def test_a_simulated_cycle_preempts_what_a_real_one_preempts(
    site: Site, kind: str, number: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """From a snapshot: whose claims go to which jobs, at what cost, and every rejection, in order."""
    seed = pytestconfig.option.cycle_seed
    scenario = preempting_scenario(f"{seed}-{site.suite}-{kind}-{number}", kind)
    if number % 2:
        scenario = preempting_with_additions(scenario)
    found = recorded(site, scenario, tmp_path)

    pool = pool_of(open_snapshot(found.before), str(found.before))
    trace = run_cycle(pool)
    # condor_status sorts submitters, whose order decides between those that are equal.
    order = [str(record.name) for record in pool.submitters]
    printed = run_cycle(pool_of(open_snapshot(found.printed), str(found.printed)), order)

    preempted = []
    for match in trace.matches:
        preempted.append(match.preempts)
        if match.dynamic_slots:
            preempted[-1] = f"{len(match.dynamic_slots)} dslots"
    differing = [
        *differing_in(scenario, found.cycle, trace, charges=False),
        *unlike("preempted", [match.preempting for match in found.cycle.matches], preempted),
    ]
    again = (
        f"again with: --cycle-seed {seed} --preemption-cases {number + 1} --suite {site.suite} -k "
        f"case-{number:03}-{kind}"
    )
    told = [again, *map(str, trace.unmodelled), *differing[:_MAX_DIFFERENCES]]
    assert not differing, "\n".join(told)
    # Who of equals comes first in later turns a given order does not say.
    assert printed.matches == trace.matches, again
    assert Counter(printed.rejections) == Counter(trace.rejections), again
