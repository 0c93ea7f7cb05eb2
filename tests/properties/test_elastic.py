"""What elastic quotas promise, whatever the tree, the total and the demand."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hypothesis import assume, given
from hypothesis import strategies as st

from htcq.audit.elastic import unsound
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.quota.elastic.cards import Cards
from htcq.quota.elastic.declaration import (
    SELF,
    ElasticDemand,
    ElasticGroup,
    ElasticQuotas,
    Options,
    Rounding,
)
from htcq.quota.elastic.elastic_tree import build_tree
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.rollup import plant, roll_up
from htcq.quota.elastic.runtime import compute
from htcq.quota.elastic.scaling import scaled_mins
from htcq.quota.elastic.share import ShareClaim, share
from htcq.quota.elastic.steps import Trace

PLAIN = ("cpus", "memory")
USUAL = st.just(Options())
SMALL, LARGE = st.integers(0, 60), st.integers(0, 2**62)


@dataclass(frozen=True)
class Site:
    """Quotas and the demand on them."""

    quotas: ElasticQuotas
    demand: ElasticDemand

    @property
    def outcome(self) -> ElasticOutcome:
        return compute(self.quotas, self.demand)


@st.composite
def sites(
    draw: st.DrawFn,
    options: st.SearchStrategy[Options] = USUAL,
    amounts: st.SearchStrategy[int] = SMALL,
) -> Site:
    """Groups at any place, mins of children up to those of their parents or beyond, some without one dimension."""
    groups: list[ElasticGroup] = []
    for index in range(draw(st.integers(1, 9))):
        parent = draw(st.sampled_from(["", *(group.name for group in groups)]))
        dimensions = PLAIN if draw(st.integers(0, 4)) else PLAIN[:1]
        caps: dict[str, int | None] = {
            name: draw(st.one_of(amounts, amounts, st.none())) for name in dimensions
        }
        mins = {
            name: min(draw(amounts), draw(amounts) if cap is None else cap)
            for name, cap in caps.items()
        }
        given_weight = {name for name, cap in caps.items() if cap is None or draw(st.booleans())}
        weights = {name: draw(amounts) for name in sorted(given_weight)}
        name = f"{parent}.g{index}" if parent else f"g{index}"
        limits = {}
        if not draw(st.integers(0, 2)):
            limits = {each: draw(amounts) for each in mins if draw(st.booleans())}
        lends = draw(st.integers(0, 3)) > 0
        groups.append(ElasticGroup(name, parent, mins, caps, weights, lend=lends, max_lent=limits))
    names = [group.name for group in groups]
    vector = st.dictionaries(st.sampled_from(PLAIN), amounts)
    demand = ElasticDemand(
        {name: draw(amounts) for name in PLAIN[: draw(st.integers(1, 2))]},
        draw(st.dictionaries(st.sampled_from(names), vector)),
        draw(st.dictionaries(st.sampled_from(names), vector)),
        system_used=draw(vector),
        default_used=draw(vector),
    )
    return Site(ElasticQuotas(tuple(groups), draw(options)), demand)


ANY = sites(st.builds(Options, st.booleans(), st.booleans(), st.sampled_from(Rounding)))


def levels(outcome: ElasticOutcome) -> list[tuple[Mapping[str, int], list[GroupRuntime]]]:
    """Return what there is to share at every level, and who shares it."""
    parents = ["", *(group.name for group in outcome.groups if not group.leaf)]
    return [
        (
            outcome[parent].runtime if parent else outcome.effective_total,
            [group for group in outcome.groups if group.parent == parent],
        )
        for parent in parents
    ]


@given(st.one_of(sites(), sites(amounts=LARGE)))
def test_runtimes_never_come_to_more_than_there_is(site: Site) -> None:
    for there, siblings in levels(site.outcome):
        for name in PLAIN:
            assert sum(group.runtime.get(name, 0) for group in siblings) <= there.get(name, 0)


@given(ANY)
def test_no_runtime_exceeds_a_max_or_falls_below_what_is_kept_and_asked_for(site: Site) -> None:
    for group in site.outcome.groups:
        for name, runtime in group.runtime.items():
            cap = group.max[name]
            least = (
                group.floor[name]
                if not group.lends
                else min(group.floor[name], group.limited[name])
            )
            assert least <= runtime <= max(group.floor[name], group.limited[name])
            assert cap is None or runtime <= cap


@given(sites(amounts=LARGE))
def test_a_unit_is_left_only_where_nobody_may_have_it(site: Site) -> None:
    for there, siblings in levels(site.outcome):
        for name in PLAIN:
            sharing = [group for group in siblings if name in group.runtime]
            left = there.get(name, 0) - sum(group.runtime[name] for group in sharing)
            hungry = [
                group
                for group in sharing
                if group.runtime[name] < group.limited[name] and group.weight[name]
            ]
            assert left == 0 or not hungry


@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_groups_and_of_dimensions_does_not_matter(
    site: Site, dice: random.Random
) -> None:
    groups = list(site.quotas.groups)
    dice.shuffle(groups)
    turned = tuple(replace(group, max=dict(reversed(group.max.items()))) for group in groups)
    backwards = {
        key: dict(reversed(getattr(site.demand, key).items()))
        for key in ("total", "request", "used", "system_used")
    }

    assert (
        compute(replace(site.quotas, groups=turned), replace(site.demand, **backwards))
        == site.outcome
    )


@given(sites(st.just(Options(rounding=Rounding.LEGACY))), st.randoms(use_true_random=False))
def test_names_do_not_matter_where_nothing_is_handed_out_by_name(
    site: Site, dice: random.Random
) -> None:
    names = [f"n{index}" for index in range(len(site.quotas.groups))]
    dice.shuffle(names)
    renamed = dict(zip((group.name for group in site.quotas.groups), names))
    groups = tuple(
        replace(group, name=renamed[group.name], parent=renamed.get(group.parent, ""))
        for group in site.quotas.groups
    )
    demand = replace(
        site.demand,
        request={renamed[name]: amounts for name, amounts in site.demand.request.items()},
        used={renamed[name]: amounts for name, amounts in site.demand.used.items()},
    )
    outcome = compute(replace(site.quotas, groups=groups), demand)

    for name, group in renamed.items():
        assert site.outcome[name].runtime == outcome[group].runtime


@given(
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.integers(0, 50),
    st.integers(0, 50),
    st.integers(1, 2**40),
)
def test_groups_that_are_alike_differ_by_a_unit_at_most_and_by_name(
    total: int, count: int, floor: int, more: int, weight: int
) -> None:
    names = [f"g{index:02}" for index in range(count)]
    runtime, _ = share(
        total, [ShareClaim(name, floor, floor + more * 1000, weight) for name in reversed(names)]
    )
    in_order = [runtime[name] for name in names]

    assert in_order == sorted(in_order, reverse=True)
    assert in_order[0] - in_order[-1] <= 1


@given(sites())
def test_no_group_lends_more_than_it_says(site: Site) -> None:
    for group in site.outcome.groups:
        for name, limit in group.group.max_lent.items():
            if name in group.runtime:
                assert group.lent[name] <= limit


@given(sites())
def test_a_limit_of_the_whole_min_is_none(site: Site) -> None:
    without = tuple(replace(group, max_lent={}) for group in site.quotas.groups)
    whole = tuple(replace(group, max_lent=group.min) for group in site.quotas.groups)
    first, second = (
        compute(replace(site.quotas, groups=groups), site.demand) for groups in (without, whole)
    )

    assert [each.runtime for each in first.groups] == [each.runtime for each in second.groups]


@given(ANY)
def test_lent_borrowed_waiting_and_over_add_up(site: Site) -> None:
    for group in site.outcome.groups:
        for name, runtime in group.runtime.items():
            assert group.lent[name] == 0 or (group.lends and group.borrowed[name] == 0)
            if group.lends:
                assert runtime == group.scaled_min[name] - group.lent[name] + group.borrowed[name]
            assert group.waiting[name] == max(0, group.child_request[name] - runtime)
            assert group.over[name] == max(0, group.used[name] - runtime)


@given(ANY)
def test_the_steps_lead_to_every_runtime(site: Site) -> None:
    trace = Trace(site.outcome)
    for group in site.outcome.groups:
        for name, runtime in group.runtime.items():
            steps = trace.steps(group.name, name)
            reached = [step.runtime for step in steps if step.kind in ("begins", "pass")]
            assert reached[-1] == runtime == steps[-1].runtime
            assert reached == sorted(reached)


# Where more leads to no less
# -----------------------------------------------------------------------------------

claims = st.lists(st.tuples(SMALL, SMALL, st.integers(0, 9), st.booleans()), min_size=1, max_size=7)


def level(drawn: list[tuple[int, int, int, bool]]) -> list[ShareClaim]:
    return [ShareClaim(f"g{index}", *each) for index, each in enumerate(drawn)]


@given(st.integers(0, 300), claims, st.integers(0, 6), st.integers(1, 40))
def test_who_asks_for_more_does_not_get_less_of_the_same(
    total: int, drawn: list[tuple[int, int, int, bool]], which: int, more: int
) -> None:
    before = level(drawn)
    asking = before[which % len(before)]
    after = [
        each._replace(limited=each.limited + more) if each is asking else each for each in before
    ]

    assert share(total, before)[0][asking.name] <= share(total, after)[0][asking.name]


@given(st.integers(0, 300), claims, st.integers(0, 40))
def test_where_there_is_more_no_less_is_given_in_all(
    total: int, drawn: list[tuple[int, int, int, bool]], more: int
) -> None:
    less, enough = share(total, level(drawn))[0], share(total + more, level(drawn))[0]

    assert sum(less.values()) <= sum(enough.values())


def test_one_group_may_lose_a_unit_where_the_total_grows() -> None:
    given_ = [ShareClaim("a", 0, 99, 6), ShareClaim("b", 0, 99, 6), ShareClaim("c", 0, 99, 2)]

    assert share(10, given_)[0] == {"a": 4, "b": 4, "c": 2}
    assert share(11, given_)[0] == {"a": 5, "b": 5, "c": 1}


@given(
    st.integers(0, 2**60),
    st.integers(0, 2**60),
    st.lists(st.tuples(LARGE, st.booleans()), min_size=1, max_size=8),
)
def test_mins_shrink_to_what_there_is_and_grow_with_it(
    total: int, more: int, drawn: list[tuple[int, bool]]
) -> None:
    mins = {f"g{index}": amount for index, (amount, _) in enumerate(drawn)}
    fixed = {f"g{index}" for index, (_, scalable) in enumerate(drawn) if not scalable}
    less, enough = scaled_mins(total, mins, fixed), scaled_mins(total + more, mins, fixed)

    assert sum(less.values()) <= max(total, sum(mins[name] for name in fixed))
    assert all(less[name] <= enough[name] <= amount for name, amount in mins.items())


@given(
    st.integers(0, 2**60),
    st.integers(0, 2**60),
    st.lists(st.tuples(LARGE, st.booleans(), st.integers(-2, 2)), min_size=1, max_size=8),
)
def test_no_min_of_a_lower_priority_is_served_while_one_of_a_higher_is_not_whole(
    total: int, more: int, drawn: list[tuple[int, bool, int]]
) -> None:
    mins = {f"g{index}": amount for index, (amount, _, _) in enumerate(drawn)}
    fixed = {f"g{index}" for index, (_, scalable, _) in enumerate(drawn) if not scalable}
    priorities = {f"g{index}": priority for index, (_, _, priority) in enumerate(drawn)}
    found = scaled_mins(total, mins, fixed, priorities)
    grown = scaled_mins(total + more, mins, fixed, priorities)

    assert all(found[name] <= grown[name] <= amount for name, amount in mins.items())
    assert sum(found.values()) <= max(total, sum(mins[name] for name in fixed))
    for name in set(mins) - fixed:
        if found[name]:
            higher = [each for each in mins if priorities[each] > priorities[name]]
            assert all(found[each] == mins[each] for each in (*higher, *fixed))
    for priority in {priorities[name] for name in set(mins) - fixed}:
        equal = [name for name in set(mins) - fixed if priorities[name] == priority]
        before = [name for name in mins if name in fixed or priorities[name] > priority]
        left = max(0, total - sum(mins[name] for name in before))
        # Those of one priority have the same part of their mins, but for rounding, and no unit of
        # a whole one is kept from them.
        for one in equal:
            for other in equal:
                assert abs(found[one] * mins[other] - found[other] * mins[one]) <= max(
                    mins[one], mins[other]
                )
        assert sum(found[name] for name in equal) + len(equal) > min(
            left, sum(mins[name] for name in equal)
        )


@given(sites(amounts=SMALL), st.data())
def test_with_one_priority_everything_is_as_without(site: Site, data: st.DataObject) -> None:
    priority = data.draw(st.integers(-9, 9))
    groups = tuple(replace(group, priority=priority) for group in site.quotas.groups)
    same = Site(replace(site.quotas, groups=groups), site.demand)

    # Jobs of a group above others have the priority 0.
    assume(not any(each.name.endswith(SELF) for each in site.outcome.groups))
    assert [each.runtime for each in same.outcome.groups] == [
        each.runtime for each in site.outcome.groups
    ]


@given(
    st.integers(0, 2**70),
    st.lists(st.tuples(LARGE, LARGE, st.integers(0, 2**62), st.booleans()), max_size=40),
)
def test_passes_are_few_however_great_the_amounts(
    total: int, drawn: list[tuple[int, int, int, bool]]
) -> None:
    _, sharing = share(total, level(drawn))

    assert len(sharing.passes) <= 63 + 70


# Guarantee of usage
# ---------------------------------------------------------------------------------------------


@given(sites(st.just(Options(guarantee_usage=True))))
def test_what_is_used_is_kept_up_to_the_max_where_usage_is_guaranteed(site: Site) -> None:
    for group in site.outcome.groups:
        if group.leaf:
            for name, runtime in group.runtime.items():
                cap = group.max[name]
                assert runtime >= (group.used[name] if cap is None else min(group.used[name], cap))
                assert group.lent[name] == 0


# Own jobs
# -------------------------------------------------------------------------------------------------------


@given(sites())
def test_own_jobs_of_a_parent_share_with_the_groups_below_it(site: Site) -> None:
    for there, siblings in levels(site.outcome):
        for group in siblings:
            if group.name.endswith(SELF):
                parent = site.outcome[group.parent]
                assert set(group.runtime) == set(parent.runtime)
                assert all(amount <= there[name] for name, amount in group.runtime.items())


# Kinds of cards
# -------------------------------------------------------------------------------------------------

KINDS = ("gpus:a", "gpus:b", "gpus:c")


@st.composite
def card_sites(draw: st.DrawFn, capped: bool = True) -> Site:
    """Groups that count cards, some by kind; mins of kinds within those of all, those of children in the parent's."""
    groups: list[ElasticGroup] = []
    demand: dict[str, dict[str, dict[str, int]]] = {"request": {}, "used": {}}
    names = draw(
        st.sampled_from(
            (("g0",), ("g0", "g1"), ("g0", "g1", "g1.x", "g1.y"), ("g0", "g0.x", "g1", "g1.x"))
        )
    )
    for name in names:
        parent = name.rpartition(".")[0]
        above = next((group for group in groups if group.name == parent), None)
        declared = [kind for kind in KINDS if draw(st.booleans())]
        share_of = 2 if above else 1
        mins = {
            kind: draw(st.integers(0, (above.min.get(kind, 0) if above else 6) // share_of))
            for kind in declared
        }
        whole = sum(mins.values())
        most = above.min["gpus"] // share_of if above else 30
        if whole > most:
            mins, whole = dict.fromkeys(mins, 0), 0
        mins["gpus"] = draw(st.integers(whole, most))
        caps: dict[str, int | None] = {"gpus": mins["gpus"] + draw(st.integers(0, 20))}
        for kind in declared:
            caps[kind] = mins[kind] + draw(st.integers(0, 9)) if capped else None
        weights = {kind: 1 for kind in declared if not capped}
        groups.append(
            ElasticGroup(name, parent, mins, caps, weights, lend=draw(st.integers(0, 4)) > 0)
        )
        for each in demand.values():
            each[name] = draw(
                st.dictionaries(st.sampled_from(("gpus", *KINDS)), st.integers(0, 15))
            )
    total = {kind: draw(st.integers(0, 30)) for kind in KINDS}
    total["gpus"] = sum(total.values()) + draw(st.sampled_from((0, 0, 5)))
    return Site(
        ElasticQuotas(tuple(groups)), ElasticDemand(total, demand["request"], demand["used"])
    )


@given(card_sites())
def test_cards_and_their_kinds_are_both_honoured(site: Site) -> None:
    outcome = site.outcome
    for there, siblings in levels(outcome):
        for name in ("gpus", *KINDS):
            assert sum(group.runtime.get(name, 0) for group in siblings) <= there.get(name, 0)
    for group in outcome.groups:
        kinds = [group.runtime[kind] for kind in KINDS if kind in group.runtime]
        assert sum(kinds) <= group.runtime["gpus"]
        assert all(amount >= 0 for amount in group.runtime.values())
        assert all(cap is None or group.runtime[name] <= cap for name, cap in group.max.items())


@given(card_sites(capped=False))
def test_a_guaranteed_card_of_a_kind_is_there_for_who_asks_for_it(site: Site) -> None:
    """And so is every card that is guaranteed to a group that takes any, where no kind is closed to anybody."""
    outcome = site.outcome
    total = site.demand.total
    tops = [group for group in outcome.groups if not group.parent]
    fits = all(
        sum(group.min[name] for group in tops) <= total[name]
        for name in ("gpus", *KINDS)
        if name in tops[0].min
    )
    for group in tops:
        for name in (
            ("gpus", *KINDS)
            if fits and not unsound(DeclaredElasticQuotas("test", site.quotas)).findings
            else ()
        ):
            if name in group.runtime:
                assert group.runtime[name] >= min(group.min[name], group.limited[name])


@given(
    st.lists(
        st.tuples(
            st.integers(0, 9),
            st.lists(st.integers(0, 6), min_size=3, max_size=3),
            st.integers(0, 9),
        ),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.integers(0, 12), min_size=3, max_size=3),
    st.integers(0, 3),
)
def test_as_many_cards_are_placed_as_can_be(
    drawn: list[tuple[int, list[int], int]], there: list[int], other: int
) -> None:
    """A cut says how many: the cards of some kinds, and of the others what each group may have (max-flow min-cut)."""
    groups = tuple(
        ElasticGroup(f"g{index}", "", {}, {"gpus": 99, **dict(zip(KINDS, caps))})
        for index, (_, caps, _) in enumerate(drawn)
    )
    budgets = {f"g{index}": budget for index, (budget, _, _) in enumerate(drawn)}
    used = {
        f"g{index}": {"gpus": held, KINDS[held % 3]: held}
        for index, (_, _, held) in enumerate(drawn)
    }
    total = {**dict(zip(KINDS, there)), "gpus": sum(there) + other}
    nodes = plant(ElasticQuotas(groups), build_tree(groups), ElasticDemand(total, used=used))
    (family,) = roll_up(nodes, total, False)
    for node in nodes:
        node.floor = dict.fromkeys(node.max, 0)
    cards = Cards(family, total, nodes, budgets)
    cards.place(Rounding.HAMILTON)
    # Cards of no named kind may be anybody's.
    capacities = [*there, other]
    arcs = [(budget, [*caps, other]) for budget, caps, _ in drawn]
    cuts = [
        sum(amount for kind, amount in enumerate(capacities) if chosen >> kind & 1)
        + sum(
            min(budget, sum(amount for kind, amount in enumerate(caps) if not chosen >> kind & 1))
            for budget, caps in arcs
        )
        for chosen in range(2 ** len(capacities))
    ]

    assert sum(budgets.values()) - sum(cards.left.values()) == min(cuts)
    assert all(amount >= 0 for amount in cards.free.values())


@given(card_sites(), st.randoms(use_true_random=False))
def test_the_order_of_groups_does_not_matter_to_cards(site: Site, dice: random.Random) -> None:
    groups = list(site.quotas.groups)
    dice.shuffle(groups)

    assert compute(replace(site.quotas, groups=tuple(groups)), site.demand) == site.outcome
