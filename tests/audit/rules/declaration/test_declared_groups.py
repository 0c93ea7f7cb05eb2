"""What declared groups must keep, by hand: a pool hands on amounts first, shares of the rest."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from htcq.audit.catalog import rules_on_declared_groups
from htcq.audit.declared_groups import DeclaredGroups
from htcq.audit.engine import Audit, Finding, audit
from htcq.audit.rule import Severity
from htcq.quota.condor import Inputs, compute_quotas
from tests.emit.declared import alone, declared

TODAY = date(2026, 11, 2)


def looked_at(weight: float | None = None, **groups: Any) -> Audit:
    return audit(
        DeclaredGroups(declared(None, **groups), TODAY, weight), rules_on_declared_groups()
    )


def found(rule: str, weight: float | None = None, **groups: Any) -> list[Finding]:
    return [finding for finding in looked_at(weight, **groups).findings if finding.rule == rule]


def owned(**groups: dict[str, Any]) -> dict[str, Any]:
    return {name: {"owner": "Anna", **table} for name, table in groups.items()}


def test_nothing_is_found_where_all_is_well() -> None:
    physics = {"quota": 100, "hep": {"share": 0.6}, "lep": {"share": 0.4}, "top": {"quota": 50}}
    outcome = looked_at(**owned(physics=physics, bio={"share": 1, "expires": "2026-11-02"}))

    assert (outcome.findings, outcome.not_checked, outcome.checked) == ((), (), 6)


# Quotas that are missing
# ----------------------------------------------------------------------------------------


def test_a_group_without_a_quota_is_a_warning_and_a_parent_without_one_an_error() -> None:
    leaf, parent = found("group-without-quota", guests={}, a={"b": {"quota": 5}})[::-1]

    assert (Severity.WARNING, "group guests") == (leaf.severity, leaf.subject)
    assert (Severity.ERROR, "group a") == (parent.severity, parent.subject)
    assert "those of all groups below it" in parent.message


# Sums
# -----------------------------------------------------------------------------------------------------------


def test_shares_side_by_side_may_come_to_one_and_not_to_more() -> None:
    tenths = {f"g{number}": {"share": 0.1} for number in range(10)}
    assert sum([0.1] * 10) != 1
    assert not found("dynamic-quotas-exceed-one", **tenths)

    (top,) = found("dynamic-quotas-exceed-one", **tenths, more={"share": 0.01})
    assert (Severity.ERROR, "the top-level groups") == (top.severity, top.subject)
    assert "add up to 1.01" in top.message

    (below,) = found(
        "dynamic-quotas-exceed-one", a={"quota": 5, "b": {"share": 0.6}, "c": {"share": 0.5}}
    )
    assert "group a" == below.subject


def test_amounts_below_an_amount_must_fit() -> None:
    assert not found(
        "static-quotas-exceed-parent", a={"quota": 10, "b": {"quota": 4}, "c": {"quota": 6}}
    )

    (finding,) = found(
        "static-quotas-exceed-parent", a={"quota": 10, "b": {"quota": 4}, "c": {"quota": 6.5}}
    )
    assert (Severity.ERROR, "group a") == (finding.severity, finding.subject)
    assert "add up to 10.5, more than the 10 of a" in finding.message


def test_amounts_below_a_share_of_an_amount_are_checked_without_a_pool() -> None:
    """Of 100, 20 go to x; b has half of the other 80."""
    a = {"quota": 100, "x": {"quota": 20}, "b": {"share": 0.5, "c": {"quota": 40}}}
    assert not found("static-quotas-exceed-parent", a=a)

    a["b"] = {"share": 0.5, "c": {"quota": 41}}
    (finding,) = found("static-quotas-exceed-parent", a=a)
    assert "add up to 41, more than the 40 of a.b" in finding.message


@pytest.mark.parametrize(("weight", "broken"), [(200.0, 0), (199.0, 1)])
def test_amounts_below_a_share_of_the_pool_are_checked_with_its_weight(
    weight: float, broken: int
) -> None:
    """Of 200, 100 go to x, and a has half of the rest: 50."""
    groups = {"x": {"quota": 100}, "a": {"share": 0.5, "c": {"quota": 50}}}

    assert broken == len(found("static-quotas-exceed-parent", weight, **groups))


def test_without_the_pool_s_weight_that_is_told_to_be_unchecked_where_it_matters() -> None:
    matters = looked_at(a={"share": 0.5, "c": {"quota": 50}, "owner": "Anna"})
    assert [
        (each.rule, "whether quotas below a fit" in each.missing) for each in matters.not_checked
    ] == [("static-quotas-exceed-parent", True)]
    for harmless in ({"c": {"share": 0.5}}, {"c": {"quota": 0}}, {}):
        assert not looked_at(a={"share": 0.5, **harmless}).not_checked


def test_amounts_below_a_share_of_nothing_never_fit() -> None:
    assert found("static-quotas-exceed-parent", a={"share": 0, "c": {"quota": 1}})


def test_what_is_below_a_group_without_a_quota_is_told_once() -> None:
    outcome = looked_at(a={"c": {"quota": 1}, "owner": "Anna"})

    assert [finding.rule for finding in outcome.findings] == ["group-without-quota"]


def test_shares_of_what_amounts_leave_nothing_of() -> None:
    a = {"quota": 10, "b": {"quota": 10}, "c": {"share": 0.5}}
    (finding,) = found("nothing-left-to-share", a=a)
    assert (Severity.WARNING, "group a") == (finding.severity, finding.subject)
    assert "that of a.c" in finding.message

    assert not found("nothing-left-to-share", a={**a, "b": {"quota": 9.5}})
    assert not found("nothing-left-to-share", a={**a, "c": {"share": 0}})


def test_what_each_group_has_is_what_the_negotiator_hands_it() -> None:
    settings = declared(
        x={"quota": 30},
        a={
            "share": 0.5,
            "b": {"quota": 10, "e": {"share": 0.25}},
            "c": {"share": 0.5, "d": {"share": 1}},
        },
        z={"share": 0.25},
    )
    quotas = compute_quotas(Inputs(alone(settings).tree, 200.0)).groups
    amounts = DeclaredGroups(settings, TODAY, 200.0).amounts

    assert amounts == {
        "": 200.0,
        **{group.name: pytest.approx(group.subtree_quota) for group in quotas[1:]},
    }


# Dates and people
# -----------------------------------------------------------------------------------------------


def test_a_quota_after_its_last_day() -> None:
    (finding,) = found(
        "quota-expired", a={"quota": 1, "expires": "2026-11-01", "contact": "anna@example.org"}
    )

    assert (Severity.WARNING, "group a") == (finding.severity, finding.subject)
    assert "until 2026-11-01" in finding.message
    assert "anna@example.org" in finding.advice
    assert not found("quota-expired", a={"quota": 1, "expires": "2026-11-02"})


def test_a_group_for_which_nobody_answers() -> None:
    groups = {"a": {"contact": "x", "b": {"c": {}}}, "d": {"e": {"owner": "y", "f": {}}, "g": {}}}
    (finding,) = found("group-without-owner", **groups)

    assert finding.severity is Severity.INFO
    assert finding.count == 2
    assert finding.examples == ("d", "d.g")
