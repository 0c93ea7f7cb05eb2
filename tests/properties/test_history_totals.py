"""Whatever was recorded, and whenever it is pruned: what the samples of a group add up to is what it was."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSample
from htcq.drift.retention import Retention
from htcq.store.history import open_history
from tests.store.histories import POOL, START, group, observation

GROUPS = ("a", "b", "c")
amounts = st.one_of(st.integers(0, 10**9), st.floats(0, 10**6)).map(float)
quotas = st.one_of(st.none(), st.integers(0, 1000).map(float))
groups = st.builds(
    group, st.sampled_from(GROUPS), amounts, idle=amounts, requested=amounts, allocated=amounts,
    effective=quotas, computed=quotas,
)  # fmt: skip
Looks = list[tuple[int, list[GroupObservation]]]
looks = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 1200), st.integers(1, 3 * 86400)),
        st.lists(groups, min_size=1, max_size=3, unique_by=lambda each: each.name),
    ),
    min_size=1,
    max_size=40,
)
ages = st.one_of(st.integers(0, 7200), st.integers(0, 5 * 86400))
#: When to prune, counted from the last look, and what to keep.
prunings = st.lists(st.tuples(st.integers(-86400, 5 * 86400), ages, ages), min_size=1, max_size=4)


def observations(given_looks: Looks) -> list[DriftObservation]:
    found, time = [], START
    for gap, present in given_looks:
        time += gap
        found.append(observation(time, *present))
    return found


def totals(samples: Iterable[QuotaSample]) -> dict[str, Counter[str]]:
    """Return by group what its samples add up to, amounts times seconds in thousandths."""
    found: dict[str, Counter[str]] = {}
    for each in samples:
        total = found.setdefault(each.group, Counter())
        total.update(span=each.span, looks=each.looks)
        total.update(starved=int(each.starved), over=int(each.over), lending=int(each.lending))
        for name in ("usage", "idle", "requested", "allocated"):
            total[name] += round(Fraction(getattr(each, name)) * each.span * 1000)
        total["most"] = max(total["most"], round(each.max_usage * 1000))
    return found


@given(looks, prunings)
def test_pruning_changes_no_total(given_looks: Looks, when: list[tuple[int, int, int]]) -> None:
    recorded = observations(given_looks)
    last = recorded[-1].time
    with (
        tempfile.TemporaryDirectory() as directory,
        open_history(Path(directory) / "drift.db", True) as history,
    ):
        for each in recorded:
            history.record(each)
        expected = totals(history.samples(POOL, 0, last))
        for later, fine, hours in when:
            before = list(history.samples(POOL, 0, 2 * last))
            removed = history.prune(last + later, Retention(fine, hours, 2 * last))
            after = list(history.samples(POOL, 0, 2 * last))

            assert totals(after) == expected
            assert len(before) - len(after) == removed
            assert history.prune(last + later, Retention(fine, hours, 2 * last)) == 0
            assert list(history.samples(POOL, 0, 2 * last)) == after
            check_bins(after, last, last + later, fine, hours)


def check_bins(samples: list[QuotaSample], last: int, now: int, fine: int, hours: int) -> None:
    """See that no finished hour or day that is old enough has more than one sample of a group left."""
    for width, age in ((3600, min(fine, hours)), (86400, hours)):
        end = min(now - age, last) // width * width
        bins = Counter((each.group, -(-each.time // width)) for each in samples if each.time <= end)
        assert set(bins.values()) <= {1}
        assert all(each.time % width == 0 for each in samples if each.time <= end)
    assert [each.time for each in samples] == sorted(each.time for each in samples)
    assert all(each.time <= last for each in samples)


@given(looks, st.integers(2, 10**6))
def test_a_step_changes_no_total(given_looks: Looks, step: int) -> None:
    recorded = observations(given_looks)
    last = recorded[-1].time
    with (
        tempfile.TemporaryDirectory() as directory,
        open_history(Path(directory) / "drift.db", True) as history,
    ):
        for each in recorded:
            history.record(each)
        fine, coarse = (list(history.samples(POOL, 0, last, step=width)) for width in (1, step))

    assert totals(coarse) == totals(fine)
    bins = Counter((each.group, -(-each.time // step)) for each in fine)
    assert len(coarse) == len(bins)
    assert Counter((each.group, -(-each.time // step)) for each in coarse) == Counter(bins.keys())
