"""Who lends what to whom, in pools that can be added up in the head."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.drift.ledger import LedgerEntry
from htcq.drift.ledger_entries import entries
from htcq.quota.elastic.declaration import ElasticDemand, ElasticQuotas, Options
from htcq.quota.elastic.runtime import compute
from tests.elastic.quotas import group

A, B = group("a", {"gpus": 40}, {"gpus": 100}), group("b", {"gpus": 40}, {"gpus": 100})


def ledger(
    quotas: ElasticQuotas, total: int, used: Mapping[str, int], **more: object
) -> dict[str, LedgerEntry]:
    """Return the entries of gpus by group; whoever uses something asks for as much."""
    amounts = {name: {"gpus": amount} for name, amount in used.items()}
    request = {
        **amounts,
        **{name: {"gpus": amount} for name, amount in more.pop("wanted", {}).items()},
    }  # type: ignore[attr-defined]
    demand = ElasticDemand({"gpus": total}, request, amounts, **more)  # type: ignore[arg-type]
    return {
        each.group: each
        for each in entries(quotas, demand, compute(quotas, demand))
        if each.dimension == "gpus"
    }


def numbers(entry: LedgerEntry) -> tuple[int, int, int, int]:
    return entry.used, entry.lent, entry.borrowed, entry.unused


def test_what_nobody_is_guaranteed_is_borrowed_first() -> None:
    """Of 100, 80 are guaranteed: b uses 55 and has 15 of the spare 20 beyond its own; a keeps its 40."""
    found = ledger(ElasticQuotas((A, B)), 100, {"b": 55})

    assert {name: numbers(each) for name, each in found.items()} == {
        "a": (0, 0, 0, 40),
        "b": (55, 0, 15, 0),
        "<none>": (55, 0, 15, 40),
    }


def test_beyond_that_it_is_lent() -> None:
    found = ledger(ElasticQuotas((A, B)), 100, {"a": 10, "b": 75})

    assert {name: numbers(each) for name, each in found.items()} == {
        "a": (10, 15, 0, 15),
        "b": (75, 0, 35, 0),
        "<none>": (85, 15, 35, 15),
    }


def test_an_entry_has_what_is_declared_and_what_may_be_used() -> None:
    found = ledger(ElasticQuotas((A, B)), 100, {"a": 10, "b": 75})

    assert found["a"] == LedgerEntry("a", "gpus", 40, 10, 10, lent=15, unused=15)
    assert (found["b"].min, found["b"].runtime) == (40, 75)
    assert (found["<none>"].min, found["<none>"].runtime) == (80, 100)


def test_lenders_lend_in_proportion_to_what_they_have_left() -> None:
    """c uses 61 that are guaranteed to others, of whom a has 30 left and b 60: a third, and two thirds."""
    b, c = (group(name, {"gpus": least}, {"gpus": 99}) for name, least in (("b", 60), ("c", 0)))
    found = ledger(ElasticQuotas((A, b, c)), 100, {"a": 10, "c": 61})

    assert (found["a"].lent, found["b"].lent) == (20, 41)


def test_whoever_does_not_ask_for_it_lends_it_first() -> None:
    """a asks for all of its 40 and b for none: of the 50 that c uses, b lends 40, and a the rest, will it or no."""
    quotas = ElasticQuotas((A, B, group("c", {"gpus": 0}, {"gpus": 99})))
    found = ledger(quotas, 80, {"c": 50}, wanted={"a": 40})

    assert (found["a"].lent, found["b"].lent) == (10, 40)


def test_whoever_does_not_lend_lends_last() -> None:
    quotas = ElasticQuotas(
        (
            A,
            group("b", {"gpus": 40}, {"gpus": 100}, lend=False),
            group("c", {"gpus": 0}, {"gpus": 99}),
        )
    )

    assert [ledger(quotas, 80, {"c": used})["b"].lent for used in (40, 50)] == [0, 10]


def test_where_the_pool_is_too_small_the_guarantee_is_what_it_can_hold() -> None:
    """Mins of 80 in a pool of 40: each has 20, of which b has 30."""
    found = ledger(ElasticQuotas((A, B)), 40, {"b": 30})

    assert {name: numbers(each) for name, each in found.items()} == {
        "a": (0, 10, 0, 10),
        "b": (30, 0, 10, 0),
        "<none>": (30, 10, 10, 10),
    }
    assert found["a"].min == 40


def test_whoever_is_outside_of_the_quotas_borrows_all_it_uses() -> None:
    """30 of no group, 5 of no submitter, 10 of a group that has no gpus: 20 are spare, a lends the rest."""
    quotas = ElasticQuotas((A, B, group("c", {}, {"cpus": 8})))
    found = ledger(
        quotas, 100, {"b": 40, "c": 10}, default_used={"gpus": 30}, system_used={"gpus": 5}
    )

    assert found["<default>"] == LedgerEntry("<default>", "gpus", used=45, borrowed=45)
    assert (found["a"].lent, found["a"].unused) == (25, 15)
    assert numbers(found["<none>"]) == (85, 25, 45, 15)
    assert "c" not in found


def test_groups_below_one_lend_to_each_other_and_together_to_others() -> None:
    """p has 50: its a 30 and its b 20. a uses 35, b none: 5 of b's go to a, and 10 of the 15 left to c."""
    quotas = ElasticQuotas(
        (
            group("p", {"gpus": 50}, {"gpus": 99}),
            group("p.a", {"gpus": 30}, {"gpus": 99}),
            group("p.b", {"gpus": 20}, {"gpus": 99}),
            group("c", {"gpus": 50}, {"gpus": 99}),
        )
    )
    found = ledger(quotas, 100, {"p.a": 35, "c": 60})

    assert {name: numbers(each) for name, each in found.items()} == {
        "p": (35, 10, 0, 5),
        "p.a": (35, 0, 5, 0),
        "p.b": (0, 15, 0, 5),
        "c": (60, 0, 10, 0),
        "<none>": (95, 15, 15, 5),
    }


def test_a_group_that_borrows_has_all_of_its_own_in_use() -> None:
    """p has 50 and uses 60, all in its a: b's 20 are lent to a, and 10 come from c."""
    quotas = ElasticQuotas(
        (
            group("p", {"gpus": 50}, {"gpus": 99}),
            group("p.a", {"gpus": 30}, {"gpus": 99}),
            group("p.b", {"gpus": 20}, {"gpus": 99}),
            group("c", {"gpus": 50}, {"gpus": 99}),
        )
    )
    found = ledger(quotas, 100, {"p.a": 60})

    assert [numbers(found[name]) for name in ("p", "p.a", "p.b", "c")] == [
        (60, 0, 10, 0), (60, 0, 30, 0), (0, 20, 0, 0), (0, 10, 0, 40),
    ]  # fmt: skip
    assert numbers(found["<none>"]) == (60, 30, 30, 40)


def test_what_a_min_leaves_to_own_jobs_is_lent_under_its_own_name() -> None:
    """p has 50 and its a 30: the other 20 are those of its own jobs, whether there are any or not."""
    quotas = ElasticQuotas(
        (group("p", {"gpus": 50}, {"gpus": 99}), group("p.a", {"gpus": 30}, {"gpus": 99}))
    )
    for used, own in (({"p.a": 45}, (0, 15, 0, 5)), ({"p.a": 45, "p": 5}, (5, 15, 0, 0))):
        found = ledger(quotas, 50, used)

        assert numbers(found["p.<self>"]) == own
        assert numbers(found["p.a"]) == (45, 0, 15, 0)


def test_where_usage_is_guaranteed_nobody_lends_and_yet_it_is_told_who_did() -> None:
    quotas = ElasticQuotas((A, B), Options(guarantee_usage=True))

    assert ledger(quotas, 80, {"b": 50})["a"].lent == 10


def test_more_in_use_than_there_is_lends_no_more_than_is_idle() -> None:
    found = ledger(ElasticQuotas((A, B)), 80, {"a": 35, "b": 90})

    assert (found["a"].lent, found["a"].unused, found["b"].borrowed) == (5, 0, 50)


def test_models_of_gpus_have_a_ledger_of_their_own() -> None:
    quotas = ElasticQuotas(
        (group("a", {"gpus:h100": 4}, {"gpus:h100": 8}), group("b", {"gpus": 4}, {"gpus": 8}))
    )
    used = {"b": {"gpus": 6, "gpus:h100": 6}}
    demand = ElasticDemand({"gpus": 8, "gpus:h100": 8}, used, used)
    found = {
        (each.dimension, each.group): each
        for each in entries(quotas, demand, compute(quotas, demand))
    }

    assert numbers(found["gpus", "a"]) == (0, 2, 0, 2)
    # Of the 8 of that model 4 are guaranteed to nobody.
    assert numbers(found["gpus:h100", "a"]) == (0, 2, 0, 2)
    assert numbers(found["gpus:h100", "b"]) == (6, 0, 6, 0)


def test_where_nothing_is_there_and_nobody_asks_only_the_sum_is_kept() -> None:
    quotas = ElasticQuotas((group("c", {}, {"cpus": 8}),))

    assert entries(quotas, ElasticDemand(), compute(quotas, ElasticDemand())) == (
        LedgerEntry("<none>", "cpus"),
    )
