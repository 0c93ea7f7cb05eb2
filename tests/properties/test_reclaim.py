"""What holds for every plan of reclaim, whoever runs what where."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from htcq.elastic.reclaim.free_space import FreeSpaces
from htcq.elastic.reclaim.jobs_without_slot import waiting_jobs
from htcq.elastic.reclaim.planner import plan_reclaim
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.elastic.reclaim.usage_ledger import UsageLedger
from htcq.elastic.records import ElasticObservation
from htcq.pool.autocluster import Autocluster
from htcq.pool.pool import Pool
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from htcq.quota.elastic.group_runtime import ElasticOutcome
from htcq.settings.reclaim import ReclaimLimits
from tests.elastic.reclaim.scenes import NOW, Scene

SHAPES = [(1, 0), (2, 0), (3, 1), (1, 1)]


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Two machines of 6 cpus and 2 cards; three groups with mins; jobs wherever there is room, and who waits."""
    mins = [(draw(st.integers(0, 4)), draw(st.integers(0, 1))) for _ in range(3)]
    groups = [
        ElasticGroup(name, min={"cpus": cpus, "gpus": gpus}, max={"cpus": 12, "gpus": 4})
        for name, (cpus, gpus) in zip("abc", mins)
    ]
    scene = Scene(ElasticQuotas(tuple(groups)))
    for node in ("node1", "node2"):
        scene.machine(node, 6, gpus=2)
        left, cards = 6, 2
        for number, (cpus, gpus) in enumerate(draw(st.lists(st.sampled_from(SHAPES), max_size=6))):
            if cpus > left or gpus > cards:
                continue
            left, cards = left - cpus, cards - gpus
            scene.runs(
                f"{node[-1]}.{number}", draw(st.sampled_from("abc")), node, draw(st.sampled_from("xy")), cpus, gpus,
                started=NOW - draw(st.integers(0, 5000)), JobPrio=draw(st.integers(-1, 1)),
            )  # fmt: skip
    for number, (cpus, gpus) in enumerate(draw(st.lists(st.sampled_from(SHAPES), max_size=3))):
        scene.waits(
            f"{number + 10}.0",
            draw(st.sampled_from("abc")),
            draw(st.integers(1, 4)),
            "z",
            cpus,
            gpus,
        )
    return scene


LIMITS = st.builds(
    ReclaimLimits,
    over_for=st.just(0), need_for=st.just(0), settle_time=st.just(0), min_runtime=st.integers(0, 2000),
    pool_percent=st.sampled_from([1.0, 25.0, 100.0]), group_jobs=st.integers(0, 6), user_jobs=st.integers(0, 4),
    day_jobs=st.integers(0, 8), groups=st.just({}), day_hours=st.sampled_from([0.0, 5.0, 1000.0]),
)  # fmt: skip


@settings(max_examples=60)
@given(scenes(), LIMITS, st.booleans())
def test_a_plan_keeps_its_word(scene: Scene, limits: ReclaimLimits, confirm: bool) -> None:
    """Mins, limits, the whole vector, and that nothing is taken without need; the order of what is seen is nothing."""
    outcome, observation, pool = scene.look()
    plan = plan_reclaim(outcome, observation, pool, limits, confirm=confirm)
    _mins_are_kept(plan, outcome)
    _limits_are_kept(plan, limits, len(observation.claims))
    for victim in plan.evictions:
        assert victim.ran >= limits.min_runtime
        assert victim.helps
        standing = outcome[victim.group]
        assert all(standing.over[name] > 0 and victim.amounts[name] > 0 for name in victim.helps)
    _everything_is_needed(plan, outcome, observation, pool)
    turned = replace(observation, claims=observation.claims[::-1], idle=observation.idle[::-1])
    assert plan == plan_reclaim(outcome, turned, pool, limits, confirm=confirm)


def _mins_are_kept(plan: ReclaimPlan, outcome: ElasticOutcome) -> None:
    gone: dict[str, Counter[str]] = {}
    for victim in plan.evictions:
        gone.setdefault(victim.group, Counter()).update(victim.amounts)
    for group, amounts in gone.items():
        standing = outcome[group]
        for name, least in standing.scaled_min.items():
            assert standing.used[name] - amounts[name] >= min(least, standing.used[name])


def _limits_are_kept(plan: ReclaimPlan, limits: ReclaimLimits, claims: int) -> None:
    assert len(plan.evictions) <= max(1, int(claims * limits.pool_percent / 100))
    assert len(plan.evictions) <= limits.day_jobs
    assert plan.lost_weight_hours <= limits.day_hours
    assert all(
        count <= limits.group_jobs
        for count in Counter(each.group for each in plan.evictions).values()
    )
    assert all(
        count <= limits.user_jobs
        for count in Counter(each.submitter for each in plan.evictions).values()
    )
    uses = Counter(each.group for each in plan.uses)
    needs = {each.group: each.jobs for each in plan.needs}
    assert all(count <= needs[group] for group, count in uses.items())


def _everything_is_needed(
    plan: ReclaimPlan, outcome: ElasticOutcome, observation: ElasticObservation, pool: Pool
) -> None:
    """Who comes to a place has room there with all of its victims, and not without any one of them."""
    rooms, by_id = FreeSpaces(pool), {job.id: job for job in pool.jobs or ()}
    served = waiting_jobs(observation, pool, UsageLedger(outcome), rooms).served
    for place in {rooms.place(victim.slot) for victim in plan.evictions}:
        slots = [victim.slot for victim in plan.evictions if rooms.place(victim.slot) == place]
        coming = [by_id[use.job] for use in plan.uses if use.place == place]
        jobs = [
            *served.get(place, ()),
            *(Autocluster(job.frame, job, Counter(), Counter()) for job in coming),
        ]
        assert coming
        assert rooms.fit(place, slots, jobs)
        assert not any(
            rooms.fit(place, [slot for slot in slots if slot != each], jobs) for each in slots
        )
