"""Kinds of cards beside cards of any kind: the case that Koordinator's proposal leaves open, and what follows."""

from __future__ import annotations

from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute
from htcq.quota.elastic.steps import Trace

ANY = ElasticGroup("any", "", {"gpus": 10}, {"gpus": 10})
BOTH = ElasticGroup(
    "both",
    "",
    {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5},
    {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5},
)
TOTAL = {"gpus": 20, "gpus:a100": 10, "gpus:v100": 10}


def computed(groups: tuple[ElasticGroup, ...], demand: ElasticDemand) -> ElasticOutcome:
    return compute(ElasticQuotas(groups), demand)


def test_who_takes_any_card_does_not_keep_those_that_another_is_guaranteed() -> None:
    """The proposal's own case: A declares 10 cards, B 5 of each kind; A was served first, with all of one kind."""
    asked = {"any": {"gpus": 10}, "both": {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5}}
    outcome = computed(
        (ANY, BOTH), ElasticDemand(TOTAL, asked, {"any": {"gpus": 10, "gpus:v100": 10}})
    )

    assert outcome["any"].runtime == {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5}
    assert outcome["both"].runtime == {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5}
    assert outcome["any"].over == {"gpus": 0, "gpus:a100": 0, "gpus:v100": 5}


def test_a_max_of_a_kind_holds_for_cards_of_which_the_jobs_take_any() -> None:
    outcome = computed((ANY, BOTH), ElasticDemand(TOTAL, {"both": {"gpus": 10}}))

    assert outcome["both"].runtime == {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5}


def test_cards_that_nobody_asks_for_by_kind_stay_where_they_are_used() -> None:
    used = {"any": {"gpus": 10, "gpus:a100": 2, "gpus:v100": 8}}
    outcome = computed((ANY, BOTH), ElasticDemand(TOTAL, {"any": {"gpus": 10}}, used))

    assert outcome["any"].runtime == {"gpus": 10, "gpus:a100": 2, "gpus:v100": 8}
    assert not any(outcome["any"].over.values())


def test_a_guarantee_of_a_kind_is_lent_and_comes_back() -> None:
    used = {"any": {"gpus": 10, "gpus:v100": 10}}
    idle = computed((ANY, BOTH), ElasticDemand(TOTAL, {"any": {"gpus": 10}}, used))
    asking = computed(
        (ANY, BOTH), ElasticDemand(TOTAL, {"any": {"gpus": 10}, "both": {"gpus:v100": 3}}, used)
    )

    assert idle["any"].runtime["gpus:v100"] == 10
    assert (idle["both"].lent["gpus:v100"], idle["both"].lent["gpus"]) == (5, 10)
    assert (asking["both"].runtime["gpus:v100"], asking["any"].runtime["gpus:v100"]) == (3, 7)
    assert asking["any"].over["gpus:v100"] == 3


def test_a_card_of_a_kind_counts_as_a_card() -> None:
    outcome = computed(
        (ANY,), ElasticDemand(TOTAL, {"any": {"gpus:v100": 4}}, {"any": {"gpus:v100": 2}})
    )

    assert (
        outcome["any"].request["gpus"],
        outcome["any"].used["gpus"],
        outcome["any"].runtime["gpus"],
    ) == (4, 2, 4)


def test_a_group_above_has_the_kinds_that_those_below_it_are_guaranteed() -> None:
    groups = (
        ANY,
        ElasticGroup("p", "", {"gpus": 10}, {"gpus": 20}),
        ElasticGroup("p.kind", "p", {"gpus": 5, "gpus:a100": 5}, {"gpus": 10, "gpus:a100": 10}),
        ElasticGroup("p.any", "p", {}, {"gpus": 10}),
    )
    outcome = computed(
        groups,
        ElasticDemand(
            TOTAL, {"any": {"gpus": 10}, "p.kind": {"gpus:a100": 8}, "p.any": {"gpus": 9}}
        ),
    )

    assert outcome["p"].min == {"gpus": 10, "gpus:a100": 5, "gpus:v100": 0}
    assert outcome["p"].implied == {"gpus:a100", "gpus:v100"}
    # p has its 10: floors of 10 and 10 leave nothing. Below it 5 are left after kind's 5, and both
    # are hungry for them by weights of 10 and 10: 3 and 2 by name (p.any is before p.kind).
    assert outcome["p"].runtime["gpus"] == 10
    assert (outcome["p.any"].runtime["gpus"], outcome["p.kind"].runtime["gpus"]) == (3, 7)
    assert outcome["p.kind"].runtime["gpus:a100"] == 7
    assert sum(group.runtime["gpus:a100"] for group in (outcome["any"], outcome["p"])) <= 10


def test_others_change_kinds_where_that_lets_everybody_have_cards() -> None:
    narrow = ElasticGroup("narrow", "", {"gpus": 4}, {"gpus": 4, "gpus:a100": 0, "gpus:v100": 4})
    wide = ElasticGroup("any", "", {"gpus": 4}, {"gpus": 4})
    demand = ElasticDemand(
        {"gpus": 8, "gpus:a100": 4, "gpus:v100": 4},
        {"any": {"gpus": 4}, "narrow": {"gpus": 4}},
        {"any": {"gpus": 4, "gpus:v100": 4}},
    )
    outcome = computed((wide, narrow), demand)

    assert outcome["narrow"].runtime == {"gpus": 4, "gpus:a100": 0, "gpus:v100": 4}
    assert outcome["any"].runtime == {"gpus": 4, "gpus:a100": 4, "gpus:v100": 0}


def test_cards_of_no_kind_that_a_group_may_have_go_to_others() -> None:
    narrow = ElasticGroup("narrow", "", {}, {"gpus": 10, "gpus:a100": 0, "gpus:v100": 10})
    demand = ElasticDemand(
        {"gpus": 10, "gpus:a100": 8, "gpus:v100": 2}, {"any": {"gpus": 10}, "narrow": {"gpus": 10}}
    )
    outcome = computed((replaced(ANY), narrow), demand)

    # By weight each would have 5, but there are only 2 cards of the kind that narrow may have.
    assert outcome["narrow"].runtime == {"gpus": 2, "gpus:a100": 0, "gpus:v100": 2}
    assert outcome["any"].runtime == {"gpus": 8, "gpus:a100": 8, "gpus:v100": 0}


def replaced(group: ElasticGroup) -> ElasticGroup:
    return ElasticGroup(group.name, "", {}, group.max)


def test_a_group_that_names_kinds_alone_has_those_and_no_others() -> None:
    kinds = ElasticGroup("kinds", "", {"gpus:a100": 2}, {"gpus:a100": 3})
    outcome = computed(
        (ANY, kinds), ElasticDemand(TOTAL, {"any": {"gpus": 10}, "kinds": {"gpus:a100": 3}})
    )

    assert outcome["kinds"].runtime == {"gpus": 3, "gpus:a100": 3, "gpus:v100": 0}
    assert outcome["kinds"].implied == {"gpus", "gpus:v100"}


def test_kinds_of_something_that_nobody_counts_are_dimensions_like_others() -> None:
    outcome = computed(
        (ElasticGroup("g", "", {}, {"lic:x": 3, "lic:y": 4}),),
        ElasticDemand({"lic:x": 2, "lic:y": 9}, {"g": {"lic:x": 5}}),
    )

    assert outcome["g"].runtime == {"lic:x": 2, "lic:y": 0}


def test_cards_of_no_named_kind_may_be_anybodys() -> None:
    outcome = computed(
        (ANY, BOTH),
        ElasticDemand(
            {"gpus": 12, "gpus:a100": 5, "gpus:v100": 5}, {"any": {"gpus": 9}, "both": {"gpus": 3}}
        ),
    )

    assert outcome["any"].runtime["gpus"] == 9
    assert sum(group.runtime["gpus"] for group in outcome.groups) == 12


def test_the_steps_of_a_kind_tell_what_was_placed() -> None:
    outcome = computed((ANY, BOTH), ElasticDemand(TOTAL, {"any": {"gpus": 10}}))
    (placed,) = [step for step in Trace(outcome).steps("any", "gpus:a100") if step.kind == "placed"]

    assert placed.runtime == outcome["any"].runtime["gpus:a100"] == 5
    assert "5 more of its gpus may be of this model" in placed.text


def test_kinds_that_are_guaranteed_give_way_to_the_number_of_cards_where_mins_shrink() -> None:
    demand = ElasticDemand(
        {"gpus": 10, "gpus:a100": 5, "gpus:v100": 5},
        {"any": {"gpus": 10}, "both": {"gpus:a100": 5, "gpus:v100": 5}},
    )
    outcome = computed((ANY, BOTH), demand)

    # Both mins of 10 shrink to 5, while 5 of each kind are there: 5 by 5 and 5 are 3 and 2.
    assert outcome["both"].runtime == {"gpus": 5, "gpus:a100": 3, "gpus:v100": 2}
    assert outcome["any"].runtime == {"gpus": 5, "gpus:a100": 2, "gpus:v100": 3}


def test_a_floor_of_cards_that_are_of_no_fitting_kind_is_told() -> None:
    narrow = ElasticGroup("narrow", "", {"gpus": 5}, {"gpus": 5, "gpus:v100": 0}, scale_min=False)
    outcome = computed(
        (narrow,),
        ElasticDemand({"gpus": 4, "gpus:a100": 3, "gpus:v100": 1}, {"narrow": {"gpus": 5}}),
    )
    (taken,) = [step for step in Trace(outcome).steps("narrow", "gpus") if step.kind == "taken"]

    assert outcome["narrow"].runtime == {"gpus": 3, "gpus:a100": 3, "gpus:v100": 0}
    assert (taken.runtime, taken.text) == (3, "2 are of models for which it has no quota")


def test_several_groups_change_kinds_in_turn() -> None:
    """Who may have one kind alone comes last by name; two others give up one card each for it."""
    wide = [
        ElasticGroup(name, "", {"gpus": 1}, {"gpus": 1, "gpus:a100": 1, "gpus:v100": 1})
        for name in ("a", "b")
    ]
    narrow = ElasticGroup(
        "z", "", {"gpus": 2}, {"gpus": 2, "gpus:a100": 0, "gpus:v100": 2, "gpus:h100": 0}
    )
    demand = ElasticDemand(
        {"gpus": 4, "gpus:a100": 2, "gpus:v100": 2, "gpus:h100": 0},
        {"a": {"gpus": 1}, "b": {"gpus": 1}, "z": {"gpus": 2}},
        {"a": {"gpus:v100": 1}, "b": {"gpus:v100": 1}},
    )
    outcome = computed((*wide, narrow), demand)

    assert [outcome[name].runtime["gpus:a100"] for name in "ab"] == [1, 1]
    assert outcome["z"].runtime["gpus:v100"] == outcome["z"].runtime["gpus"] == 2


def test_what_is_asked_of_kinds_is_held_to_the_max_of_all() -> None:
    group = ElasticGroup("g", "", {}, {"gpus": 5})
    outcome = computed(
        (group,),
        ElasticDemand(
            {"gpus": 9, "gpus:a100": 9, "gpus:v100": 0}, {"g": {"gpus:a100": 5, "gpus:v100": 5}}
        ),
    )
    texts = [step.text for step in Trace(outcome).steps("g", "gpus:v100")]

    # 5 of the 10 that are asked for may be had: by 5 and 5 that is 3 and 2; of the second kind
    # there is none, and the cards may be of the first as well.
    assert outcome["g"].limited == {"gpus": 5, "gpus:a100": 3, "gpus:v100": 2}
    assert outcome["g"].runtime == {"gpus": 5, "gpus:a100": 5, "gpus:v100": 0}
    assert "is limited to 2: the maxes of the models and of gpus allow no more" in texts


def test_cards_that_a_group_keeps_idle_may_be_of_kinds_that_those_below_it_cannot_use() -> None:
    groups = (
        ElasticGroup("p", "", {"gpus": 4}, {"gpus": 4}, lend=False),
        ElasticGroup("p.c", "p", {}, {"gpus": 1, "gpus:a100": 0, "gpus:v100": 1}),
    )
    outcome = computed(
        groups, ElasticDemand({"gpus": 4, "gpus:a100": 3, "gpus:v100": 1}, {"p.c": {"gpus": 1}})
    )

    assert outcome["p"].runtime == {"gpus": 4, "gpus:a100": 3, "gpus:v100": 1}
    assert outcome["p.c"].runtime == {"gpus": 1, "gpus:a100": 0, "gpus:v100": 1}
