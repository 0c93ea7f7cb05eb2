"""One dimension of one level by hand, jobs to give up, and admission where the stated cases say nothing."""

from __future__ import annotations

from htcq.quota.elastic.admission import AdmissionLimit, admit
from htcq.quota.elastic.declaration import Rounding
from htcq.quota.elastic.revoke import RunningJob, revoke
from htcq.quota.elastic.share import ShareClaim, share


def test_a_unit_goes_to_the_largest_remainder_then_by_name() -> None:
    # Of 10 by 3, 3 and 1: 4.29, 4.29 and 1.43: the last has the largest remainder.
    runtime, sharing = share(
        10, [ShareClaim("b", 0, 99, 3), ShareClaim("a", 0, 99, 3), ShareClaim("c", 0, 99, 1)]
    )

    assert runtime == {"a": 4, "b": 4, "c": 2}
    assert [grant.name for grant in sharing.passes[0].grants if grant.remainder] == ["c"]
    assert share(1, [ShareClaim("b", 0, 9, 1), ShareClaim("a", 0, 9, 1)])[0] == {"a": 1, "b": 0}


def test_what_rounding_by_itself_loses_is_nobodys() -> None:
    runtime, sharing = share(1, [ShareClaim(name, 0, 9, 1) for name in "abc"], Rounding.LEGACY)

    assert (runtime, sharing.left) == ({"a": 0, "b": 0, "c": 0}, 1)


def test_floors_beyond_the_total_are_kept_and_told() -> None:
    runtime, sharing = share(5, [ShareClaim("a", 4, 9, 1), ShareClaim("b", 4, 9, 1)])

    assert (runtime, sharing.left, sharing.passes) == ({"a": 4, "b": 4}, -3, ())


def test_a_level_without_groups_shares_nothing() -> None:
    assert share(5, [])[1].left == 5


def test_a_job_without_what_there_is_too_much_of_stays() -> None:
    jobs = [
        RunningJob("cpu", {"cpus": 8}, priority=0),
        RunningJob("gpu", {"cpus": 1, "gpus": 1}, priority=9),
    ]

    assert revoke({"cpus": 9, "gpus": 1}, {"cpus": 20, "gpus": 0}, jobs) == ("gpu",)


def test_what_no_quota_binds_is_never_too_much() -> None:
    assert revoke({"disk": 9}, {"cpus": 1}, [RunningJob("a", {"disk": 9})]) == ()


def test_where_nothing_suffices_only_what_helps_is_named() -> None:
    jobs = [
        RunningJob("kept", {"gpus": 2}, preemptible=False),
        RunningJob("gpu", {"gpus": 1}),
        RunningJob("cpu", {"cpus": 4}),
    ]

    assert revoke({"gpus": 3, "cpus": 4}, {"gpus": 0, "cpus": 9}, jobs) == ("gpu",)


def test_only_what_a_job_asks_for_is_looked_at() -> None:
    place = AdmissionLimit("g", {"cpus": 10, "gpus": 1}, {"cpus": 2, "gpus": 5})

    assert admit({"cpus": 1}, place, {"cpus": 10, "gpus": 9}).admit
    assert admit({"cpus": 1, "gpus": 0}, place, {"cpus": 10, "gpus": 9}).admit


def test_a_min_that_lacks_a_dimension_guarantees_nothing_of_it() -> None:
    place = AdmissionLimit("g", {"cpus": 10, "gpus": 9})
    outcome = admit({"cpus": 1, "gpus": 1}, place, {"cpus": 10, "gpus": 9}, ({"cpus": 5}, {}))

    assert (outcome.exceeded, outcome.by) == (("gpus",), "min(non-preemptible)")


def test_the_nearest_group_above_that_has_no_room_is_named() -> None:
    above = [
        AdmissionLimit("near", {"cpus": 5}, {"cpus": 4}),
        AdmissionLimit("far", {"cpus": 5}, {"cpus": 5}),
    ]

    assert (
        admit({"cpus": 1}, AdmissionLimit("g", {"cpus": 9}), {"cpus": 9}, parents=above).by
        == "parent far"
    )
