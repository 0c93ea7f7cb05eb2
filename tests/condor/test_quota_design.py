"""HTCondor's group quota design on real daemons: what quotas and allocations are where the design says otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from broken import before, break_it, cycles, policy
from claims import accounted, claims, come_to, log_from_now, queued
from conftest import Site
from cycle_log import allocated, first_cycle, limits, matched, slots, tree

pytestmark = pytest.mark.condor

#: Jobs that no machine runs ask for their share all the same.
NOWHERE = {"requirements": "False"}
SCALED = {"NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "False"}


def test_groups_are_allocated_more_than_the_pool_has(site: Site) -> None:
    """Surplus sharing. b keeps its 30 and hands 15 on: 54 + 10 + 30 + 10 + 5 + 6 are 115, of which 112 are wanted."""
    quotas = tree(a="10", b="30", x_of_b="10", d_y_of_b="0.25", d_c="0.1")
    pool = break_it(site, {"NUM_CPUS": "100", **quotas, "GROUP_ACCEPT_SURPLUS": "True"})
    with before(pool):
        queued(pool, {"a.ann": 50, "b.x.ben": 5, "b.y.cyd": 50, "c.dan": 7}, **NOWHERE)
        log = log_from_now(pool)
    cycle = first_cycle(pool, log)
    assert "assigning group quotas from 100 available weighted slots" in cycle
    assert allocated(cycle) == {"<none>": 0, "a": 50, "b": 0, "b.x": 5, "b.y": 50, "c": 7}
    assert "allocated= 112  surplus= 3 " in cycle


@pytest.mark.parametrize(
    ("knobs", "quotas", "warning"),
    [
        (tree(a="20", b="10"), {"<none>": 0, "a": 20, "b": 10}, ""),
        (
            {**tree(a="20", b="10"), **SCALED},
            {"<none>": 0, "a": 10, "b": 5},
            "group a rescaled from 20 to 10",
        ),
        (tree(a="6", x_of_a="5", y_of_a="4"), {"<none>": 9, "a": 6, "a.x": 5, "a.y": 4}, ""),
        (tree(a="10", x_of_a="4", d_y_of_a="0.5"), {"<none>": 5, "a": 10, "a.x": 4, "a.y": 3}, ""),
        (
            tree(d_a="0.9", d_b="0.3"),
            {"<none>": 0, "a": 11.25, "b": 3.75},
            "group a rescaled from 0.9 to 0.75",
        ),
    ],
    ids=(
        "more than the pool",
        "scaled",
        "more than their parent",
        "a share beside a static quota",
        "more than one",
    ),
)
def test_quotas_are_promises_that_nobody_adds_up(
    site: Site, knobs: Mapping[str, str], quotas: Mapping[str, float], warning: str
) -> None:
    """Static and dynamic quotas in a pool of 15: by the design 10 and 5 of it are the most, and 5 is half of 10."""
    log = log_from_now(site.pool)
    pool = break_it(site, {"NUM_CPUS": "15", **knobs})

    def published() -> dict[str, float | None]:
        found = accounted(pool, "EffectiveQuota")
        return {group: found.get(group) for group in quotas}

    pool.wait(lambda: published() == quotas, 30, f"quotas of {quotas}", ("NegotiatorLog",))
    assert warning in log()


def test_only_what_is_allocated_is_whole(site: Site) -> None:
    """Fractional quotas: halves of 5; the fifth slot goes to b, which wants more. Both quotas stay 2.5."""
    pool = break_it(
        site, {**slots(5), **tree(d_a="0.5", d_b="0.5"), "GROUP_ACCEPT_SURPLUS": "True"}
    )
    with before(pool):
        queued(pool, {"a.ann": 3, "b.ben": 4})
        log = log_from_now(pool)
    assert allocated(first_cycle(pool, log)) == {"<none>": 0, "a": 2, "b": 3}
    come_to(pool, {"a.ann": 2, "b.ben": 3})
    quotas = accounted(pool, "EffectiveQuota")
    assert (quotas["a"], quotas["b"]) == (2.5, 2.5)


@pytest.mark.parametrize(
    ("quotas", "running"), [(tree(d_q="0.57"), 7), (tree(q="57"), 8)], ids=("share", "amount")
)
def test_a_share_of_a_hundred_is_one_less_than_the_amount(
    site: Site, quotas: Mapping[str, str], running: int
) -> None:
    """Dynamic quota: 7 jobs of 8 cpus reach a limit of 56; below 57 there is room to begin another."""
    pool = break_it(site, {**policy(NUM_CPUS="100", NUM_CLAIMS="16"), **quotas})
    with before(pool):
        queued(pool, {"q.ann": 10}, weight=8, request_cpus=8)
        log = log_from_now(pool)
    assert limits(first_cycle(pool, log), "q")[0] == 57  # in the log's six digits
    come_to(pool, {"q.ann": running})
    cycles(pool, 2)
    assert claims(pool) == {"q.ann": running}


@pytest.mark.parametrize(("share", "gets"), [("0.94", {}), ("0.5", {"a.ann": 1, "b.ben": 1})])
def test_halves_made_of_greater_shares_are_no_whole_slots(
    site: Site, share: str, gets: Mapping[str, int]
) -> None:
    """Dynamic quota, more than 1 in all: 0.94 * (2 / 1.88) is 0.9999999999999999, and its whole part 0."""
    pool = break_it(site, {**slots(2), **tree(d_a=share, d_b=share)})
    with before(pool):
        queued(pool, {"a.ann": 1, "b.ben": 1})
        log = log_from_now(pool)
    assert matched(first_cycle(pool, log)) == gets
    cycles(pool, 2)
    come_to(pool, gets)
