"""Steps that are tried in the negotiator's cycles before they are written: what is used outside of the groups."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.elastic.quota_file import elastic_file
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim
from htcq.elastic.step_simulation import broken_by, demands_of
from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, ElasticQuotas
from htcq.quota.elastic.runtime import compute
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
