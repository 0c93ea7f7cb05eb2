"""HTCondor's group quota design on real daemons: who has a turn, when and up to what, where the design differs."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from broken import SMALL_JOB, before, break_it
from claims import charged, come_to, demand, log_from_now, queued
from conftest import Site
from cycle_log import first_cycle, limits, matched, slots, tree

pytestmark = pytest.mark.condor

#: Jobs that no machine runs ask for their share all the same.
NOWHERE = {"requirements": "False"}
NO_PREEMPTION = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
STEP_BY_STEP = {"GROUP_QUOTA_ROUND_ROBIN_RATE": "1"}


def test_groups_that_regroup_have_their_turns_and_then_their_submitters_with_the_root(
    site: Site,
) -> None:
    """Autoregroup, as src/condor_tests/job_hgq_autoregroup_basic_van.run has it, with the root last of all."""
    order = (
        'ifThenElse(AccountingGroup =?= "a", 2, ifThenElse(AccountingGroup =?= "b", 1, '
        "3.40282e+38))"
    )
    knobs = {"GROUP_AUTOREGROUP": "True", "GROUP_SORT_EXPR": order, **NO_PREEMPTION}
    pool = break_it(site, {**slots(4), **tree(a="1", b="1"), **knobs})
    with before(pool):
        queued(pool, {"a.ann": 2, "b.ben": 2})
        log = log_from_now(pool)
    cycle = first_cycle(pool, log)
    turns = re.findall(
        r"Group (\S+) - BEGIN|  Negotiating with (\S+)@", cycle.partition("allocation round 2")[0]
    )
    named = [group or submitter for group, submitter in turns]
    assert named[:5] == ["b", "b.ben", "a", "a.ann", "<none>"]
    assert sorted(named[5:]) == ["a.ann", "b.ben"]
    assert [limits(cycle, group)[0] for group in ("b", "a", "<none>")] == [1, 1, 4]
    assert matched(cycle) == {"a.ann": 2, "b.ben": 2}
    come_to(pool, {"a.ann": 2, "b.ben": 2})


def test_a_job_s_name_alone_tells_whose_quota_it_uses(site: Site) -> None:
    """Names: undeclared groups are charged to the one above, and hep.lee of phys to the hep below it."""
    pool = break_it(site, {**slots(4), **tree(phys="3", hep_of_phys="1")})
    log = log_from_now(pool)
    with before(pool):
        pool.submit(
            {**SMALL_JOB, "accounting_group": "phys", "accounting_group_user": "hep.lee"}, 2
        )
        queued(pool, {"phys.lep.ann": 1, "lep.ben": 1})
    come_to(pool, {"phys.hep.lee": 1, "phys.lep.ann": 1, "lep.ben": 1})
    for group in ("phys", "phys.hep", "<none>"):
        charged(pool, group, 1.0)
    assert "defaulting undefined group name phys.lep to group phys\n" in log()
    assert "defaulting undefined group name lep to group <none>\n" in log()


@pytest.mark.parametrize(
    ("knobs", "b_a_and_b_b", "limits_of_a_a"),
    [({}, (2, 0), [4]), (STEP_BY_STEP, (1, 1), [1, 2, 2, 2])],
)
def test_steps_share_what_two_groups_want_and_stop_others_half_way(
    site: Site, knobs: Mapping[str, str], b_a_and_b_b: tuple[int, int], limits_of_a_a: list[float]
) -> None:
    """Round robin rate, as src/condor_tests/job_hgq_negfail_basic_van.run, a fifth as large: by the design a.a gets 4
    in either way. Under a, which accepts no surplus, what it got in earlier steps is counted twice.
    """
    quotas = tree(
        d_a="0.5", d_b="0.5", d_a_of_a="0.5", d_b_of_a="0.5", d_a_of_b="0.5", d_b_of_b="0.5"
    )
    surplus = {
        "GROUP_ACCEPT_SURPLUS": "True",
        "GROUP_ACCEPT_SURPLUS_a": "False",
        "GROUP_ACCEPT_SURPLUS_b": "False",
    }
    pool = break_it(site, {**slots(8), **quotas, **surplus, **NO_PREEMPTION, **knobs})
    with before(pool):
        queued(pool, {"a.a.ann": 4}, requirements="SlotID > 2")
        queued(pool, {"a.b.ben": 2}, **NOWHERE)
        queued(pool, {"b.a.cyd": 2, "b.b.dan": 2}, requirements="SlotID <= 2")
        log = log_from_now(pool)
    cycle = first_cycle(pool, log)
    assert limits(cycle, "a.a") == limits_of_a_a
    got = matched(cycle)
    assert (got["b.a.cyd"], got.get("b.b.dan", 0), got["a.a.ann"]) == (
        *b_a_and_b_b,
        limits_of_a_a[-1],
    )


@pytest.mark.parametrize(
    ("surplus", "expected"), [("True", [1, 2, 3, 4, 5, 6]), ("False", [1, 2, 3, 3, 3, 3, 4, 5, 4])]
)
def test_step_by_step_a_group_comes_to_its_quota_only_if_it_accepts_surplus(
    site: Site, surplus: str, expected: list[float]
) -> None:
    """Round robin rate: by the design to its quota of 6."""
    pool = break_it(
        site, {**slots(6), **tree(a="6"), "GROUP_ACCEPT_SURPLUS": surplus, **STEP_BY_STEP}
    )
    with before(pool):
        queued(pool, {"a.ann": 6})
        log = log_from_now(pool)
    cycle = first_cycle(pool, log)
    assert limits(cycle, "a") == expected
    assert matched(cycle) == {"a.ann": max(expected)}


@pytest.mark.parametrize(("rounds", "ben"), [("1", 2), ("3", 3)])
def test_later_rounds_give_others_what_is_left_and_do_not_ask_again(
    site: Site, rounds: str, ben: int
) -> None:
    """Allocation rounds: by the design all groups negotiate again. ann has one job that runs and three that cannot."""
    knobs = {"GROUP_ACCEPT_SURPLUS": "True", "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": rounds}
    pool = break_it(site, {**slots(4), **tree(a="2", b="2"), **knobs})
    with before(pool):
        queued(pool, {"a.ann": 1})
        pool.submit(
            {**SMALL_JOB, **NOWHERE, "accounting_group": "a", "accounting_group_user": "ann"}, 3
        )
        queued(pool, {"b.ben": 4})
        pool.wait(
            lambda: demand(pool, ["a.ann"]) == {"a.ann": (4, 4)},
            30,
            "the demand of all four",
            ("SchedLog",),
        )
        log = log_from_now(pool)
    cycle = first_cycle(pool, log)
    assert matched(cycle) == {"a.ann": 1, "b.ben": ben}
    assert ("Group a - skipping, no submitters (usage=1)" in cycle) == (rounds == "3")
