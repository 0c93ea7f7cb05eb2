"""Group quotas of random pools, drawn anew in every run: htcq and a real negotiator come to the same numbers.

``--quota-cases N`` draws N pools; a failure names the options that draw its pool again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import NEWEST, SUITES
from oracle import DAEMONS, SETTINGS, Answer, Oracle
from quota_numbers import differences, published, told
from random_groups import random_case
from testpool import Pool

from htcq.audit.evidence import Evidence
from htcq.operations.pool_source import pool_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor
#: One case in five is for the older version.
_OLDER, _EVERY = "trixie", 5
_MAX_DIFFERENCES = 40


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        count, only = (metafunc.config.getoption(name) for name in ("--quota-cases", "--suite"))
        suites = [NEWEST if (number + 1) % _EVERY else _OLDER for number in range(count)]
        drawn = [(suite, number) for number, suite in enumerate(suites) if only in (None, suite)]
        ids = [f"{suite}-case-{number:03}" for suite, number in drawn]
        metafunc.parametrize(
            ("oracle", "number"), drawn, indirect=["oracle"], ids=ids, scope="session"
        )


@pytest.fixture(scope="session")
def oracle(request: pytest.FixtureRequest) -> Iterator[Oracle]:
    """A negotiator of the suite that is asked for."""
    with Pool.start(suite=request.param, settings=SETTINGS, daemons=DAEMONS) as pool:
        assert pool.record.version.startswith(SUITES[request.param])
        yield Oracle(pool)


def test_htcq_and_the_negotiator_come_to_the_same_numbers(
    oracle: Oracle, number: int, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """From the ads alone as from those that tell what the negotiator reckons."""
    seed, suite = pytestconfig.option.quota_seed, oracle.pool.record.suite
    answer = oracle.answer(random_case(f"{seed}-{number}"), tmp_path)
    assert answer.cycle.rounds, "there are always groups"

    differing = [
        f"{snapshot.name} the cycle{each}"
        for snapshot in (answer.before, answer.after)
        for each in differing_in(answer, quotas_of(snapshot))
    ]

    again = (
        f"again with: --quota-seed {seed} --quota-cases {number + 1} -k {suite}-case-{number:03}"
    )
    assert not differing, "\n".join([again, *differing[:_MAX_DIFFERENCES]])


def quotas_of(snapshot: Path) -> PoolQuotas:
    return Evidence(pool_of(open_snapshot(snapshot), str(snapshot))).quotas


def differing_in(answer: Answer, quotas: PoolQuotas) -> Iterator[str]:
    """Yield where the log or the accounting ads differ from what htcq says."""
    yield from differences(asdict(answer.cycle), asdict(told(quotas, answer.cycle)))
    expected = published(quotas.computed, quotas.usage)
    for name in {**answer.published, **expected}:
        ad, numbers = answer.published.get(name, {}), expected.get(name, {})
        yield from differences({key: ad.get(key) for key in numbers}, numbers, f"/published/{name}")
