"""What one dimension keeps a group from using goes to the others, and no guarantee is lost by it."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from htcq.elastic.fitted_runtime import fitted_runtimes, held_back
from htcq.elastic.invariants import violations
from htcq.elastic.quota_targets import jobs_by_group, targets
from htcq.elastic.records import PARTS, ElasticObservation, IdleJobs
from htcq.elastic.weight_of_runtime import fitting_amounts
from htcq.quota.elastic.declaration import Amounts, ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.quota.elastic.runtime import compute

DIMENSIONS = ("cpus", "memory")


def asking(
    total: Amounts, jobs: Mapping[str, tuple[int, int, int]], used: Amounts | None = None
) -> ElasticObservation:
    """Return an observation in which groups want so many jobs of so many cpus and so much memory."""
    idle, request = [], {}
    for name, (count, cpus, memory) in jobs.items():
        amounts = {"cpus": cpus, "memory": memory, "weight": cpus * PARTS}
        idle.append(IdleJobs(name, f"{name}.u@x", "ap", f"{len(idle)}.0", count, amounts))
        request[name] = {each: amounts[each] * count for each in DIMENSIONS}
    demand = ElasticDemand(total=total, request=request)
    return ElasticObservation(0.0, "", demand, float(total["cpus"]), idle=tuple(idle))


def group(name: str, least: Amounts, most: Mapping[str, int | None]) -> ElasticGroup:
    return ElasticGroup(name, name.rpartition(".")[0], least, most)


TWO = ElasticQuotas(
    (
        group("physics", {"cpus": 3, "memory": 6}, {"cpus": 5, "memory": 8}),
        group("chem", {"cpus": 3, "memory": 8}, {"cpus": 8, "memory": 8}),
    )
)


def test_fault_9_cpus_that_memory_keeps_a_group_from_using_go_to_who_waits_for_cpus() -> None:
    """Of 8 cpus each would get 4; chem has memory for 2 of its jobs, and physics is allowed 5."""
    seen = asking({"cpus": 8, "memory": 16}, {"physics": (10, 1, 1), "chem": (6, 1, 3)})
    before = compute(TWO, seen.demand)
    assert [before[name].runtime["cpus"] for name in ("physics", "chem")] == [4, 4]

    found = fitted_runtimes(TWO, seen).outcome
    assert {each.name: each.runtime for each in found.groups} == {
        "physics": {"cpus": 5, "memory": 5},
        "chem": {"cpus": 3, "memory": 8},
    }
    assert {each.group: each.quota for each in targets(found, seen)} == {"physics": 5, "chem": 2}
    assert found["chem"].request == {"cpus": 6, "memory": 18}
    assert list(held_back(found, seen)) == [
        "jobs of chem wait for memory: its max is 8",
        "jobs of physics wait for cpus: its max is 5",
        "3 memory are in no runtime: no waiting job can use them",
    ]


def test_a_group_that_can_use_everything_keeps_it() -> None:
    seen = asking({"cpus": 8, "memory": 16}, {"physics": (3, 1, 1), "chem": (2, 2, 3)})

    assert fitted_runtimes(TWO, seen).outcome == compute(TWO, seen.demand)
    assert list(held_back(fitted_runtimes(TWO, seen).outcome, seen)) == []


@st.composite
def sites(draw: st.DrawFn) -> tuple[ElasticQuotas, ElasticObservation]:
    total = {name: draw(st.integers(8, 300)) for name in DIMENSIONS}
    groups, jobs = [], {}
    for name in ("a", "b", "b.x", "b.y", "c"):
        least = {each: draw(st.integers(0, total[each] // 8)) for each in DIMENSIONS}
        if name == "b":
            least = {each: total[each] // 4 for each in DIMENSIONS}
        most = {
            each: draw(st.one_of(st.none(), st.integers(least[each], 300))) for each in DIMENSIONS
        }
        groups.append(ElasticGroup(name, name.rpartition(".")[0], least, most))
        if name != "b":
            jobs[name] = (
                draw(st.integers(1, 200)),
                draw(st.integers(1, 8)),
                draw(st.integers(1, 8)),
            )
    return ElasticQuotas(tuple(groups)), asking(total, jobs)


def started(outcome: ElasticOutcome, seen: ElasticObservation) -> dict[str, int]:
    """Return how many cpus the jobs hold that fit into the runtime of each leaf."""
    jobs = jobs_by_group(seen)
    return {
        each.name: fitting_amounts(each.declared(each.runtime), jobs[each.name])[0]["cpus"]
        for each in outcome.groups
        if each.leaf
    }


@given(sites())
def test_more_fits_than_before_and_every_limit_holds(
    site: tuple[ElasticQuotas, ElasticObservation],
) -> None:
    quotas, seen = site
    found = fitted_runtimes(quotas, seen)
    before = compute(quotas, seen.demand)

    assert list(violations(found.computed)) == []
    assert sum(started(found.outcome, seen).values()) >= sum(started(before, seen).values())
    for name in DIMENSIONS:
        top = sum(found.outcome[each].runtime.get(name, 0) for each in ("a", "b", "c"))
        assert top <= seen.demand.total[name]
        for each in found.outcome.groups:
            cap = each.max.get(name)
            assert cap is None or each.runtime.get(name, 0) <= cap


@given(sites())
def test_no_job_that_fits_into_a_min_is_kept_out(
    site: tuple[ElasticQuotas, ElasticObservation],
) -> None:
    """Whatever others ask for: of a top group, what its jobs can use of its min is in its runtime."""
    quotas, seen = site
    found = fitted_runtimes(quotas, seen).outcome
    jobs = jobs_by_group(seen)
    for name in ("a", "c"):
        own = found[name]
        guaranteed, _ = fitting_amounts(own.declared(own.scaled_min), jobs[name])
        assert started(found, seen)[name] >= guaranteed["cpus"]
