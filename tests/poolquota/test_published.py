"""What negotiators publish of groups, held against what they should, and how far it can be believed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from htcq.pool.pool import seconds_of
from htcq.poolquota.published import Mark
from tests.audit.rules.quota.groups import PHYSICS, wants
from tests.audit.sites import Text, accounting, pool, submitter
from tests.poolquota.looks import group_ad, look, looked, published, standing
from tests.quota.recorded import FILES, ads_of, read

#: The configuration of PHYSICS on 100, as a healthy negotiator publishes it.
HEALTHY = {
    "<none>": {"ConfigQuota": "0.0", "EffectiveQuota": "70.0", "SubtreeQuota": "100.0", "SurplusPolicy": '"byquota"'},
    "physics": {"ConfigQuota": "20.0", "EffectiveQuota": "20.0", "SubtreeQuota": "20.0", "SurplusPolicy": '"no"'},
    "physics.hep": {
        "ConfigQuota": "15.0", "EffectiveQuota": "15.0", "SubtreeQuota": "15.0", "SurplusPolicy": '"byquota"',
    },
    "chem": {"ConfigQuota": "10.0", "EffectiveQuota": "10.0", "SubtreeQuota": "10.0", "SurplusPolicy": '"no"'},
}  # fmt: skip


def marks(
    group: str, config: str = PHYSICS, weight: int = 100, **changes: Text
) -> tuple[Mark, ...]:
    """Return the marks of ``group`` where the negotiator publishes what is healthy save for some attributes of it."""
    ads = [
        group_ad(name, **{**values, **(changes if name == group else {})})
        for name, values in HEALTHY.items()
    ]
    return standing(look(config, *ads, weight=weight), group).marks


@pytest.mark.parametrize("group", HEALTHY)
def test_what_is_published_as_computed_is_no_mark(group: str) -> None:
    assert marks(group) == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_real_negotiator_published_is_no_mark(path: Path) -> None:
    case = read(path)
    ads = [
        group_ad(
            name,
            **{
                key: f'"{value}"' if isinstance(value, str) else value
                for key, value in values.items()
            },
        )
        for name, values in case["expected"]["published"].items()
    ]
    given = looked(pool(*ads_of(case), *ads, config="\n".join(case["config"]) + "\n"))

    assert {each.name: each.marks for each in given.standings} == {
        each.name: () for each in given.standings
    }
    assert given.published_weight == pytest.approx(given.pool_weight)


@pytest.mark.parametrize(
    ("attribute", "computed"),
    [("ConfigQuota", 20.0), ("EffectiveQuota", 20.0), ("SubtreeQuota", 20.0)],
)
def test_another_number_is_a_mark(attribute: str, computed: float) -> None:
    assert marks("physics", **{attribute: "15.0"}) == (Mark(attribute, 15.0, computed),)


def test_another_surplus_policy_is_a_mark() -> None:
    assert marks("physics", SurplusPolicy='"byquota"') == (Mark("SurplusPolicy", "byquota", "no"),)
    assert marks("physics.hep", SurplusPolicy='"regroup"') == (
        Mark("SurplusPolicy", "regroup", "byquota"),
    )


def test_rounding_is_no_mark() -> None:
    assert marks("physics", EffectiveQuota="20.0000000001") == ()


@pytest.mark.parametrize("text", ['real("NaN")', 'real("INF")', "-1.0"])
def test_what_is_no_amount_is_a_mark(text: str) -> None:
    (mark,) = marks("chem", EffectiveQuota=text)

    assert (mark.attribute, mark.computed) == ("EffectiveQuota", 10)
    assert isinstance(mark.published, float)
    assert not 0 <= mark.published < math.inf


def test_an_attribute_that_is_not_published_is_no_mark() -> None:
    assert (
        standing(
            look(PHYSICS, group_ad("<none>", SubtreeQuota="100.0"), group_ad("chem")), "chem"
        ).marks
        == ()
    )


def test_a_group_that_a_negotiator_does_not_publish_is_marked() -> None:
    """Somebody configured it, and the negotiator has not read that yet."""
    given = look(PHYSICS, group_ad("<none>", SubtreeQuota="100.0"), group_ad("physics"))

    assert standing(given, "physics").marks == ()
    assert standing(given, "chem").marks == (Mark("EffectiveQuota", "nothing", 10),)


def test_a_pool_of_another_weight_than_the_negotiator_s_is_no_mark() -> None:
    """A quarter of the 200 that it had counted is 50; the captured pool has 100."""
    ads = (
        group_ad("<none>", SubtreeQuota="200.0", EffectiveQuota="150.0"),
        group_ad("p", ConfigQuota="0.25", EffectiveQuota="50.0", SubtreeQuota="50.0"),
    )
    given = look("GROUP_NAMES = p\nGROUP_QUOTA_DYNAMIC_p = 0.25\n", *ads)

    assert [each.marks for each in given.standings] == [(), ()]
    assert (given.pool_weight, given.published_weight, standing(given, "p").quota) == (100, 200, 25)


def test_the_root_of_groups_that_regroup_is_published_with_the_whole_pool() -> None:
    config = f"{PHYSICS}GROUP_AUTOREGROUP_chem = True\n"
    regroup = {"SurplusPolicy": '"regroup"'}

    assert marks("<none>", config, EffectiveQuota="100.0", **regroup) == ()
    assert marks("<none>", config, EffectiveQuota="70.0", **regroup) == (
        Mark("EffectiveQuota", 70, 100),
    )


@pytest.mark.parametrize("weight", ['real("NaN")', "0.0", "-5.0", "undefined"])
def test_without_a_pool_weight_that_can_be_believed_nothing_is_held_against_the_negotiator(
    weight: str,
) -> None:
    ads = group_ad("<none>", SubtreeQuota=weight), group_ad("chem", EffectiveQuota="99.0")
    given = look(PHYSICS, *ads)

    assert given.published_weight is None
    assert [mark for each in given.standings for mark in each.marks] == []


def test_names_of_any_case_are_one_group() -> None:
    ads = group_ad("<NONE>", SubtreeQuota="100.0"), group_ad("CHEM", EffectiveQuota="9.0")

    assert standing(look(PHYSICS, *ads), "chem").marks == (Mark("EffectiveQuota", 9, 10),)


@pytest.mark.parametrize(
    ("text", "told"), [('real("NaN")', "nan"), ("-3.0", "-3"), ('real("INF")', "inf")]
)
def test_usage_that_cannot_be_believed_is_told_and_not_used(text: str, told: str) -> None:
    given = published(
        group_ad("chem", WeightedResourcesUsed=text),
        group_ad("physics", WeightedResourcesUsed="4.0"),
    )

    assert given.usage("chem") is None
    assert (given.usage("physics"), given.usage("nobody")) == (4, None)
    assert list(given.doubts(["chem", "physics"])) == [
        f"the published usage of chem is {told}: what its claimed slots weigh counts instead"
    ]


def test_of_two_negotiators_the_one_with_most_groups_is_shown_and_the_others_are_told() -> None:
    """Submitters do not count: the one of a few groups may have many of them."""
    ads = [
        group_ad(name, NegotiatorName='"west"', WeightedResourcesUsed="4.0")
        for name in ("<none>", "chem")
    ]
    ads += [group_ad("<none>", NegotiatorName='"east"')]
    ads += [accounting(f"user{number}@site", NegotiatorName='"east"') for number in range(5)]
    given = published(*ads)

    assert (given.negotiator, given.negotiators, given.usage("chem")) == (
        "west",
        ("west", "east"),
        4,
    )
    assert list(given.doubts(["<none>"])) == [
        "this collector has 2 negotiators: west is shown, east is not"
    ]
    assert published(*ads, negotiator="east").usage("chem") is None


def test_a_negotiator_without_a_name_is_called_so() -> None:
    ads = group_ad("<none>"), group_ad("chem"), group_ad("<none>", NegotiatorName='"east"')

    assert list(published(*ads).doubts([])) == [
        "this collector has 2 negotiators: (nameless) is shown, east is not"
    ]


def test_old_ads_are_told_with_their_age() -> None:
    root = group_ad("<none>", LastHeardFrom=1_000_000)

    assert published(root, taken="1970-01-12T14:01:40+00:00").age == 15 * 60
    assert list(published(root, taken="1970-01-12T14:01:40+00:00").doubts([])) == []
    assert list(published(root, taken="1970-01-12T14:01:41+00:00").doubts([])) == [
        "the negotiator last published its groups 901 s before: more than 900 s"
    ]
    assert list(published(root, taken="1970-01-12T13:47:00+00:00").doubts([], max_age=10)) == [
        "the negotiator last published its groups 20 s before: more than 10 s"
    ]


def test_without_a_time_of_capture_the_latest_ad_tells_it() -> None:
    root, late = group_ad("<none>", LastHeardFrom=1_000_000), submitter(LastHeardFrom=1_002_000)

    assert published(root, late).age == 2000
    assert published(root).age == 0
    assert published(group_ad("<none>")).age is None


def test_an_ad_from_after_the_capture_is_not_old() -> None:
    assert (
        published(
            group_ad("<none>", LastHeardFrom=2_000_000), taken="1970-01-12T14:01:40+00:00"
        ).age
        == 0
    )


def test_a_time_without_a_zone_is_none() -> None:
    assert seconds_of("1970-01-01T00:01:00+00:00") == 60
    assert seconds_of("1970-01-01T00:01:00") is None
    assert seconds_of("yesterday") is None


def test_a_pool_that_publishes_nothing_is_neither_marked_nor_doubted() -> None:
    given = look(PHYSICS, wants("chem", 5))

    assert given.doubts == ()
    assert given.published_weight is None
    assert given.negotiator == ""
