"""``[groups]`` and ``[quotas]`` of the site file."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from htcq.errors import InputError
from htcq.quota.group_tree import build_tree
from htcq.settings import QUOTA_KEYS, DeclaredGroup, GroupSettings, settings_from


def declared(**groups: Any) -> tuple[DeclaredGroup, ...]:
    return settings_from({"groups": groups}).groups.groups


def names(**groups: Any) -> list[str]:
    return [group.name for group in declared(**groups)]


def test_a_file_without_groups_declares_none() -> None:
    assert settings_from({}).groups == GroupSettings((), {})


def test_nested_tables_are_the_tree_parents_first_and_in_the_order_of_the_file() -> None:
    tree = {
        "physics": {
            "quota": 800,
            "hep": {"share": 0.6, "top": {"share": 1}},
            "lep": {"quota": 0.5},
        },
        "bio": {},
    }

    assert ["physics", "physics.hep", "physics.hep.top", "physics.lep", "bio"] == names(**tree)


def test_everything_that_can_be_said_of_a_group() -> None:
    (group,) = declared(
        hep={
            "quota": 800.5,
            "accept_surplus": True,
            "autoregroup": False,
            "owner": "Anna",
            "contact": "anna@example.org",
            "expires": date(2027, 3, 31),
        }
    )

    assert group == DeclaredGroup(
        "hep", 800.5, None, True, False, "Anna", "anna@example.org", date(2027, 3, 31)
    )


def test_what_is_not_said_is_left_to_the_knobs_of_all_groups() -> None:
    assert declared(hep={"share": 0.25}) == (DeclaredGroup("hep", share=0.25),)


@pytest.mark.parametrize(
    ("table", "static", "config_quota", "configured"),
    [
        ({"quota": 800}, True, 800.0, True),
        ({"quota": 0}, True, 0.0, True),
        ({"share": 0.25}, False, 0.25, True),
        ({"share": 0}, False, 0.0, True),
        ({}, False, 0.0, False),
    ],
)
def test_a_quota_is_static_or_a_share_or_a_share_of_nothing(
    table: dict[str, Any], static: bool, config_quota: float, configured: bool
) -> None:
    (group,) = declared(hep=table)

    assert (group.static, group.config_quota, group.configured) == (
        static,
        config_quota,
        configured,
    )


def test_the_knobs_of_groups_make_the_tree_that_is_declared() -> None:
    settings = settings_from(
        {
            "groups": {
                "a": {
                    "quota": 9,
                    "accept_surplus": False,
                    "b": {"share": 0.5, "autoregroup": True},
                },
                "c": {},
            }
        }
    ).groups
    knobs = {name: text for group in settings.groups for name, text in group.knobs}
    tree, _ = build_tree({"GROUP_NAMES": "a, a.b, c", "GROUP_ACCEPT_SURPLUS": "True", **knobs})

    assert {
        "GROUP_QUOTA_a": "9",
        "GROUP_ACCEPT_SURPLUS_a": "False",
        "GROUP_QUOTA_DYNAMIC_a.b": "0.5",
        "GROUP_AUTOREGROUP_a.b": "True",
    } == knobs
    for group in settings.groups:
        built = tree[group.name]
        assert (group.config_quota, group.static, group.configured) == (
            built.config_quota,
            built.static,
            built.configured,
        )


@pytest.mark.parametrize("given", [date(2027, 3, 31), "2027-03-31"])
def test_a_date_may_be_a_text(given: object) -> None:
    assert declared(hep={"expires": given})[0].expires == date(2027, 3, 31)


@pytest.mark.parametrize(("today", "over"), [(date(2027, 3, 31), False), (date(2027, 4, 1), True)])
def test_a_quota_holds_to_the_end_of_its_last_day(today: date, over: bool) -> None:
    assert DeclaredGroup("hep", expires=date(2027, 3, 31)).expired(today) is over
    assert not DeclaredGroup("hep").expired(today)


def test_a_slash_may_be_a_part_of_a_name_since_htcondor_takes_it() -> None:
    assert names(**{"cms/prod": {"quota": 1}}) == ["cms/prod"]


def test_a_group_may_be_called_like_a_key() -> None:
    assert ["hep", "hep.quota"] == names(hep={"quota": {"quota": 5}})


def test_names_that_only_resemble_knobs_are_taken() -> None:
    assert names(DYNAMIC={}, a={"DYNAMIC_b": {}}, MAX_ALLOCATION_ROUNDS_2={}) == [
        "DYNAMIC",
        "a",
        "a.DYNAMIC_b",
        "MAX_ALLOCATION_ROUNDS_2",
    ]


def test_every_key_of_quotas_is_one_knob() -> None:
    given = {
        "accept_surplus": True,
        "autoregroup": False,
        "oversubscription": False,
        "strict": True,
        "use_slot_weights": True,
        "weighted_demand": True,
        "max_allocation_rounds": 5,
        "round_robin_rate": 1e22,
        "sort_expression": " GroupQuota ",
    }

    assert settings_from({"quotas": given}).groups.knobs == {
        "GROUP_ACCEPT_SURPLUS": "True",
        "GROUP_AUTOREGROUP": "False",
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "False",
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "True",
        "NEGOTIATOR_USE_SLOT_WEIGHTS": "True",
        "NEGOTIATOR_USE_WEIGHTED_DEMAND": "True",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "5",
        "GROUP_QUOTA_ROUND_ROBIN_RATE": "10000000000000000000000",
        "GROUP_SORT_EXPR": "GroupQuota",
    }
    assert set(given) == set(QUOTA_KEYS)


def test_only_what_is_given_is_a_knob() -> None:
    assert settings_from({"quotas": {"strict": False}}).groups.knobs == {
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "False"
    }


def test_small_shares_have_no_exponent_and_all_their_digits() -> None:
    assert (
        declared(a={"share": 1e-07}, b={"share": 0.1 + 0.2}, c={"quota": -0.0})[0].knobs[0][1]
        == "0.0000001"
    )
    assert declared(b={"share": 0.1 + 0.2})[0].knobs[0][1] == "0.30000000000000004"
    assert declared(c={"quota": -0.0})[0].knobs[0][1] == "0.0"


AMOUNT, SHARE = "from 0 to 2147483647", "from 0 to 1"


@pytest.mark.parametrize(
    ("groups", "message", "hint"),
    [
        ([], "htcq.toml: groups is []", "[groups]"),
        ({"hep": 5}, "htcq.toml: groups.hep is 5", "[groups.hep]"),
        ({"hep": [{"quota": 5}]}, "htcq.toml: groups.hep is [{'quota': 5}]", "[groups.hep]"),
        ({"hep": {"qouta": 5}}, "htcq.toml: groups.hep.qouta is unknown", "did you mean quota?"),
        (
            {"hep": {"quota": 5, "share": 0.5}},
            "groups.hep has both quota and share",
            "set only one",
        ),
        ({"hep": {"quota": -1}}, "groups.hep.quota is -1", AMOUNT),
        ({"hep": {"quota": 2147483648}}, "groups.hep.quota is 2147483648", AMOUNT),
        ({"hep": {"quota": float("inf")}}, "groups.hep.quota is inf", AMOUNT),
        ({"hep": {"quota": float("nan")}}, "groups.hep.quota is not a number", AMOUNT),
        ({"hep": {"quota": True}}, "groups.hep.quota is True", AMOUNT),
        ({"hep": {"quota": "5"}}, "groups.hep.quota is '5'", AMOUNT),
        ({"hep": {"share": 1.5}}, "groups.hep.share is 1.5", SHARE),
        ({"hep": {"share": -0.1}}, "groups.hep.share is -0.1", SHARE),
        ({"hep": {"share": False}}, "groups.hep.share is False", SHARE),
        ({"a": {"b": {"share": float("nan")}}}, "groups.a.b.share is not a number", SHARE),
        ({"hep": {"accept_surplus": 1}}, "groups.hep.accept_surplus is 1", "true or false"),
        ({"hep": {"autoregroup": "yes"}}, "groups.hep.autoregroup is 'yes'", "true or false"),
        ({"hep": {"owner": 5}}, "groups.hep.owner is 5", "text in quotes"),
        ({"hep": {"contact": ["a"]}}, "groups.hep.contact is ['a']", "text in quotes"),
        (
            {"hep": {"expires": "tomorrow"}},
            "groups.hep.expires is 'tomorrow'",
            "such as 2027-03-31",
        ),
        (
            {"hep": {"expires": "2027-02-30"}},
            "groups.hep.expires is '2027-02-30'",
            "such as 2027-03-31",
        ),
        (
            {"hep": {"expires": "20270331"}},
            "groups.hep.expires is '20270331'",
            "such as 2027-03-31",
        ),
        (
            {"hep": {"expires": datetime(2027, 3, 31, 8)}},  # noqa: DTZ001
            "groups.hep.expires is 2027-03-31 08:00:00",
            "such as",
        ),
        ({"hep": {"expires": 2027}}, "groups.hep.expires is 2027", "such as 2027-03-31"),
        (
            {"nice-user": {}},
            "groups.'nice-user': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        (
            {"a": {"b c": {}}},
            "groups.a.'b c': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        (
            {"a,b": {}},
            "groups.'a,b': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        (
            {"": {}},
            "groups.'': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        (
            {"a\nb": {}},
            r"groups.'a\nb': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        (
            {"größe": {}},
            "groups.'größe': a group's name consists of letters",
            "HTCondor refuses other characters",
        ),
        ({"a": {"b.c": {}}}, "groups.a.'b.c': a dot separates", "write [groups.a.b.c]"),
        ({"<none>": {}}, "groups.'<none>': the name is that of the root group", "always exists"),
        ({"<NONE>": {}}, "groups.'<NONE>': the name is that of the root group", "always exists"),
        ({"hep": {}, "HEP": {}}, "groups.HEP is declared twice: groups.hep", "one spelling"),
        (
            {"a": {"hep": {}, "Hep": {}}},
            "groups.a.Hep is declared twice: groups.a.hep",
            "one spelling",
        ),
        (
            {"dynamic_hep": {}},
            "GROUP_QUOTA_dynamic_hep would be the share of another group",
            "another name",
        ),
        (
            {"Dynamic_a": {"b": {}}},
            "GROUP_QUOTA_Dynamic_a would be the share of another group",
            "another name",
        ),
        ({"max_allocation_rounds": {}}, "would be a setting of all groups", "another name"),
        ({"ROUND_ROBIN_RATE": {}}, "would be a setting of all groups", "another name"),
    ],
)
def test_groups_that_htcondor_could_not_have_are_refused(
    groups: Any, message: str, hint: str
) -> None:
    _refused({"groups": groups}, message, hint)


@pytest.mark.parametrize(
    ("quotas", "message", "hint"),
    [
        (5, "htcq.toml: quotas is 5", "[quotas]"),
        ({"stirct": True}, "htcq.toml: quotas.stirct is unknown", "did you mean strict?"),
        ({"strict": 1}, "quotas.strict is 1", "true or false"),
        ({"max_allocation_rounds": 0}, "quotas.max_allocation_rounds is 0", "whole number from 1"),
        ({"max_allocation_rounds": 2.0}, "quotas.max_allocation_rounds is 2.0", "whole number from 1"),
        ({"max_allocation_rounds": True}, "quotas.max_allocation_rounds is True", "whole number from 1"),
        ({"round_robin_rate": 0.5}, "quotas.round_robin_rate is 0.5", "from 1"),
        ({"round_robin_rate": float("inf")}, "quotas.round_robin_rate is inf", "from 1"),
        ({"sort_expression": 5}, "quotas.sort_expression is 5", "in quotes, on one line"),
        ({"sort_expression": ""}, "quotas.sort_expression is ''", "in quotes, on one line"),
        ({"sort_expression": "1\nX = 2"}, r"quotas.sort_expression is '1\nX = 2'", "on one line"),
        ({"sort_expression": "GroupQuota * ("}, "quotas.sort_expression", "the negotiator would exit"),
        ({"sort_expression": "strcat(\"$(HOME)\")"}, "quotas.sort_expression has a '$'", "would interpret them"),
        (
            {"sort_expression": "1 //\\"},
            "quotas.sort_expression has a '$' or ends in a backslash",
            "would interpret them",
        ),
    ],
)  # fmt: skip
def test_knobs_that_htcondor_would_not_take_are_refused(
    quotas: Any, message: str, hint: str
) -> None:
    _refused({"quotas": quotas}, message, hint)


def _refused(content: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        settings_from(content)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert hint in refused.value.hint
