"""The policy of elastic quotas from its invariants, on trees, pools and demands of any kind.

Each group has jobs of one cpu, and the pool's slot weight is its cpus, so that a quota counts jobs.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st

from htcq.elastic.invariants import bad_quotas
from htcq.elastic.next_quotas import BOUNDS, KEPT, NextQuotas, next_quotas
from htcq.elastic.quota_file import QuotaKnobs, file_of
from htcq.elastic.quota_target import MAX, TURNS, QuotaTarget
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim, IdleJobs
from htcq.elastic.step_simulation import broken_by, demands_of
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

    def next(self, in_force: QuotaKnobs | None = None, step: float = 0.1) -> NextQuotas:
        seen = self.observation()
        found = targets(compute(self.quotas, seen.demand), seen)
        return next_quotas(found, in_force, demands_of(seen), step)

    def needs_other(self, file: QuotaKnobs) -> bool:
        """Return whether quotas break a min, or give a group more or less than its max and others let it have."""
        found = self.targets()
        for written in file.groups:
            each = found[written.group]
            if each.held and written.accept_surplus:
                return True
            if not each.accept_surplus and written.quota < min(each.runtime, each.quota):
                return True
        return bool(broken_by(file, tuple(found.values()), demands_of(self.observation())))

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


def quotas_of(found: NextQuotas) -> dict[str, float]:
    return {each.group: each.quota for each in found.file.groups}


@st.composite
def sites(draw: st.DrawFn, fitting: bool = True, lends: bool = False) -> Site:
    """Return a site; ``fitting``: its mins fit into its pool, ``lends``: all groups lend."""
    small = st.integers(0, 8)
    mins = {name: draw(small) for name in LEAVES}
    mins["a"] = mins["a.x"] + mins["a.y"] + draw(small)
    groups = []
    for name in GROUPS:
        most = draw(st.one_of(st.none(), small))
        if most is not None:
            most += mins[name]
        lend, parent = lends or draw(st.booleans()), name.rpartition(".")[0]
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
def previous_quotas(draw: st.DrawFn) -> QuotaKnobs:
    return file_of({name: (draw(st.integers(0, 80)), draw(st.booleans())) for name in GROUPS})


@given(sites(), previous_quotas())
def test_a_group_has_its_min_after_any_step_at_every_level(
    site: Site, previous: QuotaKnobs
) -> None:
    """Whether or not it asks for it: its jobs never wait for a step."""
    quotas = quotas_of(site.next(previous))
    for name in GROUPS:
        assert quotas[name] >= site.min_of(name)


@given(sites(), previous_quotas())
def test_no_min_is_paid_by_the_min_of_another_group(site: Site, previous: QuotaKnobs) -> None:
    """Where idle jobs wait for a part of a runtime, nobody else may take it."""
    targets_ = site.targets()
    assume(any(each.in_need for each in targets_.values()))
    quotas = quotas_of(site.next(previous))
    reserved = {name: min(site.min_of(name), site.wants(name)) for name in ("a", "b", "c")}
    for name in reserved:
        if targets_[name].hungry:
            others = sum(amount for other, amount in reserved.items() if other != name)
            assert quotas[name] <= site.cpus - others


@given(sites(lends=True))
def test_who_has_reached_its_min_borrows_unless_more_would_be_beyond_its_max_than_below_it(
    site: Site,
) -> None:
    found = site.targets()
    running = {**site.running, "a": site.running["a.x"] + site.running["a.y"]}
    short = any(running[name] < each.least for name, each in found.items())
    free = site.cpus - sum(site.running.values())
    for name in ("b", "c"):
        each = found[name]
        if each.most is None:
            assert each.accept_surplus or (short and each.held == TURNS)
        elif running[name] < each.most and each.held == MAX:
            within = each.most - max(running[name], each.quota)
            assert running[name] + free - each.most > within or each.quota == each.most


@given(sites(), previous_quotas())
def test_quotas_are_within_the_max_and_within_the_group_above(
    site: Site, previous: QuotaKnobs
) -> None:
    found = site.next(previous)
    if KEPT in found.why.values():
        found = site.next()

    assert list(bad_quotas(site.targets().values(), quotas_of(found))) == []


@given(sites(), previous_quotas())
def test_quotas_are_kept_or_all_of_them_are_written(site: Site, previous: QuotaKnobs) -> None:
    assert site.next(previous).file in (previous, site.next().file)


@given(sites(fitting=False), previous_quotas())
def test_a_second_step_writes_nothing(site: Site, previous: QuotaKnobs) -> None:
    first = site.next(previous).file

    assert site.next(first).file == first


@given(sites())
def test_a_claim_that_ends_or_begins_writes_only_what_a_min_or_a_max_needs(site: Site) -> None:
    """The demand is the same one look later, and one running job is idle or the other way round."""
    first = site.next().file
    for name in LEAVES:
        if not (site.idle[name] and site.running[name]):
            continue
        moved = {**site.running, name: site.running[name] - 1}
        waiting = {**site.idle, name: site.idle[name] + 1}
        later = Site(site.quotas, site.cpus, moved, waiting)
        if later.next(first, step=1.0).file != first:
            assert later.needs_other(first)


@given(sites())
def test_quotas_that_are_kept_break_no_min_and_no_max(site: Site) -> None:
    """Whatever was written for another usage of the same pool."""
    for name in LEAVES:
        emptied = Site(site.quotas, site.cpus, {**site.running, name: 0}, site.idle)
        first = emptied.next().file
        found = site.next(first)
        if found.file == first:
            assert not site.needs_other(first)


@given(sites(fitting=False))
def test_mins_shrink_together_where_the_pool_is_too_small(site: Site) -> None:
    found = site.targets()
    together = sum(found[name].least for name in ("a", "b", "c"))
    declared = sum(site.min_of(name) for name in ("a", "b", "c"))

    assert together == min(declared, site.cpus)
    assert found["a.x"].least + found["a.y"].least <= found["a"].least


def test_a_quota_of_a_larger_pool_is_not_kept() -> None:
    groups = [
        ElasticGroup(name, name.rpartition(".")[0], {"cpus": 0}, {"cpus": None}, lend=False)
        for name in GROUPS
    ]
    none = dict.fromkeys(LEAVES, 0)
    site = Site(ElasticQuotas(tuple(groups)), 1, none, {**none, "a.y": 2})
    before = file_of({**dict.fromkeys(GROUPS, (0, True)), "a": (2, True), "a.y": (1, True)})

    found = site.next(before)

    assert found.why["a"] == BOUNDS
    assert quotas_of(found)["a"] <= 1
