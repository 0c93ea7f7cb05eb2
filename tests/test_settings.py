"""The site file and the words of the command line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import SlotType
from htcq.capacity.plan import Shape
from htcq.errors import HtcqError, InputError
from htcq.settings import (
    AuditSettings,
    DriftSettings,
    RuleSettings,
    Settings,
    check_shapes,
    parse_part,
    parse_shape,
    settings_from,
)


def test_an_empty_file_sets_nothing() -> None:
    assert settings_from({}) == Settings()


def test_one_model_for_the_whole_node() -> None:
    content = {
        "capacity": {"charge": {"cpus": 0.5, "Memory": "2GiB"}, "whole_charges": True},
        "jobs": ["cpus=1,memory=1GiB"],
        "templates": "site",
        "literal": True,
    }
    charges = {"cpus": Fraction(1, 2), "memory": Fraction(2048)}

    assert settings_from(content) == Settings(
        (SlotType(Choice(charges=charges, whole_charges=True)),),
        (),
        (Shape({"cpus": 1, "memory": 1024}),),
        "site",
        True,
    )


def test_slot_types_with_parts() -> None:
    content = {
        "slot_types": {
            "2": {"model": "quantized", "part": "25%", "parts": {"cpus": 4}, "count": 2},
            "1": {"preset": "simple", "part": "50%"},
        }
    }
    first, second = settings_from(content).slot_types

    assert (first.number, first.count, first.choice) == (1, 1, Choice(preset="simple"))
    assert (second.number, second.count, second.choice) == (2, 2, Choice(model="quantized"))
    assert second.parts == {**dict.fromkeys(("memory", "disk", "gpus"), Fraction(1, 4)), "cpus": 4}


def test_what_a_site_says_of_rules() -> None:
    rules = {
        "quota-truncated": {"disable": True},
        "autoregroup": {"severity": "info", "only": ["group a*"], "ignore": ["group a.b", "*c"]},
    }

    assert settings_from({"audit": {"fail_on": "warning", "rules": rules}}).audit == AuditSettings(
        "warning",
        {
            "quota-truncated": RuleSettings(disable=True),
            "autoregroup": RuleSettings(False, "info", ("group a*",), ("group a.b", "*c")),
        },
    )


def test_where_the_history_is_and_for_how_long() -> None:
    day = 86400

    assert settings_from({}).drift == DriftSettings(
        "/var/lib/htcq/drift.db", 14 * day, 90 * day, 5 * 365 * day
    )
    assert settings_from(
        {"drift": {"store": "x.db", "keep_fine": "36h", "keep_days": " 30 w "}}
    ).drift == DriftSettings("x.db", 36 * 3600, 90 * day, 210 * day)


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        ({"drift": "x"}, "htcq.toml: drift is 'x'", "[drift]"),
        ({"drift": {"stoer": "x"}}, "htcq.toml: drift.stoer is unknown", "did you mean store?"),
        ({"drift": {"store": 1}}, "htcq.toml: drift.store is 1", "/var/lib/htcq/drift.db"),
        ({"drift": {"store": ""}}, "htcq.toml: drift.store is ''", "the name of a file"),
        ({"drift": {"store": "a\0b"}}, "htcq.toml: drift.store is 'a\\x00b'", "the name of a file"),
        (
            {"drift": {"keep_fine": 14}},
            "htcq.toml: drift.keep_fine is 14",
            "such as 90s, 30min or 14d",
        ),
        (
            {"drift": {"keep_fine": "14"}},
            "htcq.toml: drift.keep_fine is '14'",
            "such as 90s, 30min or 14d",
        ),
        (
            {"drift": {"keep_hours": "0d"}},
            "htcq.toml: drift.keep_hours is '0d'",
            "such as 90s, 30min or 14d",
        ),
        (
            {"drift": {"keep_days": "5 years"}},
            "htcq.toml: drift.keep_days is '5 years'",
            "such as 90s, 30min or 14d",
        ),
        (
            {"drift": {"keep_days": "-5y"}},
            "htcq.toml: drift.keep_days is '-5y'",
            "such as 90s, 30min or 14d",
        ),
        (
            {"drift": {"keep_fine": "1y"}},
            "drift.keep_fine is longer than drift.keep_hours (90d)",
            "set keep_hours",
        ),
        (
            {"drift": {"keep_days": "12h"}},
            "drift.keep_hours is longer than drift.keep_days (0.5d)",
            "set keep_days",
        ),
        ({"audti": {}}, "htcq.toml: audti is unknown", "did you mean audit?"),
        ({"audit": []}, "htcq.toml: audit is []", "[audit]"),
        (
            {"audit": {"failon": "error"}},
            "htcq.toml: audit.failon is unknown",
            "did you mean fail_on?",
        ),
        ({"audit": {"fail_on": 1}}, "htcq.toml: audit.fail_on is 1", "text in quotes"),
        ({"audit": {"rules": ["x"]}}, "htcq.toml: audit.rules is ['x']", "[audit.rules]"),
        ({"audit": {"rules": {"x": True}}}, "htcq.toml: audit.rules.x is True", "[audit.rules.x]"),
        (
            {"audit": {"rules": {"x": {"disabled": True}}}},
            "audit.rules.x.disabled is unknown",
            "did you mean disable?",
        ),
        (
            {"audit": {"rules": {"x": {"disable": 1}}}},
            "audit.rules.x.disable is 1",
            "true or false",
        ),
        (
            {"audit": {"rules": {"x": {"severity": 2}}}},
            "audit.rules.x.severity is 2",
            "text in quotes",
        ),
        (
            {"audit": {"rules": {"x": {"only": "slot *"}}}},
            "audit.rules.x.only is 'slot *'",
            'such as ["slot',
        ),
        (
            {"audit": {"rules": {"x": {"ignore": [1]}}}},
            "audit.rules.x.ignore is [1]",
            'such as ["slot',
        ),
        ({"capacty": {}}, "htcq.toml: capacty is unknown", "did you mean capacity?"),
        (
            {"capacity": {"sahre": "even"}},
            "htcq.toml: capacity.sahre is unknown",
            "did you mean share?",
        ),
        ({"capacity": {"qqq": 1}}, "htcq.toml: capacity.qqq is unknown", "the keys are model"),
        (
            {"slot_types": {"1": {"cout": 1}}},
            "htcq.toml: slot_types.1.cout is unknown",
            "did you mean count?",
        ),
        ({"capacity": 5}, "htcq.toml: capacity is 5", "[capacity]"),
        ({"slot_types": []}, "htcq.toml: slot_types is []", "[slot_types]"),
        ({"slot_types": {"1": 5}}, "htcq.toml: slot_types.1 is 5", "[slot_types.1]"),
        ({"slot_types": {"0": {}}}, "htcq.toml: slot_types.0", "1 to 9"),
        ({"slot_types": {"x": {}}}, "htcq.toml: slot_types.x", "1 to 9"),
        ({"slot_types": {"1": {"count": 0}}}, "slot_types.1.count is 0", "1 or more"),
        ({"slot_types": {"1": {"count": True}}}, "slot_types.1.count is True", "1 or more"),
        ({"slot_types": {"1": {"parts": 5}}}, "slot_types.1.parts is 5", "table"),
        ({"slot_types": {"1": {"part": "120%"}}}, "part = 120%: not a percentage", "50%"),
        ({"slot_types": {"1": {"parts": {"memory": 5}}}}, "memory: '5' has no unit", "memory=2GiB"),
        (
            {"capacity": {}, "slot_types": {}},
            "[capacity] and [slot_types] contradict each other",
            "one of them",
        ),
        ({"jobs": "cpus=1"}, "jobs must be a list of texts", "cpus=1"),
        ({"jobs": [1]}, "jobs must be a list of texts", "cpus=1"),
        ({"templates": 5}, "templates is 5", "text in quotes"),
        ({"literal": "yes"}, "literal is 'yes'", "true or false"),
        ({"capacity": {"model": 5}}, "capacity.model is 5", "text in quotes"),
        ({"capacity": {"claims": "5"}}, "capacity.claims is '5'", "whole number"),
        ({"capacity": {"claims": True}}, "capacity.claims is True", "whole number"),
        ({"capacity": {"whole_charges": 1}}, "capacity.whole_charges is 1", "true or false"),
        ({"capacity": {"assets": "cpus"}}, "capacity.assets is 'cpus'", "list"),
        ({"capacity": {"level": ["cpus"]}}, "capacity.level is ['cpus']", "table"),
        ({"capacity": {"level": {"cpus": 1.5}}}, "level cpus is 1.5", "whole number"),
        ({"capacity": {"charge": {"memory": 2048}}}, "memory: '2048' has no unit", "memory=2GiB"),
        (
            {"capacity": {"charge": {"memory": "-1GiB"}}},
            "charge memory=-1GiB: a charge must be above 0",
            "leave",
        ),
    ],
)
def test_a_wrong_site_file_is_refused_by_key(
    content: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(HtcqError) as refused:
        settings_from(content)

    assert message in str(refused.value)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "cpus=1,memory=8GiB,disk=1GiB,gpus=1",
            Shape({"cpus": 1, "memory": 8192, "disk": 1024 * 1024, "gpus": 1}),
        ),
        ("cpus=0.5", Shape({"cpus": 0.5})),
        ("CPUS = 2 , count = 10", Shape({"cpus": 2}, 10)),
    ],
)
def test_a_shape_is_read(text: str, expected: Shape) -> None:
    assert expected == parse_shape(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cpus",
        "cpus=",
        "=1",
        "cpus=1,cpus=2",
        "memory=5",
        "cpus=1,count=0",
        "cpus=1,count=1.5",
        "cpus=1,",
    ],
)
def test_what_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_shape(text)

    assert refused.value.hint


@pytest.mark.parametrize(
    ("value", "expected"),
    [("50%", Fraction(1, 2)), ("33.3 %", Fraction(333, 1000)), (4, 4), ("4", 4), ("0%", 0)],
)
def test_a_part_is_a_share_or_an_amount(value: object, expected: Fraction) -> None:
    assert expected == parse_part("cpus", value, "")


@pytest.mark.parametrize("value", ["101%", "-1%", "x%", "1/0%", "%", "1.5", "x", True])
def test_what_is_no_part_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        parse_part("cpus", value, "")


def test_jobs_may_ask_for_what_the_node_knows_only() -> None:
    check_shapes([Shape({"cpus": 1, "gpus": 1, "actuators": 1})], ["actuators"])
    with pytest.raises(InputError) as refused:
        check_shapes([Shape({"memroy": 1})], ["actuators"])

    assert refused.value.hint == "did you mean memory?"


@pytest.mark.parametrize("key", ["weights", "charge", "level", "optional_assets"])
def test_a_name_that_configuration_text_cannot_hold_is_refused(key: str) -> None:
    name = "licence\ninclude : /bin/touch x |"
    value: object = {name: 1}
    if key == "optional_assets":
        value = [name]
    with pytest.raises(InputError, match="is not a name of an asset") as refused:
        settings_from({"capacity": {key: value}})

    assert "\n" not in str(refused.value)
    assert refused.value.hint
