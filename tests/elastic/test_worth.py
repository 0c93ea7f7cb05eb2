from __future__ import annotations

from htcq.elastic.weight_of_runtime import Jobs, Shape, Worth, shapes_of, worth

SMALL, LARGE = {"cpus": 1, "memory": 1, "weight": 1000}, {"cpus": 1, "memory": 4, "weight": 1000}
USUAL = {"cpus": 1000.0, "memory": 250.0, "gpus": 8000.0, "weight": 1.0}


def idle(*shapes: Shape) -> Jobs:
    return Jobs((), shapes)


def test_claims_of_one_kind_are_as_many_as_the_scarcest_asset_lets_in() -> None:
    """10 cpus and 20 of memory: claims of 1 and 3 are 6, and 2 of memory are left over."""
    job = Shape({"cpus": 1, "memory": 3, "weight": 1000}, 100)

    assert worth({"cpus": 10, "memory": 20}, idle(job), {}) == Worth(6000, "memory")


def test_weights_are_those_of_the_claims_not_of_their_cpus() -> None:
    job = Shape({"cpus": 2, "memory": 8, "weight": 2500}, 100)

    assert worth({"cpus": 9}, idle(job), {}) == Worth(4 * 2500, "cpus")


def test_running_claims_come_first_and_idle_jobs_take_the_rest() -> None:
    """10 small claims run and hold 10 of 50 and of 100; 90 of memory are left for jobs of 4: 22."""
    jobs = Jobs((Shape(SMALL, 10),), (Shape(LARGE, 100),))

    assert worth({"cpus": 50, "memory": 100}, jobs, {}) == Worth(32000, "memory")


def test_a_mix_goes_in_as_it_is_and_what_still_fits_on_top() -> None:
    """20 of memory for as many jobs of 1 as of 4: four of each are 20."""
    jobs = idle(Shape(SMALL, 50), Shape(LARGE, 50))

    assert worth({"cpus": 50, "memory": 20}, jobs, {}) == Worth(8000, "memory")
    # 23 are the same and three more small ones.
    assert worth({"cpus": 50, "memory": 23}, jobs, {}) == Worth(11000, "memory")


def test_jobs_that_do_not_fit_at_all_keep_no_others_out() -> None:
    gpu = {"cpus": 1, "gpus": 1, "weight": 1000}
    jobs = idle(Shape(gpu, 10), Shape({"cpus": 1, "weight": 1000}, 10))

    assert worth({"cpus": 100, "gpus": 0}, jobs, {}) == Worth(10000, "gpus")
    assert worth({"cpus": 100, "gpus": 3}, jobs, {}) == Worth(13000, "gpus")


def test_where_all_fits_nothing_binds() -> None:
    assert worth({"cpus": 3, "memory": 3}, idle(Shape(SMALL, 3)), {}) == Worth(3000)


def test_room_that_nobody_asks_for_is_worth_jobs_like_those_there_are() -> None:
    """A group that lends nothing keeps its min: 10 cpus for jobs of 2 that weigh 3."""
    job = Shape({"cpus": 2, "weight": 3000}, 1)

    assert worth({"cpus": 10}, Jobs((job,)), {}) == Worth(5 * 3000)


def test_dimensions_that_are_not_managed_limit_nothing() -> None:
    assert worth({"cpus": 3}, idle(Shape(LARGE, 10)), {}) == Worth(3000, "cpus")


def test_a_group_over_its_runtime_keeps_what_fits() -> None:
    assert worth({"cpus": 4, "memory": 100}, Jobs((Shape(SMALL, 10),)), {}) == Worth(4000, "cpus")


def test_without_jobs_the_pools_usual_charges_count() -> None:
    assert worth({"cpus": 8, "memory": 12}, Jobs(), USUAL) == Worth(3000, "memory")
    assert worth({"weight": 7000, "cpus": 8}, Jobs(), USUAL) == Worth(7000, "weight")
    assert worth({"cpus": 0}, Jobs(), USUAL) == Worth(0)


def test_a_group_without_jobs_and_gpus_is_still_worth_its_cpus() -> None:
    assert worth({"cpus": 8, "gpus": 0}, Jobs(), USUAL) == Worth(8000, "cpus")
    assert worth({"gpus": 2}, Jobs(), USUAL) == Worth(16000, "gpus")


def test_equal_claims_are_one_shape_in_an_order_of_their_own() -> None:
    parts = [({"cpus": 2}, 1), ({"cpus": 1, "gpus": 0}, 2), ({"cpus": 2}, 3)]

    assert shapes_of(parts) == shapes_of(reversed(parts)) == (Shape({"cpus": 1}, 2), Shape({"cpus": 2}, 4))
