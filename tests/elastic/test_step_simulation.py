"""Steps that are tried in the negotiator's cycles before they are written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.guarantee_gates import unguaranteed
from htcq.elastic.quota_file import elastic_file
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim
from htcq.elastic.step_simulation import broken_by, demands_of, forecast
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.quota.settings import GREATEST_RATE, Settings
from tests.elastic.quotas import group, quotas
from tests.properties.test_guarantee import look

#: b cannot have more than its min.
TWO = quotas(
    group("a", {"cpus": 4}, {"cpus": None}, weight={"cpus": 1}),
    group("b", {"cpus": 4}, {"cpus": 4}),
)


def outside(owner: str, count: int, declared: ElasticQuotas, cpus: int) -> ElasticObservation:
    """Return an empty pool, but for claims of ``owner``, in which everybody asks for all of it."""
    names = [each.name for each in declared.groups]
    seen = look(declared.groups, cpus, dict.fromkeys(names, 0), dict.fromkeys(names, cpus))
    one = GroupClaim(owner, "", "", "", "s", "n", {"cpus": 1, WEIGHT: PARTS})
    used = {"cpus": count}
    demand = replace(seen.demand, default_used=used)
    if owner == SYSTEM:
        demand = replace(seen.demand, system_used=used)
    return replace(seen, claims=(one,) * count, demand=demand)


@pytest.mark.parametrize("owner", [DEFAULT, SYSTEM])
def test_what_jobs_of_no_group_use_is_not_lent(owner: str) -> None:
    """GroupEntry.cpp allocates the surplus of the whole pool: a is asked first, and would take what b lacks."""
    seen = outside(owner, 4, TWO, 20)
    made = targets(compute(TWO, seen.demand), seen)
    file = elastic_file(made, {each.group: each.quota for each in made})
    assert [each.sentence for each in broken_by(file, made, demands_of(seen))] == []


def test_jobs_of_a_department_itself_take_no_min_of_others() -> None:
    """d's own jobs have what its subgroups leave: they would be matched 6 of d's 5 while g lacks 1 of 3."""
    free = {"cpus": None}
    tree = quotas(
        group("d", {"cpus": 5}, free, weight={"cpus": 1}),
        group("d.c", {"cpus": 0}, free, weight={"cpus": 1}),
        group("d.e", {"cpus": 2}, free, weight={"cpus": 1}),
        group("g", {"cpus": 3}, free, weight={"cpus": 1}),
    )
    used = {"g": 1, "d": 0, "d.c": 1, "d.e": 0}
    seen = look(tree.groups, 8, used, {"g": 0, "d": 40, "d.c": 40, "d.e": 0})
    made = targets(compute(tree, seen.demand), seen)
    file = elastic_file(made, {each.group: each.quota for each in made})
    comers = dict.fromkeys(("g", "d", "d.c"), 8.0)
    cycle = forecast(file, 8.0, comers, {name: float(count) for name, count in used.items()})

    assert cycle.after["g"] == 3
    assert list(broken_by(file, made, demands_of(seen))) == []


def test_a_step_is_tried_with_the_negotiator_s_own_settings() -> None:
    """Where groups take turns for 1 each, c0 has 1 of the 3 that are free before c1 has its min of 3."""
    tree = quotas(
        group("g0", {"cpus": 3}, {"cpus": 6}, lend=False),
        group("g0.c0", {"cpus": 0}, {"cpus": 5}),
        group("g0.c1", {"cpus": 3}, {"cpus": 6}),
        group("g1", {"cpus": 0}, {"cpus": 6}),
    )
    names = [each.name for each in tree.groups]
    idle = {**dict.fromkeys(names, 0), "g0.c0": 39, "g0.c1": 11}
    for rate, breaks in ((GREATEST_RATE, False), (1.0, True)):
        seen = look(tree.groups, 3, dict.fromkeys(names, 0), idle)
        seen = replace(seen, settings=Settings(round_robin_rate=rate))
        made = targets(compute(tree, seen.demand), seen)
        file = elastic_file(made, {each.group: each.quota for each in made})
        broken = broken_by(file, made, demands_of(seen))
        hints = {each.hint for each in unguaranteed(broken, seen.settings)}
        assert bool(broken) is breaks
        assert all("GROUP_QUOTA_ROUND_ROBIN_RATE = 1 " in hint for hint in hints)
