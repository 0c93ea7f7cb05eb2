"""When something is done: after how long, when not again, and when never."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from htcq.elastic.reclaim.reclaim_events import (
    CANCELLED,
    SET,
    SETTING,
    BatchOutcomeEvent,
    CeilingEvent,
    IntentEvent,
    MeasurementEvent,
    ObservationEvent,
    Origin,
    OwnEvent,
    ReclaimEvent,
    ResumeEvent,
    event_from,
)
from htcq.elastic.reclaim.reclaim_history import Measured, history_of
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from tests.elastic.reclaim.scenes import AT_ONCE, NOW, Scene, borrowed, victims, why

UNTAKEN = Measured(False)
PATIENT = replace(AT_ONCE, over_for=600, need_for=120, max_gap=400)


def record(kind: type[OwnEvent], ago: float, **payload: Any) -> ReclaimEvent:
    return event_from(
        {"kind": kind.kind, "time": NOW - ago, "reclaim": {"negotiator": "", **payload}}
    )


def looks(
    *ago: float, over: Sequence[str] = ("borrower",), needs: Sequence[str] = ("lender",)
) -> list[ReclaimEvent]:
    return [record(ObservationEvent, each, over=list(over), needs=list(needs)) for each in ago]


def intent(
    action: str, ago: float, *jobs: str, there: Sequence[str] = (), wanted: Mapping[str, int] | None = None
) -> ReclaimEvent:  # fmt: skip
    return record(
        IntentEvent, ago, action=action, jobs=[{"schedd": "access1", "job": job} for job in jobs], needy=["lender"],
        places=["slot1@node1"], there=[{"schedd": "access1", "job": job} for job in there], wanted=wanted or {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("past", "said"),
    [
        (looks(), "no group has used more than its runtime for 600 s; the longest time is 0 s"),
        (
            looks(110, 60),
            "no group has used more than its runtime for 600 s; the longest time is 110 s",
        ),
        (looks(700, 300), ""),
        (
            looks(900, 110),
            "no group has used more than its runtime for 600 s; the longest time is 110 s",
        ),
        (
            [*looks(700, 400), *looks(300, over=()), *looks(100)],
            "no group has used more than its runtime for 120 s; the longest time is 100 s",
        ),
        (
            [*looks(700, 400), *looks(100, needs=())],
            "no group has been in need for 120 s; the longest time is 0 s",
        ),
        ([*looks(700, 400, needs=()), *looks(130)], ""),
    ],
    ids=["none", "short", "long", "gap", "break", "no need", "both"],
)
def test_over_and_need_must_last(past: list[ReclaimEvent], said: str) -> None:
    plan = borrowed().plan(PATIENT, past)
    assert plan.waiting == said
    assert bool(plan.evictions) == (not said)


def test_a_min_is_given_back_first_and_a_share_later() -> None:
    """After 2 minutes the lender gets its min of 2, after 10 its runtime of 4."""
    quotas = ElasticQuotas(
        (
            ElasticGroup("borrower", min={"cpus": 2}, max={"cpus": 8}),
            ElasticGroup("lender", min={"cpus": 2}, max={"cpus": 8}),
        )
    )
    scene = Scene(quotas).machine()
    for number in range(8):
        scene.runs(f"1.{number}", "borrower")
    scene.waits("2.0", "lender", 6)
    early = scene.plan(PATIENT, looks(130, 60))
    assert len(early.evictions) == 2, "its min"
    assert len(scene.plan(PATIENT, looks(700, 400)).evictions) == 4, "its runtime"
    has_min = Scene(quotas).machine().runs("3.0", "lender").runs("3.1", "lender")
    for number in range(6):
        has_min.runs(f"1.{number}", "borrower")
    has_min.waits("2.0", "lender", 6)
    assert not has_min.plan(PATIENT, looks(130, 60)).evictions, "a share waits for over_for"
    assert len(has_min.plan(PATIENT, looks(700, 400)).evictions) == 2


def test_a_min_of_the_parent_is_a_min() -> None:
    """The leaves are guaranteed nothing, the group above them 4."""
    quotas = ElasticQuotas(
        (
            ElasticGroup("borrower", min={"cpus": 4}, max={"cpus": 8}),
            ElasticGroup("top", min={"cpus": 4}, max={"cpus": 8}),
            ElasticGroup("top.leaf", "top", max={"cpus": 8}),
        )
    )
    scene = Scene(quotas).machine()
    for number in range(8):
        scene.runs(f"1.{number}", "borrower")
    scene.waits("2.0", "top.leaf", 6)
    past = looks(130, 60, needs=("top.leaf",))
    assert len(scene.plan(PATIENT, past).evictions) == 4


def test_looks_with_another_negotiator_tell_nothing() -> None:
    others = [
        replace(each, origin=Origin(each.origin.time, "", "other"))
        for each in looks(700, 300)
        if isinstance(each, ObservationEvent)
    ]
    assert not borrowed().plan(PATIENT, others).evictions


def test_a_record_from_the_future_stops_everything() -> None:
    """Two machines with one journal whose clocks differ, or a clock that was set back."""
    plan = borrowed().plan(AT_ONCE, looks(-120))
    assert (
        plan.stopped
        == "the record is 120 s ahead of this observation: clocks differ, or the observation is old"
    )
    assert not plan.evictions


def test_after_an_action_it_waits_for_what_comes_of_it() -> None:
    limits = replace(AT_ONCE, settle_time=120)
    plan = borrowed().plan(limits, [intent("a", 60, "7.0")])
    assert plan.waiting == (
        "jobs were vacated 60 s ago, and no job in need has one of their slots yet; settle_time is "
        "120 s"
    )
    assert not plan.measured
    assert borrowed().plan(limits, [intent("a", 121, "7.0")]).evictions


def test_the_next_action_follows_as_soon_as_the_slots_are_taken() -> None:
    """What ends slowly is waited for, and not counted as useless meanwhile."""
    limits = replace(AT_ONCE, settle_time=120)
    came = borrowed(7, 2).runs("2.9", "lender", started=NOW - 5, user="ann")
    plan = came.plan(limits, [intent("a", 30, "7.0")])
    assert dict(plan.measured)["a"].taken
    assert plan.evictions
    ending = borrowed().plan(limits, [intent("a", 600, "1.0")])
    assert ending.waiting == "1 of the jobs that were vacated have not ended yet"
    assert not ending.measured
    assert borrowed().plan(limits, [intent("a", 1801, "1.0")]).measured == (("a", UNTAKEN),)
    again = borrowed(7, 2).runs("1.9", "borrower", started=NOW - 500)
    assert again.plan(limits, [intent("a", 600, "1.9")]).measured == (("a", UNTAKEN),)


def test_an_intent_of_which_nothing_came_is_no_action() -> None:
    failed = record(
        BatchOutcomeEvent, 59, action="a", done=[], failed=[{"schedd": "access1", "job": "7.0"}]
    )
    assert (
        borrowed()
        .plan(replace(AT_ONCE, settle_time=120), [intent("a", 60, "7.0"), failed])
        .evictions
    )


def test_a_job_that_was_perhaps_not_vacated_is_waited_for_within_settle_time() -> None:
    """An access point that gave no answer may never have been told."""
    limits = replace(AT_ONCE, settle_time=120)
    unknown = record(
        BatchOutcomeEvent, 59, action="a", done=[], doubtful=[{"schedd": "access1", "job": "1.0"}]
    )
    soon = borrowed().plan(limits, [intent("a", 60, "1.0"), unknown])
    assert soon.waiting == "1 of the jobs that were vacated have not ended yet"
    later = borrowed().plan(limits, [intent("a", 121, "1.0"), unknown])
    assert later.evictions


def test_an_action_is_measured_by_who_came() -> None:
    """The lender's job 2.9 came to what was freed; one that was there before does not count."""
    scene = borrowed(7, 1).runs("2.9", "lender", started=NOW - 50, user="ann")
    assert dict(scene.plan(AT_ONCE, [intent("a", 60, "7.0")]).measured) == {"a": Measured(True, {})}
    there = [intent("a", 60, "7.0", there=["2.9"])]
    assert dict(scene.plan(AT_ONCE, there).measured) == {"a": UNTAKEN}
    nobody_waits = borrowed(8, 0).plan(AT_ONCE, [intent("a", 60, "7.0")])
    assert dict(nobody_waits.measured) == {"a": Measured(False, {})}, "withdrawn"


ANN = "lender.ann@site"


def test_a_withdrawal_is_charged_to_its_submitter_and_makes_no_batch_larger() -> None:
    """Four jobs were vacated for ann's four, and she removed three of hers."""
    paced = replace(AT_ONCE, pool_percent=25)
    four = intent("a", 60, "7.0", "7.1", "7.2", "7.3", wanted={ANN: 4})
    gone = borrowed(8, 0).plan(paced, [four])
    assert dict(gone.measured) == {"a": Measured(False, {ANN: 4})}
    one_waits = borrowed(8, 1).plan(paced, [four])
    assert dict(one_waits.measured) == {"a": UNTAKEN}, "she has not withdrawn all"
    one_runs = borrowed(7, 0).runs("2.9", "lender", started=NOW - 5, user="ann")
    assert dict(one_runs.plan(paced, [four]).measured) == {"a": Measured(True, {ANN: 3})}
    one_elsewhere = (
        borrowed(8, 0).machine("node2").runs("2.9", "lender", "node2", started=NOW - 5, user="ann")
    )
    assert dict(one_elsewhere.plan(paced, [four]).measured) == {"a": Measured(False, {ANN: 3})}

    taken = record(MeasurementEvent, 50, action="a", taken=True)
    assert len(borrowed(8, 4).plan(paced, [four, taken]).evictions) == 4, "twice as many"
    for outcome in ({"taken": True, "withdrawn": {ANN: 3}}, {"taken": False, "withdrawn": {}}):
        measured = record(MeasurementEvent, 50, action="a", **outcome)
        assert len(borrowed(8, 4).plan(paced, [four, measured]).evictions) == 2


def test_who_has_withdrawn_as_much_as_a_user_may_lose_has_nothing_vacated_for_that_day() -> None:
    limits = replace(AT_ONCE, user_jobs=5)

    def plan(ago: float, count: int, user: str = "ann") -> list[str]:
        past = [
            intent("a", ago, "7.0", wanted={ANN: count}),
            record(MeasurementEvent, ago - 1, action="a", taken=False, withdrawn={ANN: count}),
        ]
        scene = borrowed(8, 0).waits("2.0", "lender", 4, user=user)
        return victims(scene.plan(limits, past))

    assert len(plan(60, 1)) == 4
    assert len(plan(60, 3)) == 2
    assert plan(60, 5) == plan(60, 50) == []
    assert len(plan(60, 50, "cy")) == 4
    assert len(plan(86_401, 50)) == 4


def test_withdrawals_do_not_stop_reclaim() -> None:
    gone = [intent(each, 200, "7.0", wanted={ANN: 1}) for each in "ab"]
    measured = [
        record(MeasurementEvent, 100, action=each, taken=False, withdrawn={ANN: 1}) for each in "ab"
    ]
    plan = borrowed().plan(AT_ONCE, [*gone, *measured])
    assert not plan.stopped
    assert plan.evictions


def test_two_useless_actions_stop_it_until_a_person_resumes() -> None:
    useless = record(MeasurementEvent, 100, action="a", taken=False)
    one, two = intent("a", 200, "7.0"), intent("b", 60, "7.1")
    assert borrowed().plan(AT_ONCE, [one, useless]).evictions, "one may be an accident"
    stopped = borrowed().plan(AT_ONCE, [one, useless, two])
    assert (
        stopped.stopped
        == "the freed slots went to other groups twice in a row: find out why, then resume"
    )
    assert stopped.measured == (("b", UNTAKEN),)
    assert not stopped.evictions
    of_use = record(MeasurementEvent, 50, action="b", taken=True)
    assert borrowed().plan(AT_ONCE, [one, useless, two, of_use]).evictions
    assert borrowed().plan(AT_ONCE, [one, useless, two, record(ResumeEvent, 30)]).evictions


def test_what_was_taken_today_counts() -> None:
    limits = replace(AT_ONCE, day_jobs=3)
    yesterday, today = intent("a", 86_500, "7.0", "7.1", "7.2"), intent("b", 86_000, "7.3")
    measured = [record(MeasurementEvent, 80_000, action=each, taken=True) for each in "ab"]
    plan = borrowed(8, 4).plan(limits, [yesterday, today, *measured])
    assert len(plan.evictions) == 2
    assert "the limit of 3 jobs per day is reached" in why(plan).values()


def test_a_job_is_taken_back_so_many_times_only() -> None:
    """The journal counts as well as the job's own ad."""
    actions = [intent("a", 3000, "1.0"), intent("b", 2000, "1.0"), intent("c", 1000, "1.1")]
    measured = [record(MeasurementEvent, 900, action=each, taken=True) for each in "abc"]
    plan = borrowed(8, 1).plan(replace(AT_ONCE, vacates=2), [*actions, *measured])
    assert victims(plan) == ["1.1"]
    assert why(plan)["1.0"] == "it was vacated 2 times already"


def ceiling(step: str, ago: float, number: int = 6, until: float | None = None) -> ReclaimEvent:
    return record(
        CeilingEvent, ago, submitter="borrower.bob@site", group="borrower", step=step, ceiling=number, until=until
    )  # fmt: skip


def wanting(running: int, waiting: int) -> Scene:
    """Return a borrower that wants more, beside the lender."""
    return borrowed(running, waiting).waits("3.0", "borrower", 9, user="bob")


def test_ceilings_of_ours_go_when_less_than_the_runtime_is_used() -> None:
    """The runtime is 8 when nobody else asks: 7 of 8 is below 97 %, 8 is not; with a lender in need 4 of 4 is not."""
    ours = [ceiling(SETTING, 90), ceiling(SET, 80)]
    assert wanting(7, 0).plan(AT_ONCE, ours).release == ("borrower.bob@site",)
    assert wanting(8, 0).plan(AT_ONCE, ours).release == ()
    assert wanting(4, 4).plan(AT_ONCE, ours).release == ()
    assert wanting(7, 0).plan(AT_ONCE, [*ours, ceiling(CANCELLED, 70)]).release == ()
    assert borrowed(4, 4).plan(AT_ONCE, ours).release == ("borrower.bob@site",), (
        "nobody wants what it would allow"
    )


def test_ceilings_of_ours_are_no_obstacle_and_are_set_anew() -> None:
    ours = [ceiling(SETTING, 90), ceiling(SET, 80)]
    plan = borrowed(8, 4).plan(AT_ONCE, ours, ceilings={"borrower.bob@site": 6})
    assert [each.ceiling for each in plan.ceilings] == [4]
    changed = borrowed(8, 4).plan(AT_ONCE, ours, ceilings={"borrower.bob@site": 8})
    assert not changed.evictions, "somebody else has changed it: it is not ours any more"


def test_leases_are_renewed_while_they_are_of_use() -> None:
    """A lease of 1800 s is renewed in its second half."""
    soon, late = ceiling(SET, 80, 4, NOW + 800), ceiling(SET, 80, 4, NOW + 1000)
    assert wanting(4, 4).plan(AT_ONCE, [soon]).renew == ("borrower.bob@site",)
    assert wanting(4, 4).plan(AT_ONCE, [late]).renew == ()
    assert wanting(4, 4).plan(AT_ONCE, [ceiling(SET, 80, 4)]).renew == (), "it is no lease"
    assert wanting(2, 0).plan(AT_ONCE, [soon]).renew == (), "it goes"


def test_a_ceiling_that_was_to_be_set_counts_as_ours() -> None:
    """Whoever was killed between the two may have set it."""
    assert set(history_of([ceiling(SETTING, 90)], "").ceilings) == {"borrower.bob@site"}


def test_records_of_others_in_the_journal_are_passed_over() -> None:
    others = [{"kind": "intent", "time": 1.0}, {"kind": ObservationEvent.kind, "time": 1.0}]
    assert history_of(map(event_from, others), "").observations == ()
