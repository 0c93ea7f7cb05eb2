"""Simulations of a made-up pool for tests of their reports: groups, names that would break out, many machines."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.machines import Machine
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.course.single import run_single
from htcq.simulate.what_if import WhatIf, changed_pool
from tests.audit.sites import job, pool, slot, submitter

#: Without dots: one stands between a group and its user.
SCRIPT = "<script>document['title']='stolen'</script>"
LONG = "physics.a_group_with_quite_a_long_name_of_its_own"
CONFIG = f"""
GROUP_NAMES = physics, {LONG}, biology, chemistry
GROUP_QUOTA_physics = 16
GROUP_QUOTA_{LONG} = 8
GROUP_QUOTA_biology = 12
GROUP_QUOTA_chemistry = 4
"""
WHO = ("physics.ann", f"{LONG}.art", "biology.ben", f"chemistry.{SCRIPT}")
CHANGES = (("GROUP_QUOTA_biology", "26"), ("--demand", "physics=x2"))
PLAN = Plan(cycles=30, interval_seconds=120.0)
#: More than are drawn one by one.
CROWD = 20_000


def _pool(config: str, users: tuple[str, ...] = WHO, jobs: int = 30) -> Pool:
    machines = [slot(f"slot1@node{number}") for number in range(1, 7)]
    asking = [submitter(f"{who}@site", IdleJobs=jobs, WeightedIdleJobs=jobs) for who in users]
    queues = [
        job(f"{cluster}.{proc}", AccountingGroup=f'"{who}"', RequestMemory=3000)
        for cluster, who in enumerate(users, 1)
        for proc in range(jobs)
    ]
    given = pool(*machines, *asking, jobs=queues, config=config)
    return replace(given, source="cm.example.net", taken_at="2026-11-02T08:15:00+00:00")


def _course(given: Pool, plan: Plan = PLAN) -> Course:
    return run_course(given, plan, run_time("exponential:900"), Random(7))


POOL = _pool(CONFIG)
_OTHER = changed_pool(
    _pool(CONFIG.replace("GROUP_QUOTA_biology = 12", "GROUP_QUOTA_biology = 26")),
    WhatIf(demand=(("physics", 2.0),)),
)
PLAIN = _pool("", ("ann", "ben"))
BEFORE, AFTER = _course(POOL), _course(_OTHER)
UNGROUPED = _course(PLAIN)
ONE, OTHER, PLAIN_ONE = run_single(POOL), run_single(_OTHER), run_single(PLAIN)


def crowd(course: Course = BEFORE, count: int = CROWD) -> Course:
    """Return ``course`` with so many machines of 64 cpus, from none of them in claims to all."""
    machines = tuple(
        Machine(
            f"node{number:05}.example.net",
            64.0,
            float(number % 65),
            262144.0,
            4096.0 * (number % 65),
        )
        for number in range(count)
    )
    return replace(course, machines=machines)
