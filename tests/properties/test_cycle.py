"""What must hold of any negotiation cycle: nothing is handed out twice, each cost is charged once, order is nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.audit.sites import accounting, job, policy_slot, pool, slot, static_slot, submitter

CONFIG = (
    "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.4\nGROUP_QUOTA_DYNAMIC_b = 0.3\n"
    "GROUP_ACCEPT_SURPLUS = True\n"
)
WHO = ("a.ann", "a.ada", "b.ben", "cyd")


@dataclass(frozen=True)
class Site:
    """A made-up pool: its ads, and what can be checked of them."""

    slots: tuple[str, ...]
    cpus: dict[str, int]
    others: tuple[str, ...]
    ceilings: dict[str, int]
    jobs: tuple[str, ...]
    asked: dict[str, int]
    config: str

    def pool(self) -> Pool:
        return pool(*self.slots, *self.others, jobs=self.jobs, config=self.config)


@st.composite
def sites(draw: st.DrawFn) -> Site:
    slots, cpus = [], {}
    for number in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from((policy_slot, slot, static_slot)))
        name, has = f"slot{number}@node1", draw(st.integers(1, 12))
        cpus[name] = has
        slots.append(
            kind(name, SlotID=number, Rank="0.0", Cpus=has, TotalSlotCpus=has, NumClaims=has)
        )
    jobs, asked, others, ceilings = [], {}, [], {}
    for cluster, who in enumerate(
        draw(st.lists(st.sampled_from(WHO), min_size=1, max_size=4, unique=True)), 1
    ):
        count, each = draw(st.integers(0, 12)), draw(st.integers(1, 4))
        prio = draw(st.integers(-2, 2))
        for proc in range(count):
            own = {"AccountingGroup": f'"{who}"', "RequestCpus": each, "JobPrio": prio}
            jobs.append(job(f"{cluster}.{proc}", **own))
            asked[f"{cluster}.{proc}"] = each
        others.append(submitter(f"{who}@site", IdleJobs=count, WeightedIdleJobs=count * each))
        ceiling = draw(st.one_of(st.none(), st.integers(0, 20)))
        if ceiling is not None:
            ceilings[f"{who}@site"] = ceiling
            others.append(
                accounting(
                    f"{who}@site",
                    Priority=f"{draw(st.sampled_from((500, 1000)))}.0",
                    Ceiling=ceiling,
                )
            )
    preemption = draw(st.booleans())
    config = (
        draw(st.sampled_from(("", CONFIG))) + f"NEGOTIATOR_CONSIDER_PREEMPTION = {preemption}\n"
    )
    return Site(tuple(slots), cpus, tuple(others), ceilings, tuple(jobs), asked, config)


def cycle(site: Site) -> Trace:
    return run_cycle(site.pool(), [f"{who}@site" for who in WHO])


@given(sites())
@settings(max_examples=60)
def test_no_slot_gives_more_than_it_has(site: Site) -> None:
    taken = Counter[str]()
    for match in cycle(site).matches:
        taken[match.slot] += site.asked[match.job]

    assert all(taken[name] <= has for name, has in site.cpus.items())


@given(sites())
@settings(max_examples=60)
def test_no_job_is_matched_twice_and_every_cost_is_charged_once(site: Site) -> None:
    trace = cycle(site)
    costs = Counter[str]()
    for match in trace.matches:
        costs[match.submitter] += match.cost  # type: ignore[assignment]

    assert len({match.job for match in trace.matches}) == len(trace.matches)
    for each in trace.submitters:
        assert each.used_after - each.used_before == pytest.approx(costs[each.name])
    used = sum(each.used_after for each in trace.submitters)
    assert sum(group.used_after for group in trace.groups) == pytest.approx(used)


@given(sites())
@settings(max_examples=60)
def test_nobody_goes_beyond_a_ceiling_by_more_than_the_last_match(site: Site) -> None:
    trace = cycle(site)
    for each in trace.submitters:
        costs = [match.cost for match in trace.matches if match.submitter == each.name]
        if each.name in site.ceilings and costs:
            assert each.used_after - costs[-1] < site.ceilings[each.name]


@given(sites(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_the_ads_is_nothing(site: Site, dice: object) -> None:
    def shuffled(ads: tuple[str, ...]) -> tuple[str, ...]:
        mixed = list(ads)
        dice.shuffle(mixed)  # type: ignore[attr-defined]
        return tuple(mixed)

    other = Site(
        shuffled(site.slots),
        site.cpus,
        shuffled(site.others),
        site.ceilings,
        shuffled(site.jobs),
        site.asked,
        site.config,
    )

    assert cycle(other).matches == cycle(site).matches
    assert cycle(other).rejections == cycle(site).rejections
