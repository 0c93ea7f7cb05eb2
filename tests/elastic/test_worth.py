from __future__ import annotations

from htcq.elastic.weight_of_runtime import (
    ClaimShape,
    GroupJobs,
    RuntimeWeight,
    runtime_weight,
    shapes_of,
)

SMALL, LARGE = {"cpus": 1, "memory": 1, "weight": 1000}, {"cpus": 1, "memory": 4, "weight": 1000}
USUAL = {"cpus": 1000.0, "memory": 250.0, "gpus": 8000.0, "weight": 1.0}


def idle(*shapes: ClaimShape) -> GroupJobs:
    return GroupJobs((), shapes)


def test_claims_of_one_kind_are_as_many_as_the_scarcest_asset_lets_in() -> None:
    """10 cpus and 20 of memory: claims of 1 and 3 are 6, and 2 of memory are left over."""
    job = ClaimShape({"cpus": 1, "memory": 3, "weight": 1000}, 100)

    assert runtime_weight({"cpus": 10, "memory": 20}, idle(job), {}) == RuntimeWeight(
        6000, "memory"
    )


def test_weights_are_those_of_the_claims_not_of_their_cpus() -> None:
    job = ClaimShape({"cpus": 2, "memory": 8, "weight": 2500}, 100)

    assert runtime_weight({"cpus": 9}, idle(job), {}) == RuntimeWeight(4 * 2500, "cpus")


def test_running_claims_come_first_and_idle_jobs_take_the_rest() -> None:
    """10 small claims run and hold 10 of 50 and of 100; 90 of memory are left for jobs of 4: 22."""
    jobs = GroupJobs((ClaimShape(SMALL, 10),), (ClaimShape(LARGE, 100),))

    assert runtime_weight({"cpus": 50, "memory": 100}, jobs, {}) == RuntimeWeight(32000, "memory")


def test_a_mix_goes_in_as_it_is_and_what_still_fits_on_top() -> None:
    """20 of memory for as many jobs of 1 as of 4: four of each are 20."""
    jobs = idle(ClaimShape(SMALL, 50), ClaimShape(LARGE, 50))

    assert runtime_weight({"cpus": 50, "memory": 20}, jobs, {}) == RuntimeWeight(8000, "memory")
    # 23 are the same and three more small ones.
    assert runtime_weight({"cpus": 50, "memory": 23}, jobs, {}) == RuntimeWeight(11000, "memory")


def test_jobs_that_do_not_fit_at_all_keep_no_others_out() -> None:
    gpu = {"cpus": 1, "gpus": 1, "weight": 1000}
    jobs = idle(ClaimShape(gpu, 10), ClaimShape({"cpus": 1, "weight": 1000}, 10))

    assert runtime_weight({"cpus": 100, "gpus": 0}, jobs, {}) == RuntimeWeight(10000, "gpus")
    assert runtime_weight({"cpus": 100, "gpus": 3}, jobs, {}) == RuntimeWeight(13000, "gpus")


def test_where_all_fits_nothing_binds() -> None:
    assert runtime_weight(
        {"cpus": 3, "memory": 3}, idle(ClaimShape(SMALL, 3)), {}
    ) == RuntimeWeight(3000)


def test_room_that_nobody_asks_for_is_worth_jobs_like_those_there_are() -> None:
    """A group that lends nothing keeps its min: 10 cpus for jobs of 2 that weigh 3."""
    job = ClaimShape({"cpus": 2, "weight": 3000}, 1)

    assert runtime_weight({"cpus": 10}, GroupJobs((job,)), {}) == RuntimeWeight(5 * 3000)


def test_dimensions_that_are_not_managed_limit_nothing() -> None:
    assert runtime_weight({"cpus": 3}, idle(ClaimShape(LARGE, 10)), {}) == RuntimeWeight(
        3000, "cpus"
    )


def test_a_group_over_its_runtime_keeps_what_fits() -> None:
    assert runtime_weight(
        {"cpus": 4, "memory": 100}, GroupJobs((ClaimShape(SMALL, 10),)), {}
    ) == RuntimeWeight(4000, "cpus")


def test_without_jobs_the_pools_usual_charges_count() -> None:
    assert runtime_weight({"cpus": 8, "memory": 12}, GroupJobs(), USUAL) == RuntimeWeight(
        3000, "memory"
    )
    assert runtime_weight({"weight": 7000, "cpus": 8}, GroupJobs(), USUAL) == RuntimeWeight(
        7000, "weight"
    )
    assert runtime_weight({"cpus": 0}, GroupJobs(), USUAL) == RuntimeWeight(0)


def test_a_group_without_jobs_and_gpus_is_still_worth_its_cpus() -> None:
    assert runtime_weight({"cpus": 8, "gpus": 0}, GroupJobs(), USUAL) == RuntimeWeight(8000, "cpus")
    assert runtime_weight({"gpus": 2}, GroupJobs(), USUAL) == RuntimeWeight(16000, "gpus")


def test_equal_claims_are_one_shape_in_an_order_of_their_own() -> None:
    parts = [({"cpus": 2}, 1), ({"cpus": 1, "gpus": 0}, 2), ({"cpus": 2}, 3)]

    assert (
        shapes_of(parts)
        == shapes_of(reversed(parts))
        == (ClaimShape({"cpus": 1}, 2), ClaimShape({"cpus": 2}, 4))
    )
