"""HTCondor's design of group quotas and what real daemons make of it, where the two differ or surprise."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from broken import SMALL_JOB, before, break_it, cycles, policy
from claims import COUNTS_OFTEN, accounted, claims, come_to, log_from_now, queued
from conftest import Site
from testpool import Pool

pytestmark = pytest.mark.condor

#: Jobs that no machine runs ask for their share all the same.
NOWHERE = {"requirements": "False"}
#: Slots of 1 cpu and without weights: the whole pool is so many slots.
UNWEIGHTED = {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False", **COUNTS_OFTEN}


def slots(number: int) -> dict[str, str]:
    """Return the knobs of a machine with so many static slots of 1 cpu."""
    return {
        "NUM_CPUS": str(number),
        "SLOT_TYPE_1": "cpus=1",
        "NUM_SLOTS_TYPE_1": str(number),
        "SLOT_TYPE_1_PARTITIONABLE": "False",
    }


def halves(*names: str, **knobs: str) -> dict[str, str]:
    """Return the knobs of groups that have half of their parent each and accept surplus."""
    quotas = {f"GROUP_QUOTA_DYNAMIC_{name}": "0.5" for name in names}
    return {"GROUP_NAMES": ", ".join(names), **quotas, "GROUP_ACCEPT_SURPLUS": "True", **knobs}


def first_round(log: str) -> dict[str, float]:
    """Return what the first round in a negotiator's log allocates to each group."""
    one = log[log.index("allocation round 1\n") : log.index("group quotas: groups=")]
    return {name: float(got) for name, got in re.findall(r"group= (\S+) .* allocated= (\S+) ", one)}


def test_groups_are_allocated_more_than_the_pool_has(site: Site) -> None:
    knobs = {
        "NUM_CPUS": "100",
        "GROUP_NAMES": "a, b, b.x, b.y, c",
        "GROUP_QUOTA_a": "10",
        "GROUP_QUOTA_b": "30",
        "GROUP_QUOTA_b.x": "10",
        "GROUP_QUOTA_DYNAMIC_b.y": "0.25",
        "GROUP_QUOTA_DYNAMIC_c": "0.1",
        "GROUP_ACCEPT_SURPLUS": "True",
    }
    pool = break_it(site, {**COUNTS_OFTEN, **knobs})
    with before(pool):
        queued(pool, {"a.ann": 50, "b.x.ben": 5, "b.y.cyd": 50, "c.dan": 7}, **NOWHERE)
        log = log_from_now(pool)
    pool.wait(lambda: "Round 1 totals" in log(), 30, "a round", ("NegotiatorLog",))
    assert first_round(log()) == {"<none>": 0, "a": 50, "b": 0, "b.x": 5, "b.y": 50, "c": 7}
    assert "allocated= 112  surplus= 3 " in log()


@pytest.mark.parametrize(
    ("knobs", "quotas"),
    [
        ({"GROUP_QUOTA_a": "20", "GROUP_QUOTA_b": "10"}, {"<none>": 0, "a": 20, "b": 10}),
        (
            {"GROUP_QUOTA_a": "20", "GROUP_QUOTA_b": "10", "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "False"},
            {"<none>": 0, "a": 10, "b": 5},
        ),
        (
            {"GROUP_QUOTA_a": "6", "GROUP_QUOTA_a.x": "5", "GROUP_QUOTA_a.y": "4"},
            {"<none>": 9, "a": 6, "a.x": 5, "a.y": 4},
        ),
        (
            {"GROUP_QUOTA_a": "10", "GROUP_QUOTA_a.x": "4", "GROUP_QUOTA_DYNAMIC_a.y": "0.5"},
            {"<none>": 5, "a": 10, "a.x": 4, "a.y": 3},
        ),
        (
            {"GROUP_QUOTA_DYNAMIC_a": "0.9", "GROUP_QUOTA_DYNAMIC_b": "0.3"},
            {"<none>": 0, "a": 11.25, "b": 3.75},
        ),
    ],
)
def test_quotas(site: Site, knobs, quotas) -> None:
    names = ", ".join(name for name in quotas if name != "<none>")
    pool = break_it(site, {"NUM_CPUS": "15", "GROUP_NAMES": names, **knobs})
    pool.wait(lambda: accounted(pool, "EffectiveQuota") == quotas, 15, "quotas", ("NegotiatorLog",))
    print(re.findall("rescaled.*", pool.log("NegotiatorLog"))[-4:])


def test_whole(site: Site) -> None:
    pool = break_it(site, {**slots(5), **UNWEIGHTED, **halves("a", "b")})
    with before(pool):
        queued(pool, {"a.ann": 3, "b.ben": 4})
        log = log_from_now(pool)
    come_to(pool, {"a.ann": 2, "b.ben": 3})
    assert first_round(log()) == {"<none>": 0, "a": 2, "b": 3}
    print(accounted(pool, "EffectiveQuota"))


@pytest.mark.parametrize(("quota", "running"), [({"GROUP_QUOTA_DYNAMIC_q": "0.57"}, 7), ({"GROUP_QUOTA_q": "57"}, 8)])
def test_trunc(site: Site, quota, running) -> None:
    pool = break_it(site, {**policy(NUM_CPUS="100", NUM_CLAIMS="16"), **COUNTS_OFTEN, "GROUP_NAMES": "q", **quota})
    with before(pool):
        queued(pool, {"q.ann": 10}, weight=8, request_cpus=8)
        log = log_from_now(pool)
    come_to(pool, {"q.ann": running})
    cycles(pool, 3)
    assert claims(pool) == {"q.ann": running}
    print(re.findall("Group q.*", log()))


def test_auto(site: Site) -> None:
    order = 'ifThenElse(AccountingGroup =?= "a", 2, ifThenElse(AccountingGroup =?= "b", 1, 3.40282e+38))'
    quotas = {"GROUP_QUOTA_a": "1", "GROUP_QUOTA_b": "1"}
    knobs = {"GROUP_NAMES": "a, b", "GROUP_AUTOREGROUP": "True", "NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
    pool = break_it(site, {**slots(4), **UNWEIGHTED, **quotas, **knobs, "GROUP_SORT_EXPR": order})
    with before(pool):
        queued(pool, {"a.ann": 2, "b.ben": 2})
        log = log_from_now(pool)
    come_to(pool, {"a.ann": 2, "b.ben": 2})
    print(log())


def test_names(site: Site) -> None:
    quotas = {"GROUP_QUOTA_phys": "3", "GROUP_QUOTA_phys.hep": "1"}
    pool = break_it(site, {**slots(4), **UNWEIGHTED, **quotas, "GROUP_NAMES": "phys, phys.hep"})
    log = log_from_now(pool)
    pool.submit({**SMALL_JOB, "accounting_group": "phys", "accounting_group_user": "hep.lee"}, 2)
    queued(pool, {"phys.lep.ann": 1, "lep.ben": 1})
    come_to(pool, {"phys.hep.lee": 1, "phys.lep.ann": 1, "lep.ben": 1})
    cycles(pool, 3)
    print(accounted(pool, "WeightedResourcesUsed"))
    print(set(re.findall("defaulting.*", log())))
    print(accounted(pool, "Requested"))


LIVE = {"GROUP_QUOTA_ROUND_ROBIN_RATE": "1"}
@pytest.mark.parametrize("knobs", [{}, LIVE, {"HFS_ROUND_ROBIN_RATE": "1"}, {**LIVE, "NEGOTIATOR_CONSIDER_PREEMPTION": "True"}])
def test_rr(site: Site, knobs) -> None:
    tree = halves("a", "b", "a.a", "a.b", "b.a", "b.b", GROUP_ACCEPT_SURPLUS_a="False", GROUP_ACCEPT_SURPLUS_b="False")
    pool = break_it(site, {**slots(8), **UNWEIGHTED, **tree, "NEGOTIATOR_CONSIDER_PREEMPTION": "False", **knobs})
    with before(pool):
        queued(pool, {"a.a.ann": 4}, requirements="SlotID > 2")
        queued(pool, {"a.b.ben": 2}, **NOWHERE)
        queued(pool, {"b.a.cyd": 2, "b.b.dan": 2}, requirements="SlotID <= 2")
        log = log_from_now(pool)
    cycles(pool, 4)
    print(claims(pool))
    print(re.findall("allocation round.*|n= .*|Group .* with a quota.*", log())[:30])


@pytest.mark.parametrize("rounds", ["1", "3"])
def test_rounds(site: Site, rounds) -> None:
    pool = break_it(site, {**slots(4), **UNWEIGHTED, **halves("a", "b"), "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": rounds})
    with before(pool):
        queued(pool, {"a.ann": 4}, **NOWHERE)
        queued(pool, {"b.ben": 4})
        log = log_from_now(pool)
    cycles(pool, 4)
    print(claims(pool))
    print(re.findall("allocation round.*|n= .*|Group .* with a quota.*", log())[:30])


@pytest.mark.parametrize("knobs", [{}, {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}])
def test_small(site: Site, knobs) -> None:
    pool = break_it(site, {**slots(8), **UNWEIGHTED, "GROUP_NAMES": "a", "GROUP_QUOTA_a": "1", **LIVE, **knobs})
    with before(pool):
        queued(pool, {"a.ann": 4})
        log = log_from_now(pool)
    cycles(pool, 4)
    print(claims(pool))
    print(re.findall("allocation round.*|n= .*|Group .* with a quota.*", log())[:30])
