"""What a site declares of its groups arrives at the negotiator, whatever it is."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from htcq.quota.group_tree import MAX_QUOTA, ROOT
from htcq.settings import GroupSettings, settings_from
from tests.emit.declared import alone

NAMES = st.text("abcXYZ019_/", min_size=1, max_size=6)
TEXTS = st.text(max_size=30)
AMOUNTS = st.one_of(
    st.integers(0, int(MAX_QUOTA)),
    st.floats(0, MAX_QUOTA),
    st.sampled_from((0.1, 1e-07, 5e-324, -0.0, MAX_QUOTA)),
)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "accept_surplus": st.booleans(),
        "autoregroup": st.booleans(),
        "owner": TEXTS,
        "contact": TEXTS,
        "expires": st.one_of(st.dates(), st.dates(date(1000, 1, 1)).map(date.isoformat)),
    },
)
QUOTAS = st.one_of(
    st.just({}),
    st.builds(lambda n: {"quota": n}, AMOUNTS),
    st.builds(lambda n: {"share": n}, st.floats(0, 1)),
)
OVERALL = st.fixed_dictionaries(
    {},
    optional={
        "accept_surplus": st.booleans(),
        "autoregroup": st.booleans(),
        "oversubscription": st.booleans(),
        "strict": st.booleans(),
        "use_slot_weights": st.booleans(),
        "max_allocation_rounds": st.integers(1, 10**9),
        "round_robin_rate": st.floats(1, 1e100),
        "sort_expression": st.sampled_from(("GroupQuota", '"# \\" x" == AccountingGroup', "1 + 2")),
    },
)


@st.composite
def tables(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """Groups as nested tables, their names distinct whatever their case."""
    found: dict[str, Any] = {}
    for name in draw(st.lists(NAMES, max_size=4, unique_by=str.lower)):
        below = draw(tables(depth - 1)) if depth else {}
        found[name] = {**draw(KEYS), **draw(QUOTAS), **below}
    return found


def declared(groups: dict[str, Any], quotas: dict[str, Any]) -> GroupSettings:
    return settings_from({"groups": groups, "quotas": quotas}).groups


@given(tables(), OVERALL)
def test_htcondor_reads_the_very_tree_that_was_declared(
    groups: dict[str, Any], quotas: dict[str, Any]
) -> None:
    settings = declared(groups, quotas)
    read = alone(settings)
    surplus, regroup = quotas.get("accept_surplus", False), quotas.get("autoregroup", False)

    assert {problem.kind for problem in read.problems} <= {"no-quota"}
    assert {group.name for group in read.tree.groups} == {
        ROOT,
        *(group.name for group in settings.groups),
    }
    for group in settings.groups:
        there = read.tree[group.name]
        assert (there.parent if there.parent != ROOT else "") == group.parent
        assert (there.config_quota, there.static, there.configured) == (
            group.config_quota,
            group.static,
            group.configured,
        )
        assert there.accept_surplus is (
            surplus if group.accept_surplus is None else group.accept_surplus
        )
        assert there.autoregroup is (regroup if group.autoregroup is None else group.autoregroup)


@given(OVERALL)
def test_htcondor_reads_the_very_knobs_that_were_declared(quotas: dict[str, Any]) -> None:
    settings = alone(declared({"a": {"quota": 1}}, quotas)).settings
    read = {
        "oversubscription": settings.oversubscription,
        "strict": settings.strict_enforce,
        "use_slot_weights": settings.use_slot_weights,
        "max_allocation_rounds": settings.max_rounds,
        "round_robin_rate": settings.round_robin_rate,
        "sort_expression": settings.sort_expr,
    }

    assert {key: read[key] for key in quotas if key in read} == {
        key: quotas[key] for key in quotas if key in read
    }
