"""Sentences of Koordinator's proposal of elastic quotas that no recorded case has; numbers are its own, or by hand.

docs/elastic-quota-proposal.md says which sentence each test is for."""

from __future__ import annotations

import pytest

from htcq.audit.elastic import doubtful, unsound
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Severity
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute


def group(name: str, least: int, most: int, **more: object) -> ElasticGroup:
    parent = str(more.pop("parent", name.rpartition(".")[0]))
    return ElasticGroup(name, parent, {"slots": least}, {"slots": most}, **more)  # type: ignore[arg-type]


def computed(
    groups: tuple[ElasticGroup, ...], request: dict[str, int], total: int = 100, **used: int
) -> ElasticOutcome:
    demand = ElasticDemand(
        {"slots": total},
        {name: {"slots": amount} for name, amount in request.items()},
        {name: {"slots": amount} for name, amount in used.items()},
    )
    return compute(ElasticQuotas(groups), demand)


def runtimes(outcome: ElasticOutcome) -> dict[str, int]:
    return {each.name: each.runtime["slots"] for each in outcome.groups}


HALVES = (group("A", 50, 100), group("B", 50, 100))


def test_who_is_alone_has_all_and_is_over_when_the_other_asks() -> None:
    """The figures of the section on the guarantee: at first A alone has jobs, then B has as many."""
    alone = computed(HALVES, {"A": 100}, A=100)
    both = computed(HALVES, {"A": 100, "B": 100}, A=100)

    assert (runtimes(alone), alone["B"].lent["slots"]) == ({"A": 100, "B": 0}, 50)
    assert alone["A"].over["slots"] == 0
    assert (runtimes(both), both["A"].over["slots"]) == ({"A": 50, "B": 50}, 50)


@pytest.mark.parametrize("asked", [0, 1, 49, 50])
def test_who_asks_for_no_more_than_its_min_has_all_of_it_whoever_else_asks(asked: int) -> None:
    outcome = computed(HALVES, {"A": 1000, "B": asked}, A=100)

    assert outcome["B"].runtime["slots"] == asked
    assert outcome["A"].runtime["slots"] == 100 - asked


def test_groups_that_borrow_at_once_share_what_is_lent_and_none_has_it_all() -> None:
    """The lender has 60 of 100; whoever came first, equal borrowers have 20 more each."""
    groups = (group("A", 20, 100), group("B", 20, 100), group("lender", 60, 100))
    first = computed(groups, {"A": 100, "B": 100}, A=80)

    assert runtimes(first) == {"A": 50, "B": 50, "lender": 0}
    assert first["A"].over["slots"] == 30


def test_a_department_that_lends_nothing_outside_lends_inside() -> None:
    """dept.one has what dept.two does not ask for; what both leave of the department's 60 stays there."""
    groups = (
        group("dept", 60, 100, lend=False),
        group("dept.one", 30, 100),
        group("dept.two", 30, 100),
        group("other", 40, 100),
    )
    outcome = computed(groups, {"dept.one": 50, "other": 100})

    assert runtimes(outcome) == {"dept": 60, "dept.one": 50, "dept.two": 0, "other": 40}
    assert outcome["dept.two"].lent["slots"] == 30
    assert outcome["dept"].lent["slots"] == 0


def test_a_group_is_a_parent_as_long_as_it_has_groups_below_it() -> None:
    """Whether it is one follows from the parents that others name; jobs of its own go on."""
    leaf = computed((group("A", 10, 40),), {"A": 30})
    parent = computed((group("A", 10, 40), group("A.1", 10, 40)), {"A": 30})

    assert (leaf["A"].leaf, parent["A"].leaf) == (True, False)
    assert runtimes(parent) == {"A": 30, "A.1": 0, "A.<self>": 30}


def test_each_dimension_has_its_own_min_max_and_weight() -> None:
    """The amounts of the proposal's object; a weight that has no GPUs is the max of GPUs."""
    test = ElasticGroup(
        "test",
        "",
        {"cpus": 10, "memory": 20, "gpus": 1},
        {"cpus": 20, "memory": 40, "gpus": 2},
        {"cpus": 4, "memory": 8},
    )
    other = ElasticGroup("other", "", {}, {"cpus": 40, "memory": 80, "gpus": 6})
    asked = {"cpus": 99, "memory": 15, "gpus": 9}
    outcome = compute(
        ElasticQuotas((test, other)),
        ElasticDemand({"cpus": 21, "memory": 40, "gpus": 5}, {"test": asked, "other": asked}),
    )

    # Beyond the mins 11 cpus are shared by 4 and 40, 4 GPUs by 2 and 6; memory suffices for both.
    assert outcome["test"].runtime == {"cpus": 11, "memory": 15, "gpus": 2}
    assert outcome["other"].runtime == {"cpus": 10, "memory": 15, "gpus": 3}


def severities(groups: tuple[ElasticGroup, ...], total: int = 100) -> dict[str, Severity]:
    demand = ElasticDemand({"slots": total}, {each.name: {"slots": 5} for each in groups})
    subject = DeclaredElasticQuotas("q.toml", ElasticQuotas(groups), demand)
    found = unsound(subject).joined(doubtful(subject)).findings
    return {finding.rule: finding.severity for finding in found}


def test_mins_of_top_level_groups_may_exceed_what_there_is_and_those_below_a_group_not() -> None:
    many = severities((group("A", 60, 100), group("B", 60, 100)))
    below = severities((group("A", 20, 100), group("A.1", 15, 100), group("A.2", 6, 100)))

    assert many["elastic-mins-above-capacity"] is Severity.WARNING
    assert Severity.ERROR not in many.values()
    assert below["elastic-children-min-above-parent"] is Severity.ERROR


def test_one_max_of_a_parent_holds_all_groups_below_it() -> None:
    """Production is busy: dev's max alone is lowered from 80 to 30, those below it stay."""
    below = (group("dev.a", 10, 80), group("dev.b", 10, 80), group("prod", 20, 100))
    asked = {"dev.a": 100, "dev.b": 100}
    before = computed((group("dev", 20, 80), *below), asked)
    after = computed((group("dev", 20, 30), *below), asked)

    assert runtimes(before) == {"dev": 80, "dev.a": 40, "dev.b": 40, "prod": 0}
    assert runtimes(after) == {"dev": 30, "dev.a": 15, "dev.b": 15, "prod": 0}
    assert severities((group("dev", 20, 30), *below))["elastic-max-above-parent"] is Severity.INFO


def test_a_group_may_have_another_parent_as_long_as_the_mins_fit() -> None:
    """With the key 'parent'; the numbers are those of the new place."""
    tops = (group("P", 20, 100), group("Q", 30, 50))
    here = computed((*tops, group("x", 20, 100, parent="P")), {"x": 100})
    there = computed((*tops, group("x", 20, 100, parent="Q")), {"x": 100})
    too_much = severities((group("P", 20, 100), group("x", 21, 100, parent="P")))

    assert (runtimes(here), runtimes(there)) == (
        {"P": 100, "Q": 0, "x": 100},
        {"P": 0, "Q": 50, "x": 50},
    )
    assert too_much["elastic-children-min-above-parent"] is Severity.ERROR


def test_a_department_has_the_sums_of_what_is_below_it() -> None:
    groups = (group("dept", 40, 100), group("dept.one", 10, 30), group("dept.two", 10, 100))
    demand = ElasticDemand(
        {"slots": 100},
        {"dept.one": {"slots": 50}, "dept.two": {"slots": 20}},
        {"dept.one": {"slots": 12}, "dept.two": {"slots": 5}},
    )
    dept = compute(ElasticQuotas(groups), demand)["dept"]

    # Of the 50 that dept.one asks for its max of 30 counts.
    assert (dept.request, dept.used, dept.runtime) == ({"slots": 50}, {"slots": 17}, {"slots": 50})
