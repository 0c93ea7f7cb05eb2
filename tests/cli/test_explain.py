"""htcq explain: one rule, all of them, the manual page."""

from __future__ import annotations

import json

import pytest

from htcq.audit.catalog import all_rules
from tests.cli.conftest import Call

RULE = "weight-not-a-number"


def test_one_rule(call: Call) -> None:
    done = call("explain", RULE)

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{RULE} (consumption, error)\n")
    assert "Failed to evaluate SlotWeight" in done.out


def test_all_rules(call: Call) -> None:
    done = call("explain")

    assert (done.status, done.err) == (0, "")
    assert [rule.id for rule in all_rules() if f"\n{rule.id} " not in done.out] == []


def test_json_of_one_or_all(call: Call) -> None:
    assert [each["id"] for each in json.loads(call("explain", RULE, "--json").out)["rules"]] == [
        RULE
    ]
    assert [each["id"] for each in json.loads(call("explain", "-json").out)["rules"]] == [
        rule.id for rule in all_rules()
    ]


def test_the_manual_page(call: Call) -> None:
    assert ".TH HTCQ-RULES 7" in call("explain", "--man").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["weight-not-a-numbre"], f"there is no rule 'weight-not-a-numbre' (did you mean {RULE}?)"),
        (["zzz"], "there is no rule 'zzz' ('htcq explain' lists all rules)"),
        ([""], "there is no rule ''"),
        ([RULE, "--man"], f"--man takes no rule (leave out {RULE})"),
        (["--man", "--json"], "contradict each other"),
        ([RULE, RULE], "is one argument too many"),
    ],
)
def test_what_cannot_be_explained_is_refused(arguments: list[str], said: str, call: Call) -> None:
    done = call("explain", *arguments)

    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
