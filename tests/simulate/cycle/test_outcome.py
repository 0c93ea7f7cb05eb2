"""Who gains and who loses between two cycles, and why."""

from __future__ import annotations

from htcq.simulate.cycle.outcome import CycleDifference, Pair, compare_cycles
from htcq.simulate.cycle.trace import GroupUse, Rejection, SubmitterUse, Trace


def trace(limit: float | None, ann: int, ben: int, idle: int = 8, reason: str = "") -> Trace:
    """Return a cycle in which a's submitter got ``ann`` of 8, and one without a group ``ben`` of 8."""
    return Trace(
        unit="slot weight",
        slots=1,
        pool_weight=8.0,
        matches=(),
        rejections=(Rejection("1.0", "a.ann@site", reason),) if reason else (),
        groups=(GroupUse("<none>", 8.0, 0.0, float(ben)), GroupUse("a", limit, 0.0, float(ann))),
        submitters=(
            SubmitterUse("a.ann@site", "a", idle, ann, 0.0, float(ann), float(ann)),
            SubmitterUse("ben@site", "<none>", 8, ben, 0.0, float(ben), float(ben)),
        ),
    )


def found(before: Trace, after: Trace) -> dict[str, CycleDifference]:
    return {each.name: each for each in compare_cycles(before, after)}


def test_a_limit_is_the_reason_where_it_changed() -> None:
    rows = found(trace(3.0, 3, 5, reason="no match found"), trace(6.0, 6, 2))

    assert rows["a"] == CycleDifference(
        "group",
        "a",
        Pair(3, 6),
        Pair(3, 6),
        Pair(5, 2),
        (False, False),
        because="the limit of a goes from 3 to 6",
    )
    assert rows["a.ann@site"].why == ("no match found", "")
    assert rows["a.ann@site"].because == "the limit of a goes from 3 to 6"
    assert (rows["ben@site"].because, rows["ben@site"].matches.difference) == (
        "gets less because a.ann@site uses 3 more",
        -3,
    )


def test_more_jobs_are_the_reason_where_there_are_more() -> None:
    row = found(trace(3.0, 3, 5), trace(3.0, 3, 5, idle=16))["a.ann@site"]

    assert (row.because, row.waiting, row.changed) == ("it asks for 8 more", Pair(5, 13), True)


def test_who_could_have_more_by_its_limit_and_waits_is_starved() -> None:
    rows = found(trace(3.0, 0, 8), trace(0.9, 0, 8))

    assert (rows["a"].starved, rows["a.ann@site"].starved) == ((True, False), (True, True))
    assert found(trace(None, 0, 8), trace(3.0, 3, 5))["a"].starved == (True, False)


def test_nothing_is_no_difference() -> None:
    assert [row.changed for row in compare_cycles(trace(3.0, 3, 5), trace(3.0, 3, 5))] == [
        False
    ] * 4
