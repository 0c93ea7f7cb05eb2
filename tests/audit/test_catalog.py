"""Rules are found where they lie: a module for each, whose name is the rule's id."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import htcq.audit.rules
from htcq.audit.catalog import (
    DECLARATION,
    ELASTIC,
    FAMILIES,
    all_rules,
    family,
    rules_on_declared_groups,
)
from htcq.audit.rule import Input, Rule

PLACE = Path(htcq.audit.rules.__file__).parent


def test_every_directory_is_a_family() -> None:
    assert {each.parent.name for each in PLACE.glob("*/__init__.py")} == set(FAMILIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_module_has_its_rule_in_the_order_of_the_names(name: str) -> None:
    modules = sorted(each.stem for each in (PLACE / name).glob("*.py") if each.stem != "__init__")
    prefix = "elastic-" if name == ELASTIC else ""

    assert [each.id for each in family(name)] == [
        f"{prefix}{module.replace('_', '-')}" for module in modules
    ]
    assert all(isinstance(each, Rule) for each in family(name))
    assert {each.family for each in family(name)} == {name}


def test_no_id_is_there_twice() -> None:
    assert [
        id_ for id_, count in Counter(each.id for each in all_rules()).items() if count > 1
    ] == []


def test_a_rule_says_what_it_looks_at() -> None:
    own = {Input.DECLARED: DECLARATION, Input.ELASTIC: ELASTIC}
    for need, name in own.items():
        assert {each for each in all_rules() if need in each.needs} == set(family(name))


def test_rules_on_declared_groups_are_their_own_and_those_that_pools_break_as_well() -> None:
    known = {each.id: each for each in all_rules()}
    found = rules_on_declared_groups()

    assert {each.id for each in found if each.family != DECLARATION} == {
        "dynamic-quotas-exceed-one", "group-without-quota", "static-quotas-exceed-parent",
    }  # fmt: skip
    assert all(each.summary == known[each.id].summary for each in found)


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import htcq.audit.catalog", set()),
        ("import htcq.audit.site", set()),
        ("import htcq.report.schemas", set()),
        (
            (
                "from htcq.audit.elastic import unsound; from htcq.audit.catalog import family; "
                "family('elastic')"
            ),
            {ELASTIC},
        ),
    ],
)
def test_only_the_rules_that_are_asked_for_are_imported(code: str, loaded: set[str]) -> None:
    names = "[name.split('.')[3] for name in sys.modules if name.startswith('htcq.audit.rules.')]"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*{names})"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert set(done.stdout.split()) == loaded
