"""The whole tree, by hand: roll-up, special groups, absent dimensions, modes, steps."""

from __future__ import annotations

from htcq.quota.elastic.declaration import (
    SELF,
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)
from htcq.quota.elastic.runtime import compute, compute_all
from htcq.quota.elastic.steps import Trace


def group(name: str, least: int, most: int | None, **more: object) -> ElasticGroup:
    caps: dict[str, int | None] = {"cpus": most}
    return ElasticGroup(name, name.rpartition(".")[0], {"cpus": least}, caps, **more)  # type: ignore[arg-type]


def asked(**amounts: int) -> dict[str, dict[str, int]]:
    return {name.replace("_", "."): {"cpus": amount} for name, amount in amounts.items()}


def test_a_tree_of_any_height_hands_everything_down() -> None:
    names = [".".join(["g"] * depth) for depth in range(1, 61)]
    outcome = compute(
        ElasticQuotas(tuple(group(name, 5, 80) for name in names)),
        ElasticDemand({"cpus": 100}, {names[-1]: {"cpus": 70}}),
    )

    assert {each.runtime["cpus"] for each in outcome.groups} == {70}


def test_own_jobs_of_a_group_take_their_part_of_its_runtime() -> None:
    groups = (group("p", 30, 50), group("p.c", 20, 50))
    outcome = compute(ElasticQuotas(groups), ElasticDemand({"cpus": 40}, asked(p=20, p_c=40)))
    own = outcome[f"p.{SELF}"]

    # p asks for 20 + 40, up to its 50, and there are 40. Its own jobs are guaranteed the 10 that
    # p.c leaves of 30; the 10 beyond 20 + 10 go by weights of 50 and 50, 5 each.
    assert (outcome["p"].runtime, own.min, own.runtime) == (
        {"cpus": 40},
        {"cpus": 10},
        {"cpus": 15},
    )
    assert outcome["p.c"].runtime == {"cpus": 25}
    assert (outcome["p"].waiting, own.waiting) == ({"cpus": 20}, {"cpus": 5})


def test_there_are_no_own_jobs_without_demand_or_without_groups_below() -> None:
    outcome = compute(
        ElasticQuotas((group("p", 0, 9), group("p.c", 0, 9))),
        ElasticDemand({"cpus": 9}, asked(p=0, p_c=4)),
    )

    assert [each.name for each in outcome.groups] == ["p", "p.c"]


def test_what_the_system_and_the_default_group_use_is_not_there() -> None:
    demand = ElasticDemand(
        {"cpus": 100}, asked(a=99), system_used={"cpus": 30}, default_used={"cpus": 25, "gpus": 3}
    )
    outcome = compute(ElasticQuotas((group("a", 0, 99),)), demand)

    assert (outcome.effective_total, outcome["a"].runtime) == ({"cpus": 45}, {"cpus": 45})


def test_more_than_everything_used_outside_leaves_nothing() -> None:
    outcome = compute(
        ElasticQuotas((group("a", 5, 99),)),
        ElasticDemand({"cpus": 10}, asked(a=99), system_used={"cpus": 30}),
    )

    assert (outcome["a"].runtime, outcome["a"].scaled_min) == ({"cpus": 0}, {"cpus": 0})


def test_a_dimension_without_a_total_is_nothing_and_one_without_a_max_is_not_managed() -> None:
    groups = (ElasticGroup("a", "", {"x": 3}, {"x": 9, "cpus": 9}),)
    outcome = compute(
        ElasticQuotas(groups),
        ElasticDemand({"cpus": 9, "disk": 7}, {"a": {"x": 5, "cpus": 2, "disk": 1}}),
    )

    assert outcome["a"].runtime == {"x": 0, "cpus": 2}
    assert outcome["a"].waiting == {"x": 5, "cpus": 0}


def test_an_unlimited_group_shares_by_its_weight_and_stops_at_its_request() -> None:
    groups = (group("a", 0, None, weight={"cpus": 30}), group("b", 0, 100, weight={"cpus": 10}))

    assert compute(ElasticQuotas(groups), ElasticDemand({"cpus": 100}, asked(a=500, b=500)))[
        "a"
    ].runtime == {"cpus": 75}
    assert compute(ElasticQuotas(groups), ElasticDemand({"cpus": 100}, asked(a=50, b=500)))[
        "a"
    ].runtime == {"cpus": 50}


def test_usage_over_a_max_is_held_to_it_and_told() -> None:
    options = Options(guarantee_usage=True)
    outcome = compute(
        ElasticQuotas((group("a", 5, 10),), options),
        ElasticDemand({"cpus": 50}, asked(a=30), asked(a=30)),
    )

    assert (outcome["a"].guaranteed, outcome["a"].runtime) == ({"cpus": 30}, {"cpus": 10})
    assert outcome["a"].over == {"cpus": 20}


def test_where_usage_is_guaranteed_a_lender_waits_until_jobs_end() -> None:
    groups, used = (group("a", 50, 100), group("b", 50, 100)), asked(a=100)
    demand = ElasticDemand({"cpus": 100}, asked(a=100, b=100), used)
    kept = compute(ElasticQuotas(groups, Options(guarantee_usage=True)), demand)
    given_back = compute(ElasticQuotas(groups), demand)

    assert [each.runtime["cpus"] for each in kept.groups] == [100, 50]
    assert kept.undistributed == {"cpus": -50}
    assert [each.runtime["cpus"] for each in given_back.groups] == [50, 50]
    assert given_back["a"].over == {"cpus": 50}


def test_where_usage_is_guaranteed_mins_still_shrink_with_the_capacity() -> None:
    groups = (group("a", 50, 100), group("b", 50, 100))
    outcome = compute(
        ElasticQuotas(groups, Options(guarantee_usage=True)),
        ElasticDemand({"cpus": 60}, asked(a=40), asked(a=40)),
    )

    # Both mins shrink to 30; a keeps the 40 that it uses, and no more of its min than that.
    assert [each.scaled_min["cpus"] for each in outcome.groups] == [30, 30]
    assert [each.floor["cpus"] for each in outcome.groups] == [40, 30]


def test_one_group_may_keep_its_min_while_the_others_shrink() -> None:
    groups = (group("a", 50, 90, scale_min=False), group("b", 50, 90), group("c", 50, 90))
    outcome = compute(ElasticQuotas(groups), ElasticDemand({"cpus": 100}, asked(a=90, b=90, c=90)))

    assert [each.scaled_min["cpus"] for each in outcome.groups] == [50, 25, 25]


def test_in_a_shortage_the_mins_of_higher_priorities_come_first() -> None:
    groups = (
        group("a", 40, 90, priority=5), group("b", 30, 90), group("c", 60, 90), group("d", 20, 90, priority=-1),
    )  # fmt: skip
    wanted = asked(a=90, b=90, c=90, d=90)
    short = compute(ElasticQuotas(groups), ElasticDemand({"cpus": 100}, wanted))
    enough = compute(ElasticQuotas(groups), ElasticDemand({"cpus": 150}, wanted))

    # a has its 40; b and c share the other 60 as 30 to 60; nothing is left for d.
    assert [each.runtime["cpus"] for each in short.groups] == [40, 20, 40, 0]
    assert [each.runtime["cpus"] for each in enough.groups] == [40, 30, 60, 20]
    scaled = [step.text for step in Trace(short).steps("d", "cpus") if step.kind == "scaled"]
    assert scaled == [
        "min shrinks to 0: only 100 are available, less than the sum of mins; its priority is -1, "
        "and first comes the min of a (priority 5), b (priority 0) and c (priority 0)"
    ]


def test_what_a_group_of_a_high_priority_does_not_ask_for_is_lent_in_a_shortage_too() -> None:
    groups = (group("a", 40, 90, priority=5), group("b", 60, 90), group("c", 60, 90))
    outcome = compute(ElasticQuotas(groups), ElasticDemand({"cpus": 100}, asked(a=10, b=90, c=90)))

    assert [each.runtime["cpus"] for each in outcome.groups] == [10, 45, 45]


def test_priorities_count_among_the_groups_below_one_group() -> None:
    groups = (
        group("p", 50, 90),
        group("p.a", 30, 90),
        group("p.b", 20, 90, priority=1),
        group("q", 50, 90, priority=9),
    )
    outcome = compute(
        ElasticQuotas(groups), ElasticDemand({"cpus": 75}, asked(p_a=90, p_b=90, q=90))
    )

    # q comes before p, and p.b before p.a within the 25 of p.
    assert {each.name: each.scaled_min["cpus"] for each in outcome.groups} == {
        "p": 25, "q": 50, "p.a": 5, "p.b": 20,
    }  # fmt: skip


def test_several_trees_know_nothing_of_each_other() -> None:
    quotas = ElasticQuotas((group("a", 0, 99),))
    found = compute_all(
        {"gpu": quotas, "cpu": quotas},
        {
            "gpu": ElasticDemand({"cpus": 3}, asked(a=9)),
            "cpu": ElasticDemand({"cpus": 7}, asked(a=9)),
        },
    )

    assert {name: outcome["a"].runtime["cpus"] for name, outcome in found.items()} == {
        "cpu": 7,
        "gpu": 3,
    }


def test_legacy_rounding_may_hand_out_more_than_there_is() -> None:
    groups = tuple(group(name, 0, 9, weight={"cpus": 1}) for name in "abc")
    demand = ElasticDemand({"cpus": 5}, asked(a=9, b=9, c=9))

    assert compute(
        ElasticQuotas(groups, Options(rounding=Rounding.LEGACY)), demand
    ).undistributed == {"cpus": -1}
    assert compute(ElasticQuotas(groups), demand).undistributed == {"cpus": 0}


# Steps
# ----------------------------------------------------------------------------------------------------------


def told(quotas: ElasticQuotas, demand: ElasticDemand, name: str, of: str = "cpus") -> list[str]:
    return [step.text for step in Trace(compute(quotas, demand)).steps(name, of)]


def test_the_steps_tell_the_passes_of_the_worked_example() -> None:
    rows = (("A", 10, 40, 5), ("B", 15, 60, 20), ("C", 20, 50, 40), ("D", 15, 80, 70))
    quotas = ElasticQuotas(tuple(group(name, least, most) for name, least, most, _ in rows))
    demand = ElasticDemand({"cpus": 100}, {name: {"cpus": want} for name, _, _, want in rows})

    assert told(quotas, demand, "A")[2:] == [
        "begins with 5, all that it asks for, and lends 5",
        "runtime is 5: what it asks for",
    ]
    assert (
        told(quotas, demand, "B")[3]
        == "pass 1: 45 to share, by weight 60 of 190: 14, of which 9 go back"
    )
    assert told(quotas, demand, "C")[3:5] == [
        "pass 1: 45 to share, by weight 50 of 190: 12, one of them by largest remainder",
        "pass 2: 9 to share, by weight 50 of 130: 3",
    ]
    assert told(quotas, demand, "D")[-1] == "runtime is 40: nothing is left to share"


def test_the_steps_tell_of_a_min_that_shrank_and_of_one_that_is_not_lent() -> None:
    quotas = ElasticQuotas((group("a", 60, 90, lend=False), group("b", 60, 90)))
    steps = told(quotas, ElasticDemand({"cpus": 90}, asked(b=90)), "a")

    assert "counts as asking for 60, its min, because it does not lend" in steps
    assert (
        "min shrinks to 45: only 90 are available, less than the sum of mins; its priority is 0: "
        "the mins of groups with a higher 'priority' come first"
    ) in steps


def test_a_group_lends_no_more_than_it_says() -> None:
    """Of its 60 it asks for 10, and lends 20: the other 40 are kept, and 50 are left for b."""
    quotas = ElasticQuotas((group("a", 60, 90, max_lent={"cpus": 20}), group("b", 0, 90)))
    demand = ElasticDemand({"cpus": 90}, asked(a=10, b=90))
    found = {each.name: each for each in compute(quotas, demand).groups}

    assert (found["a"].runtime["cpus"], found["a"].lent["cpus"]) == (40, 20)
    assert (found["b"].runtime["cpus"], found["b"].borrowed["cpus"]) == (50, 50)
    assert "counts as asking for 40, because it lends no more than 20" in told(quotas, demand, "a")


def test_a_limit_of_lending_of_a_parent_keeps_what_its_children_do_not_ask_for() -> None:
    quotas = ElasticQuotas(
        (
            group("a", 60, 90, max_lent={"cpus": 10}),
            ElasticGroup("a.c", "a", {"cpus": 30}, {"cpus": 90}),
            group("b", 0, 90),
        )
    )
    found = {
        each.name: each.runtime["cpus"]
        for each in compute(quotas, ElasticDemand({"cpus": 90}, asked(b=90))).groups
    }

    assert (found["a"], found["b"]) == (50, 40)


def test_the_steps_tell_what_holds_a_group_back() -> None:
    quotas = ElasticQuotas(
        (group("a", 0, 5), group("b", 0, 90, weight={"cpus": 0}), group("c", 3, 90, lend=False))
    )
    demand = ElasticDemand({"cpus": 90}, asked(a=9, b=9))

    assert told(quotas, demand, "a")[-1] == "runtime is 5: max"
    assert told(quotas, demand, "b")[-1] == "runtime is 0: a group of weight 0 borrows nothing"
    assert told(quotas, demand, "c")[-2:] == [
        "begins with 3, all that it asks for",
        "runtime is 3: the amount reserved for it",
    ]
    assert (
        told(quotas, ElasticDemand({}, asked(a=9)), "a")[-1]
        == "runtime is 0: there is nothing to share"
    )
    kept = ElasticQuotas((group("a", 2, 5),), Options(guarantee_usage=True))
    assert "4 are reserved for it: usage is guaranteed" in told(
        kept, ElasticDemand({"cpus": 9}, asked(a=4), asked(a=4)), "a"
    )


def test_the_steps_tell_of_a_max_below_a_min_and_of_rounding_by_itself() -> None:
    below = told(ElasticQuotas((group("a", 6, 5),)), ElasticDemand({"cpus": 9}, asked(a=9)), "a")
    legacy = ElasticQuotas((group("a", 0, 9), group("b", 0, 9)), Options(rounding=Rounding.LEGACY))

    assert "5 are reserved for it: its max, which is below its min" in below
    assert "pass 1: 5 to share, by weight 9 of 18: 3 when rounded by itself" in told(
        legacy, ElasticDemand({"cpus": 5}, asked(a=9, b=9)), "a"
    )
