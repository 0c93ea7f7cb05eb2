"""Whole stories, and finding a group by what somebody calls it."""

from __future__ import annotations

import pytest

from htcq.errors import InputError
from htcq.poolquota.explanation.group import group_named, stories, story
from htcq.poolquota.explanation.sections import TOPICS
from tests.audit.rules.quota.groups import PHYSICS, wants
from tests.poolquota.explanation.told import told
from tests.poolquota.looks import busy, group_ad, look


def test_every_group_has_its_story_and_topics_stand_in_one_order() -> None:
    given = busy("GROUP_AUTOREGROUP = True\n")
    all_told = stories(given)

    assert list(all_told) == [each.name for each in given.standings]
    for name, sentences in all_told.items():
        places = [TOPICS.index(sentence.topic) for sentence in sentences]
        assert places == sorted(places)
        assert sentences == story(given, name)


def test_what_was_published_otherwise_is_told_last() -> None:
    ads = (
        group_ad("<none>", SubtreeQuota="107.0"),
        group_ad("chem", EffectiveQuota="9.0", SurplusPolicy='"regroup"'),
    )

    assert told(busy("", *ads), "chem", "published") == [
        "the negotiator published EffectiveQuota 9, where 10 is computed",
        "the negotiator published SurplusPolicy regroup, where no is computed",
    ]


def test_a_group_is_found_whatever_its_case() -> None:
    assert group_named(busy(), "Physics.HEP").name == "physics.hep"
    assert group_named(busy(), "<NONE>").group.parent is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hep", "did you mean physics.hep?"),
        ("hepp", "did you mean physics.hep?"),
        ("chemm", "did you mean chem?"),
        ("PHYSICS.hepp", "did you mean physics.hep or physics.lep or physics?"),
        ("nothing-like-it", "its groups are <none>, chem, physics, physics.hep and 1 more"),
        ("", "its groups are <none>, chem, physics, physics.hep and 1 more"),
    ],
)
def test_an_unknown_group_is_answered_with_the_near_ones(name: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        story(busy(), name)

    assert str(refused.value) == f"test has no group {name}"
    assert refused.value.hint == hint


def test_no_sentence_ends_in_a_full_stop_or_spans_lines() -> None:
    given = look(PHYSICS, wants("chem", 5), wants("physics", 1))

    assert [
        text.text for told_ in stories(given).values() for text in told_ if text.text.endswith(".")
    ] == []
