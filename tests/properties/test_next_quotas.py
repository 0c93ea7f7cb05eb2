"""The policy of elastic quotas from its invariants, on trees, pools and demands of any kind.

Each group has jobs of one cpu, and the pool's slot weight is its cpus, so that a quota counts jobs.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st

from htcq.elastic.invariants import bad_quotas
from htcq.elastic.next_quotas import KEPT, NextQuotas, next_quotas
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim, IdleJobs
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.runtime import compute

LEAVES = ("a.x", "a.y", "b", "c")
GROUPS = ("a", *LEAVES)


@dataclass(frozen=True)
class Site:
    """Declared groups, a pool of ``cpus``, and by leaf how many jobs run and how many are idle."""

    quotas: ElasticQuotas
    cpus: int
    running: dict[str, int]
    idle: dict[str, int]

    def observation(self) -> ElasticObservation:
        one = {"cpus": 1, WEIGHT: PARTS}
        claims = [
            GroupClaim(name, f"{name}.ann@x", "ap", f"1.{job}", f"slot1_{job}@n", "n", one)
            for name, count in self.running.items()
            for job in range(count)
        ]
        waiting = [
            IdleJobs(name, f"{name}.ann@x", "ap", "2.0", count, one)
            for name, count in self.idle.items()
            if count
        ]
        wanted = {name: self.running[name] + self.idle[name] for name in LEAVES}
        demand = ElasticDemand(
            total={"cpus": self.cpus},
            request={name: {"cpus": count} for name, count in wanted.items()},
            used={name: {"cpus": count} for name, count in self.running.items()},
        )
        return ElasticObservation(
            0.0, "cm", demand, float(self.cpus), tuple(claims), tuple(waiting),
            weights={name: float(count) for name, count in self.running.items()},
            unit_weights={"cpus": float(PARTS), WEIGHT: 1.0},
        )  # fmt: skip

    def targets(self) -> dict[str, QuotaTarget]:
        seen = self.observation()
        return {each.group: each for each in targets(compute(self.quotas, seen.demand), seen)}

    def next(self, previous: dict[str, float] | None = None, step: float = 0.1) -> NextQuotas:
        return next_quotas(self.targets().values(), previous, float(self.cpus), step)

    def wants(self, name: str) -> int:
        """Return what the jobs of a group and those below it ask for, each up to its max."""
        below = [leaf for leaf in LEAVES if f"{leaf}.".startswith(f"{name}.")]
        return sum(self.asked(leaf) for leaf in below)

    def asked(self, leaf: str) -> int:
        """Return what the jobs of a leaf ask for, up to its max."""
        asked = self.running[leaf] + self.idle[leaf]
        most = next(group.max["cpus"] for group in self.quotas.groups if group.name == leaf)
        if most is None:
            return asked
        return min(asked, most)

    def min_of(self, name: str) -> int:
        return next(group.min["cpus"] for group in self.quotas.groups if group.name == name)


@st.composite
def sites(draw: st.DrawFn, fitting: bool = True) -> Site:
    """Return a site; ``fitting``: its mins fit into its pool."""
    small = st.integers(0, 8)
    mins = {name: draw(small) for name in LEAVES}
    mins["a"] = mins["a.x"] + mins["a.y"] + draw(small)
    groups = []
    for name in GROUPS:
        most = draw(st.one_of(st.none(), small))
        if most is not None:
            most += mins[name]
        lend, parent = draw(st.booleans()), name.rpartition(".")[0]
        weight = {"cpus": draw(st.integers(1, 5))}
        groups.append(
            ElasticGroup(name, parent, {"cpus": mins[name]}, {"cpus": most}, weight, lend)
        )
    together = mins["a"] + mins["b"] + mins["c"]
    cpus = draw(st.integers(1, 40))
    if fitting:
        cpus += together
    left, running = cpus, {}
    for name in LEAVES:
        running[name] = draw(st.integers(0, left))
        left -= running[name]
    idle = {name: draw(st.integers(0, 40)) for name in LEAVES}
    return Site(ElasticQuotas(tuple(groups)), cpus, running, idle)


@st.composite
def previous_quotas(draw: st.DrawFn) -> dict[str, float]:
    return {name: float(draw(st.integers(0, 80))) for name in GROUPS}


@given(sites(), previous_quotas())
def test_a_group_has_its_min_after_any_step_at_every_level(
    site: Site, previous: dict[str, float]
) -> None:
    """Whether or not it asks for it: its jobs never wait for a step."""
    quotas = site.next(previous).quotas
    for name in GROUPS:
        assert quotas[name] >= site.min_of(name)


@given(sites(), previous_quotas())
def test_no_min_is_paid_by_the_min_of_another_group(site: Site, previous: dict[str, float]) -> None:
    """Where idle jobs wait for a part of a runtime, nobody else may take it."""
    targets_ = site.targets()
    assume(any(each.in_need for each in targets_.values()))
    quotas = site.next(previous).quotas
    reserved = {name: min(site.min_of(name), site.wants(name)) for name in ("a", "b", "c")}
    for name in reserved:
        if targets_[name].hungry:
            others = sum(amount for other, amount in reserved.items() if other != name)
            assert quotas[name] <= site.cpus - others


@given(sites(), previous_quotas())
def test_what_nobody_with_a_guarantee_asks_for_is_lent_in_one_step(
    site: Site, previous: dict[str, float]
) -> None:
    """Who wants more than its quota finds all of the pool asked for, or is at a max."""
    quotas = site.next(previous).quotas
    targets_ = site.targets()
    together = sum(targets_[name].runtime for name in ("a", "b", "c"))
    for name in LEAVES:
        line = [targets_[name]]
        if targets_[name].parent:
            line.append(targets_[targets_[name].parent])
        if quotas[name] < site.wants(name) and together < site.cpus:
            tops = [each for each in line if each.most is not None]
            assert any(quotas[each.group] >= (each.most or 0) for each in tops)


@given(sites(), previous_quotas())
def test_quotas_are_within_the_max_and_within_the_group_above(
    site: Site, previous: dict[str, float]
) -> None:
    found = site.next(previous)
    written = found.quotas if KEPT not in found.why.values() else site.next().quotas

    assert list(bad_quotas(site.targets().values(), written)) == []


@given(sites(), previous_quotas())
def test_quotas_are_kept_or_all_of_them_are_written(site: Site, previous: dict[str, float]) -> None:
    quotas = site.next(previous).quotas

    assert quotas in (previous, site.next().quotas)


@given(sites(fitting=False), previous_quotas())
def test_a_second_step_writes_nothing(site: Site, previous: dict[str, float]) -> None:
    first = dict(site.next(previous).quotas)

    assert site.next(first).quotas == first


@given(sites(fitting=False))
def test_a_claim_that_ends_or_begins_writes_nothing(site: Site) -> None:
    """The demand is the same one look later, and one running job is idle or the other way round."""
    first = dict(site.next(step=1.0).quotas)
    for name in LEAVES:
        if site.idle[name] and site.running[name]:
            moved = {**site.running, name: site.running[name] - 1}
            waiting = {**site.idle, name: site.idle[name] + 1}
            later = Site(site.quotas, site.cpus, moved, waiting)
            assert later.next(first, step=1.0).quotas == first


@given(sites(fitting=False))
def test_mins_shrink_together_where_the_pool_is_too_small(site: Site) -> None:
    found = site.targets()
    together = sum(found[name].least for name in ("a", "b", "c"))
    declared = sum(site.min_of(name) for name in ("a", "b", "c"))

    assert together == min(declared, site.cpus)
    assert found["a.x"].least + found["a.y"].least <= found["a"].least
