"""All places that say what a claim is agree: on every class of slots and autocluster of a pool.

On every recorded pool and on random ones; ``--claim-pools 2000`` looks at more of them, always the
same first. What is compared has no truth of its own: ``test_engines_agree`` holds claims against
HTCondor's source, and tests/condor against daemons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.claims.places import Pair, Places
from tests.pool.negotiations import pool
from tests.why.random_families import Families
from tests.why.random_pools import random_pool

ROOT = Path(__file__).parents[2]
RECORDED = sorted(path.parent for path in (ROOT / "tests/golden").glob("**/collector.ads"))
#: Claims on recorded pools, at least.
_PAIRS = 400


@cache
def recorded(path: Path) -> tuple[Pair, ...]:
    return tuple(Places(pool(path)).pairs())


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_on_recorded_pools(path: Path) -> None:
    found = [each for pair in recorded(path) for each in pair.differences()]

    assert not found, f"{len(found)} differences, such as\n" + "\n".join(found[:5])


def test_recorded_pools_have_claims_of_every_place() -> None:
    pairs = [pair for path in RECORDED for pair in recorded(path)]

    assert len(pairs) > _PAIRS
    assert {place for pair in pairs for place in pair.said} == {
        "cost", "audit, weights", "audit, demand", "audit, charges", "elastic", "cycle, startd",
        "cycle, columns", "cycle, rows",
    }  # fmt: skip


def test_on_random_pools(pytestconfig: pytest.Config) -> None:
    found: list[str] = []
    for seed in range(pytestconfig.getoption("--claim-pools")):
        drawn = random_pool(seed, Families(seed)) if seed % 2 else random_pool(seed)
        for pair in Places(drawn).pairs():
            found += [f"pool {seed}: {each}" for each in pair.differences()]

    assert not found, f"{len(found)} differences, such as\n" + "\n".join(found[:5])


# One room
# --------------------------------------------------------------------------------------------------

#: What puts a claim together of its parts: consumption, match cost, and the weight of what is carved.
_PARTS = re.compile(r"(?<!def )\b(?:match_cost|standing_weight|consumed)\(")
#: The parts themselves.
_ALLOWED = {"policy/claim.py", "pool/slot_class.py"}


def _composed() -> Iterator[str]:
    for path in sorted((ROOT / "htcq").rglob("*.py")):
        name = path.relative_to(ROOT / "htcq").as_posix()
        if not name.startswith("claims/") and _PARTS.search(path.read_text(encoding="utf-8")):
            yield name


def test_a_claim_is_put_together_in_one_room() -> None:
    assert set(_composed()) == _ALLOWED
