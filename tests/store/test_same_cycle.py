"""An anonymous pool negotiates as the pool itself does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from htcq.operations.pool_source import pool_of
from htcq.simulate.cycle.collector_order import CollectorOrder
from htcq.store.snapshot import open_snapshot
from tests.large_pool import Pool, Size
from tests.store.same_cycle import anonymous_copy, same_cycle

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CAPTURED = [
    *sorted((GOLDEN / "negotiation").iterdir()),
    *sorted((GOLDEN / "negotiation-2").iterdir()),
    *sorted((GOLDEN / "mixed-site").glob("*.tar.gz")),
]


@pytest.fixture
def read(capfd: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: capfd.readouterr().out


@pytest.fixture(autouse=True)
def _order_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave slots as they stand: the collector's order of equal slots is told by names, which are others here."""
    monkeypatch.setattr(CollectorOrder, "places", lambda self, names: range(len(names)))


@pytest.mark.parametrize("snapshot", CAPTURED, ids=lambda path: path.name)
def test_the_cycle_of_a_captured_pool_stays_the_same(
    snapshot: Path, tmp_path: Path, read: Callable[[], str]
) -> None:
    original, anonymous, done = anonymous_copy(snapshot, tmp_path)

    same_cycle(original, anonymous, done, read)


@pytest.mark.parametrize("seed", range(2))
def test_the_cycle_of_a_random_pool_stays_the_same(
    seed: int, tmp_path: Path, read: Callable[[], str]
) -> None:
    (tmp_path / "random").mkdir()
    Pool(Size(slots=150, submitters=30, groups=20, jobs=200, autoclusters=20), seed).write(
        tmp_path / "random"
    )
    original, anonymous, done = anonymous_copy(tmp_path / "random", tmp_path)

    same_cycle(original, anonymous, done, read)


def test_with_kept_groups_the_cycle_stays_the_same_and_groups_have_their_names(
    tmp_path: Path, read: Callable[[], str]
) -> None:
    original, anonymous, done = anonymous_copy(
        GOLDEN / "mixed-site" / "linear-busy.tar.gz", tmp_path, keep_groups=True
    )

    same_cycle(original, anonymous, done, read)
    assert "GROUP_NAMES = biology, chem, physics\n" in (anonymous / "config.txt").read_text()


def test_an_anonymous_pool_says_so(tmp_path: Path) -> None:
    """Submit requirements and transforms are not in it: that there is none must not be concluded."""
    original, anonymous, _ = anonymous_copy(GOLDEN / "mixed-site" / "linear-idle.tar.gz", tmp_path)

    assert not pool_of(open_snapshot(original), "").anonymous
    assert pool_of(open_snapshot(anonymous), "").anonymous
