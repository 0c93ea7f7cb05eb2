"""Times in the ads of slots of an anonymous snapshot."""

from __future__ import annotations

from htcq.pool.anonymize import Rewriter
from htcq.pool.named import Collector

KEY = b"a key of the tests, long enough."
NEWEST = 1795251257
HOUR = 1795248000


def rewritten(*ads: str, **knobs: str) -> list[dict[str, str]]:
    collector = Collector()
    for name, value in knobs.items():
        collector.knob(name, value)
    for ad in ads:
        collector.ad(ad.split("\n"))
    rewriter = Rewriter(collector.names, collector.settle(), KEY, times=collector.times)
    return [dict(line.split(" = ", 1) for line in rewriter.ad(ad.split("\n"))) for ad in ads]


def slot(name: str, *lines: str) -> str:
    return "\n".join(('MyType = "Machine"', f'Name = "{name}@a.b"', 'Machine = "a.b"', *lines))


def test_a_slot_does_not_tell_the_second_at_which_its_job_began() -> None:
    began = HOUR - 1000
    (new,) = rewritten(
        slot(
            "slot1_1",
            f"LastHeardFrom = {NEWEST}",
            f"MyCurrentTime = {NEWEST - 1}",
            f"EnteredCurrentState = {began - 20}",
            f"EnteredCurrentActivity = {began}",
            f"TotalJobRunTime = {NEWEST - 1 - began}",
            f"RetirementTimeRemaining = {86400 - (NEWEST - 1 - began)}",
            f"NumDynamicSlotsTime = {NEWEST - 10}",
        )
    )

    assert (new["EnteredCurrentState"], new["EnteredCurrentActivity"]) == (str(HOUR), str(HOUR))
    assert new["TotalJobRunTime"] == "3600"
    assert new["RetirementTimeRemaining"] == str(23 * 3600)
    # Not beyond the newest ad, which says when the snapshot was taken.
    assert new["NumDynamicSlotsTime"] == str(NEWEST)


def test_a_slot_never_looks_older_than_it_is() -> None:
    for age in (0, 1, 299, 300, 301, 3599, 3600, 7201):
        (new,) = rewritten(
            slot("slot1", f"LastHeardFrom = {NEWEST}", f"EnteredCurrentState = {NEWEST - age}")
        )
        assert NEWEST - age <= int(new["EnteredCurrentState"]) <= NEWEST


def test_of_ads_of_one_machine_the_newer_one_stays_the_newer_one() -> None:
    sent = (0, 1, 2, 58, 299, 300, 301, 700, 1900)
    ads = [
        slot(
            f"slot1_{age}", f"LastHeardFrom = {NEWEST - age}", f"MyCurrentTime = {NEWEST - age - 1}"
        )
        for age in sent
    ]
    new = [int(ad["MyCurrentTime"]) for ad in rewritten(*ads)]

    assert new == sorted(set(new), reverse=True)
    assert new[3] >= NEWEST - 10
    assert NEWEST - 1900 <= new[-1] <= NEWEST - 1500


def test_clocks_that_agree_still_agree() -> None:
    for age in range(0, 1000, 7):
        (new,) = rewritten(
            slot("slot1", f"LastHeardFrom = {NEWEST - age}", f"MyCurrentTime = {NEWEST - age - 3}"),
            slot("slot2", f"LastHeardFrom = {NEWEST}"),
        )[:1]
        assert 0 < int(new["LastHeardFrom"]) - int(new["MyCurrentTime"]) < 10


def test_a_list_of_seconds_is_rounded_each() -> None:
    (new,) = rewritten(slot("slot1", "ChildRetirementTimeRemaining = { 0,1,3601 }"))

    assert new["ChildRetirementTimeRemaining"] == "{ 0,3600,7200 }"


RANK = "RemoteUserPrio - TotalJobRunTime"


def test_how_long_a_job_has_run_is_exact_only_where_a_claim_may_be_preempted() -> None:
    ran = slot("slot1", "Rank = 0.0", "TotalJobRunTime = 4711")

    for ad, requirements, shown in (
        (ran, "False", "3600"),
        (ran, "RemoteUserPrio > SubmitterUserPrio", "4711"),
        (ran.replace("Rank = 0.0", "Rank = TARGET.Memory"), "False", "4711"),
    ):
        (new,) = rewritten(ad, PREEMPTION_REQUIREMENTS=requirements, PREEMPTION_RANK=RANK)
        assert new["TotalJobRunTime"] == shown


def test_a_time_that_an_expression_names_is_exact_and_listed() -> None:
    ad = slot(
        "slot1", "EnteredCurrentState = 1795251257", "Start = time() - EnteredCurrentState > 9"
    )
    collector = Collector()
    collector.ad(ad.split("\n"))
    rewriter = Rewriter(collector.names, collector.settle(), KEY, times=collector.times)

    assert "EnteredCurrentState = 1795251257" in rewriter.ad(ad.split("\n"))
    assert rewriter.exact == ("enteredcurrentstate",)
