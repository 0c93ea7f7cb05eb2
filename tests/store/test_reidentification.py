"""An outsider who knows when jobs began, or in what order, does not find them in an anonymous snapshot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from htcq.pool.disclosure import COARSE
from tests.store.reidentification import Pair, by_count, by_order_of_time, by_size, by_time, claims
from tests.store.reidentification import jobs as jobs_of
from tests.store.same_cycle import anonymous_copy

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
#: Captures of real pools in which jobs run.
CAPTURED = [
    *sorted(path for path in (GOLDEN / "negotiation-2").iterdir() if path.is_dir()),
    *sorted(path for path in (GOLDEN / "negotiation-3").iterdir() if path.is_dir()),
    *sorted((GOLDEN / "mixed-site").glob("*.tar.gz")),
]
Pools = list[tuple[list[Pair], list[Pair], tuple[str, ...]]]


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Pools:
    """Claims and jobs of each pool, and what stayed exact there."""
    found = []
    for snapshot in CAPTURED:
        original, anonymous, done = anonymous_copy(snapshot, tmp_path_factory.mktemp("pool"))
        both = claims(original, anonymous), jobs_of(original, anonymous)
        found.append((*both, done.exact))
    return found


def test_the_second_of_a_start_finds_no_more_claims_than_its_hour(pools: Pools) -> None:
    found: dict[str, float] = {}
    chance = total = 0.0
    for pairs, _, exact in pools:
        told = by_time(pairs) if pairs else {}
        for name, each in told.items():
            # Where claims may be preempted it orders them; the program says so.
            if name.rpartition("-")[2] not in exact:
                found[name] = found.get(name, 0.0) + each.found - each.by_chance
        if told:
            one = next(iter(told.values()))
            chance, total = chance + one.by_chance, total + one.all

    assert {"enteredcurrentactivity", "lastheardfrom-totaljobruntime"} <= found.keys()
    assert total > 100
    assert chance < total / 2
    # A slot's times are what would tell; numbers that have nothing to do with time vary by chance.
    assert {name: more for name, more in found.items() if more > 0.02 * total} == {}


@pytest.mark.parametrize("name", ["enteredcurrentactivity", "enteredcurrentstate"])
def test_the_order_of_starts_finds_no_more_claims_than_their_hours(name: str, pools: Pools) -> None:
    for pairs, _, exact in pools:
        if pairs and name not in exact and name in COARSE:
            told = by_order_of_time([pair for pair in pairs if name in pair.new], name)
            assert told.found <= told.by_chance + 1e-9


def test_the_manual_says_how_many_jobs_and_users_their_sizes_and_counts_tell(pools: Pools) -> None:
    sizes = [by_size(jobs) for _, jobs, _ in pools]
    counts = [by_count(jobs) for _, jobs, _ in pools]
    jobs, of_jobs, users, of_users = (sum(column) for column in zip(*sizes))
    alone, of_counts = (sum(column) for column in zip(*counts))
    manual = (ROOT / "docs" / "manual" / "htcq-snapshot.1.md").read_text()
    shares = [jobs / of_jobs, users / of_users, alone / of_counts]

    assert re.findall(r"\*\*(\d+) %\*\*", manual) == [f"{100 * share:.0f}" for share in shares]
