"""What was recorded is read again: numbers as samples, texts as the time for which they held."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.drift.observation import MAX_GAP, Kept, QuotaSample, QuotaSetting, WeightUse
from htcq.errors import EXIT_UNKNOWN, HistoryError
from htcq.store.history import open_history
from tests.store.histories import (
    FOREVER,
    LOOK,
    POOL,
    START,
    STATIC,
    group,
    names,
    observation,
    record,
    samples,
    times,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drift.db"


def kept(
    path: Path, kind: str | None = None, since: int = 0, until: int = FOREVER
) -> list[tuple[str, str, int, int]]:
    with open_history(path) as history:
        return [
            (each.name, each.text, each.since, each.until)
            for each in history.kept(POOL, since, until, kind)
        ]


def test_a_history_is_one_file_that_needs_no_preparation(path: Path) -> None:
    record(path, observation(START))

    assert names(path.parent) == ["drift.db"]


def test_the_numbers_of_a_group_come_back(path: Path) -> None:
    first = group(
        "physics", 4.5, effective=9.5, computed=10.25, idle=3.0, requested=7.0, allocated=2.125
    )
    record(path, observation(START), observation(START + LOOK, first))

    assert samples(path)[1:] == [
        QuotaSample(
            "physics", START + LOOK, LOOK, 1, 9.5, 10.25, 4.5, 4.5, 3.0, 7.0, 2.125, starved=LOOK
        )
    ]


def test_amounts_are_kept_to_the_thousandth(path: Path) -> None:
    record(path, observation(START), observation(START + LOOK, group(usage=1 / 3, idle=0.1)))

    assert (samples(path)[1].usage, samples(path)[1].idle) == (0.333, 0.1)


def test_what_nobody_published_or_computed_is_not_known(path: Path) -> None:
    record(path, observation(START, group(effective=None, computed=None)))

    assert [(sample.effective, sample.computed) for sample in samples(path)] == [(None, None)]


def test_numbers_beyond_all_measure_are_kept_as_many(path: Path) -> None:
    huge = group(
        "a",
        usage=float("inf"),
        idle=1e300,
        effective=1e300,
        computed=-1e300,
        requested=float("nan"),
    )
    record(path, observation(START, huge), observation(START + LOOK, huge))
    last = samples(path)[1]

    assert (last.usage, last.idle, last.effective, last.computed, last.requested) == (
        1e10,
        1e10,
        1e10,
        -1e10,
        0,
    )


@pytest.mark.parametrize(("gap", "span"), [(LOOK, LOOK), (MAX_GAP, MAX_GAP), (MAX_GAP + 1, 0)])
def test_time_is_observed_if_the_former_look_is_not_too_long_ago(
    gap: int, span: int, path: Path
) -> None:
    record(path, observation(START), observation(START + gap))

    assert [sample.span for sample in samples(path)] == [0, span]


def test_what_another_pool_was_looked_at_does_not_count(path: Path) -> None:
    record(path, observation(START, pool="other"), observation(START + LOOK))

    assert [sample.span for sample in samples(path)] == [0]


def test_the_seconds_of_each_state_are_kept(path: Path) -> None:
    groups = (
        group("starves", 5, idle=9.0),
        group("over", 20),
        group("lends", 5),
        group("fine", 10),
    )
    record(path, observation(START, *groups), observation(START + LOOK, *groups))

    assert {
        each.group: (each.starved, each.over, each.lending) for each in samples(path) if each.span
    } == {
        "starves": (LOOK, 0, 0),
        "over": (0, LOOK, 0),
        "lends": (0, 0, LOOK),
        "fine": (0, 0, 0),
    }


def test_the_same_second_is_recorded_once(path: Path) -> None:
    with open_history(path, writable=True) as history:
        assert history.record(observation(START, group(usage=1.0))) is True
        assert history.record(observation(START, group(usage=2.0))) is False
        assert history.record(observation(START, group(usage=2.0), pool="other")) is True

    assert [sample.usage for sample in samples(path)] == [1.0]


def test_what_is_older_than_the_last_observation_is_refused(path: Path) -> None:
    record(path, observation(START))
    with pytest.raises(
        HistoryError,
        match=r"last observed at 2027-01-16T00:00:00Z, later than .* 2027-01-15T23:59:59Z",
    ):
        record(path, observation(START - 1))

    record(path, observation(START - 1, pool="other"))
    assert times(path) == [START]


def test_a_text_is_kept_for_as_long_as_it_holds(path: Path) -> None:
    other = QuotaSetting(0.25, False, True, True)
    before, after = group("a", declared=STATIC), group("a", declared=STATIC, configured=other)
    first, second, third = (START + number * LOOK for number in range(3))
    record(
        path,
        observation(START, before),
        observation(second, after),
        observation(third, after, group("b")),
    )

    assert kept(path, "declared") == [("a", "static 10", first, None)]
    assert kept(path, "configured") == [
        ("a", "static 10", first, second),
        ("a", "dynamic 0.25 accept_surplus autoregroup", second, None),
        ("b", "static 10", third, None),
    ]


def test_a_text_that_is_gone_ends_and_may_come_again(path: Path) -> None:
    times = [START + number * LOOK for number in range(4)]
    record(
        path,
        *(
            observation(time, doubts=doubts)
            for time, doubts in zip(times, [("x", "y"), ("y",), (), ("x",)])
        ),
    )

    assert kept(path, "doubt") == [
        ("", "x", times[0], times[1]),
        ("", "y", times[0], times[2]),
        ("", "x", times[3], None),
    ]


def test_weights_and_settings_are_kept(path: Path) -> None:
    weights = (WeightUse("Cpus", 10, 80.0), WeightUse("Memory / 2", 1, 0.5))
    record(path, observation(START, weights=weights, settings={"GROUP_SORT_EXPR": "x"}))

    assert kept(path, "setting") == [("GROUP_SORT_EXPR", "x", START, None)]
    assert kept(path, "weight") == [
        ("Cpus", "10 slots, weight 80", START, None),
        ("Memory / 2", "1 slots, weight 0.5", START, None),
    ]


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (START, START, ["x"]),
        (START + 1, START + LOOK - 1, ["x"]),
        (START + LOOK, FOREVER, ["y"]),
        (0, START - 1, []),
    ],
)
def test_texts_are_found_by_the_time_for_which_they_held(
    since: int, until: int, expected: list[str], path: Path
) -> None:
    record(path, observation(START, doubts=("x",)), observation(START + LOOK, doubts=("y",)))

    assert [text for _, text, _, _ in kept(path, "doubt", since, until)] == expected


def test_texts_of_all_kinds_come_by_their_beginning(path: Path) -> None:
    record(path, observation(START), observation(START + LOOK, settings={}))
    with open_history(path) as history:
        found = history.kept(POOL, 0, FOREVER)

    assert found == (
        Kept("configured", "physics", "static 10", START),
        Kept("setting", "GROUP_SORT_EXPR", "GroupQuota", START, START + LOOK),
        Kept("weight", "Cpus", "12 slots, weight 96", START),
    )


def test_several_pools_share_a_file(path: Path) -> None:
    record(
        path,
        observation(START, pool="b"),
        observation(START, pool="a"),
        observation(START + 1, pool="b"),
    )

    with open_history(path) as history:
        assert history.pools() == ("a", "b")
        assert (history.first_and_last("a"), history.first_and_last("b")) == (
            (START, START),
            (START, START + 1),
        )
    assert (times(path, "a"), times(path, "b")) == ([START], [START, START + 1])


def test_what_a_pool_itself_is_comes_from_its_last_observation(path: Path) -> None:
    record(path, observation(START), observation(START + 1, negotiator="N2", unit="slots"))
    with open_history(path) as history:
        pool = history.pool(POOL)

    assert pool is not None
    assert (pool.name, pool.negotiator, pool.unit, pool.first, pool.last) == (
        POOL,
        "N2",
        "slots",
        START,
        START + 1,
    )


def test_an_unknown_pool_has_nothing(path: Path) -> None:
    record(path, observation(START))
    with open_history(path) as history:
        assert history.pool("x") is history.first_and_last("x") is None
        assert (list(history.samples("x", 0, FOREVER)), history.kept("x", 0, FOREVER)) == ([], ())


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (START + LOOK, START + 2 * LOOK, [1, 2, 3]),
        (START + LOOK + 1, START + 2 * LOOK - 1, [2]),
        (START + 2 * LOOK + 1, FOREVER, [3]),
        (START + 3 * LOOK + 1, FOREVER, []),
        (0, START - 1, []),
    ],
)
def test_samples_are_found_by_the_time_that_they_stand_for(
    since: int, until: int, expected: list[int], path: Path
) -> None:
    record(path, *(observation(START + number * LOOK) for number in range(4)))
    with open_history(path) as history:
        found = [sample.time for sample in history.samples(POOL, since, until)]

    assert found == [START + number * LOOK for number in expected]


def test_samples_of_some_groups_come_by_time(path: Path) -> None:
    groups = [group(name) for name in "cab"]
    record(path, observation(START, *groups), observation(START + LOOK, *groups))
    with open_history(path) as history:
        found = [
            (each.time, each.group)
            for each in history.samples(POOL, 0, FOREVER, groups=("a", "c", "x"))
        ]
        none = list(history.samples(POOL, 0, FOREVER, groups=()))

    assert [time for time, _ in found] == [START, START, START + LOOK, START + LOOK]
    assert {name for _, name in found} == {"a", "c"}
    assert none == []


def test_a_step_merges_what_is_finer(path: Path) -> None:
    hour = [observation(START + n * 600, group(usage=float(n), idle=1.0)) for n in range(13)]
    record(path, *hour)
    with open_history(path) as history:
        first, *found = history.samples(POOL, 0, FOREVER, step=3600)

    # The first look stands for no time: the mean of the hour that it ends is its own.
    assert (first.time, first.span, first.looks, first.usage) == (START, 0, 1, 0)
    assert [(each.time, each.span, each.looks, each.usage, each.max_usage) for each in found] == [
        (START + 3600, 3600, 6, 3.5, 6),
        (START + 7200, 3600, 6, 9.5, 12),
    ]
    assert [each.starved for each in found] == [3600, 5 * 600 - 2 * 600]


def test_names_that_are_no_unicode_are_spelled_out(path: Path) -> None:
    odd = "x\udcff"
    record(
        path,
        observation(START, group(odd), pool=odd, doubts=(odd,)),
        observation(START + 1, group(odd), pool=odd),
    )

    assert [sample.group for sample in samples(path, "x\\udcff")] == ["x\\udcff"] * 2


def test_two_groups_of_one_name_are_one(path: Path) -> None:
    record(path, observation(START, group("a", 1.0), group("a", 2.0)))

    assert [sample.usage for sample in samples(path)] == [2.0]


def test_a_reader_does_not_write(path: Path) -> None:
    record(path, observation(START))
    with open_history(path) as history, pytest.raises(HistoryError, match="readonly"):
        history.record(observation(START + 1))

    assert times(path) == [START]


def test_what_a_history_refuses_is_not_known_rather_than_wrong_usage() -> None:
    assert HistoryError("x").exit_status == EXIT_UNKNOWN


def test_a_relative_name_and_a_link_lead_to_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    Path("link").symlink_to("drift.db")
    record(Path("link"), observation(START))
    record(Path("drift.db"), observation(START + 1))

    assert times(Path("link")) == [START, START + 1]
    assert path.is_file()


def test_odd_names_of_files_are_taken_as_they_are(tmp_path: Path) -> None:
    for name in ("a b.db", "100%.db", "a?mode=ro", "a#b", "ä.db"):
        record(tmp_path / name, observation(START))
        assert times(tmp_path / name) == [START]

    assert names(tmp_path) == sorted(("a b.db", "100%.db", "a?mode=ro", "a#b", "ä.db"))
