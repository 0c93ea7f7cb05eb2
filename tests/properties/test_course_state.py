"""A course comes to the same, whatever its cycles carry over from the ones before: drawn are pools in which
identities, clocks, limits, claims and weights change what cycles find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import htcq.simulate.course.course as courses
from htcq.pool.past import Arrival
from htcq.pool.pool import Pool
from htcq.simulate.course.course import Course, Plan, Seen, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.course.world import World
from htcq.simulate.cycle.cycle import CarriedOver, Cycle
from tests.audit.sites import (
    dynamic_slot,
    job,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
    user,
)

_USERS = ("ada", "ben", "eve")
_STARTS = (
    "true", "true", "true", "TARGET.RequestCpus < 3", "TARGET.ClusterId < 4", 'TARGET.Owner != "ben"',
    "time() % 600 < 300", "NumDynamicSlots < 2", "Cpus > 2", 'eval("RequestMemory") > 1024', "TARGET.ProcId == 0",
    "TARGET.SubmitterUserPrio < 800", "TARGET.QDate =?= undefined", "KFlops > 10",
)  # fmt: skip
_SLOT_RANKS = (None, "0.0", "TARGET.RequestMemory", "TARGET.ClusterId", 'TARGET.Owner == "eve"')
_WEIGHTS = (
    "Cpus",
    "Cpus",
    "max({ Cpus, Memory / 2048.0 })",
    "undefined",
    "ifThenElse(DynamicSlot =?= true, 1.5, Cpus)",
)
_REQUIREMENTS = (
    None, None, "TARGET.Memory > 2000", "TARGET.Cpus > 7", "false", 'TARGET.Machine == "node1"', "MY.ProcId > 0",
    "time() - 1700000000 > 0", "TARGET.NumDynamicSlots < 3", "TARGET.TotalSlotCpus > 4", "Wanted",
)  # fmt: skip
_JOB_RANKS = ("0.0", "TARGET.Memory", "-TARGET.Cpus", "MY.ProcId", "TARGET.KFlops")
_KNOBS = (
    "CLAIM_PARTITIONABLE_LEFTOVERS = False", "NEGOTIATOR_CONSIDER_PREEMPTION = False", "LIC_LIMIT = 2",
    "NEGOTIATOR_SLOT_CONSTRAINT = Memory > 3000", "NEGOTIATOR_USE_SLOT_WEIGHTS = False", "CLAIM_WORKLIFE = 0",
    "NEGOTIATOR_MATCHLIST_CACHING = False", "NEGOTIATOR_DEPTH_FIRST = True", "SLOT_WEIGHT = Memory / 1024",
    "NEGOTIATOR_PRE_JOB_RANK = Memory - 100 * TARGET.ProcId", "NEGOTIATOR_JOB_CONSTRAINT = RequestCpus < 3",
    "GROUP_NAMES = chem, bio\nGROUP_QUOTA_chem = 3\nGROUP_QUOTA_bio = 9\nGROUP_ACCEPT_SURPLUS_chem = True",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 1", "NEGOTIATOR_POST_JOB_RANK = -SlotID",
)  # fmt: skip
_ACCESS = ("START_VANILLA_UNIVERSE = TARGET.Cpus > 1", "START_VANILLA_UNIVERSE = OWNER.NumRunning < 2",
           "MAX_CONCURRENT_UPLOADS_PER_USER = 2", "MAX_JOBS_RUNNING = 4")  # fmt: skip


@st.composite
def machines(draw: st.DrawFn) -> list[str]:
    """Return the ads of one to four machines: partitionable slots with or without a policy, static and claimed ones."""
    found = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        name = f"slot1@node{number}"
        cpus, memory = draw(st.sampled_from((2, 4, 8))), draw(st.sampled_from((2048, 4096, 16384)))
        has: dict[str, Any] = {
            "Cpus": cpus, "TotalSlotCpus": cpus, "Memory": memory, "TotalSlotMemory": memory, "SlotID": number,
            "KFlops": draw(st.sampled_from((5, 50))), "Start": draw(st.sampled_from(_STARTS)),
            "SlotWeight": draw(st.sampled_from(_WEIGHTS)), "Rank": draw(st.sampled_from(_SLOT_RANKS)),
        }  # fmt: skip
        kind = draw(st.sampled_from((slot, slot, policy_slot, policy_slot, static_slot)))
        if kind is policy_slot:
            has["NumClaims"] = draw(st.sampled_from((1, 3, cpus)))
        claimed = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"eve@site"'}
        if kind is static_slot and draw(st.booleans()):
            has.update(claimed)
        found.append(kind(name, **has))
        if kind is slot and draw(st.booleans()):
            found.append(dynamic_slot(f"slot1_1@node{number}", "ben@site", CurrentRank="0.0"))
    return found


@st.composite
def jobs(draw: st.DrawFn, groups: Sequence[str]) -> list[str]:
    """Return the ads of up to fourteen idle jobs of three users."""
    found = []
    for _ in range(draw(st.integers(1, 14))):
        cluster, proc = draw(st.integers(1, 6)), len(found)
        owner = draw(st.sampled_from(_USERS))
        asked: dict[str, Any] = {
            "Owner": f'"{owner}"', "User": f'"{owner}@site"', "RequestCpus": draw(st.sampled_from((1, 1, 2, 3))),
            "RequestMemory": draw(st.sampled_from((1024, 1024, 2048))), "Rank": draw(st.sampled_from(_JOB_RANKS)),
            "JobPrio": draw(st.sampled_from((0, 0, 5))), "GlobalJobId": f'"access1#{cluster}.{proc}#1"',
        }  # fmt: skip
        wanted = draw(st.sampled_from(_REQUIREMENTS))
        if wanted is not None:
            asked["Requirements"] = wanted
        if draw(st.integers(0, 5)) == 0:
            asked["ConcurrencyLimits"] = draw(
                st.sampled_from(('"lic"', '"lic:2"', "TARGET.Machine"))
            )
        if draw(st.integers(0, 9)) == 0:
            asked["JobCoolDownExpiration"] = 1700000300
        if groups:
            group = draw(st.sampled_from(groups))
            asked["AccountingGroup"], asked["AcctGroup"] = f'"{group}.{owner}"', f'"{group}"'
        found.append(job(f"{cluster}.{proc}", **asked))
    return found


class Site(NamedTuple):
    """The texts of a pool: ads, jobs and when they arrive (0: they are there), users, configurations."""

    ads: list[str]
    jobs: list[str]
    arrivals: list[float]
    users: list[str]
    config: str
    access: str

    def pool(self) -> Pool:
        """Return the pool."""
        whole = pool(
            *self.ads, schedd("access1"), jobs=self.jobs, config=self.config, access={"access1": self.access},
            users=self.users or None,
        )  # fmt: skip
        timed = tuple(zip(self.arrivals, whole.jobs or ()))
        return replace(
            whole,
            taken_at="2023-11-14T22:13:20+00:00",
            jobs=tuple(each for at, each in timed if not at),
            arriving=tuple(Arrival(at, each) for at, each in timed if at),
        )


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Return a pool, some of whose jobs arrive later."""
    knobs = draw(st.lists(st.sampled_from(_KNOBS), max_size=3, unique=True))
    groups = ("chem", "bio") if any("GROUP_NAMES" in each for each in knobs) else ()
    names = [f"{group}.{each}@site" for group in groups for each in _USERS] or [
        f"{each}@site" for each in _USERS
    ]
    queue = draw(jobs(groups))
    return Site(
        [*draw(machines()), *[submitter(name, IdleJobs=9, WeightedIdleJobs=9) for name in names]],
        queue,
        [draw(st.sampled_from((0.0, 0.0, 30.0, 90.0, 300.0))) for _ in queue],
        [user("ada@site", MaxJobsRunning=draw(st.sampled_from((1, 3))))]
        if draw(st.integers(0, 3)) == 0
        else [],
        "\n".join([*knobs, ""]),
        draw(st.sampled_from(("", "", "", *_ACCESS))) + "\n",
    )


def course(site: Site, cycles: int, lasts: str, seen: Seen | None = None) -> Course:
    """Return a course of cycles a minute apart, each of which ``seen`` is shown."""
    return run_course(
        site.pool(), Plan(cycles, 60.0), run_time(lasts), Random(1), skip_bad_slots=True, seen=seen
    )


def outcome(found: Course) -> list[object]:
    """Return all that a course says, with jobs by their ids."""
    starts = [(start.job.id, start.at, start.by) for start in found.starts]
    evictions = [each._replace(job=each.job and each.job.id) for each in found.evictions]
    return [starts, evictions, replace(found, starts=(), evictions=())]


def restless(*given: Any) -> World:
    """Return a world in which something has always changed."""
    world = World(*given)
    world.runs.changes = Restless()  # type: ignore[assignment]
    return world


class Forgetful:
    """Cycles that carry nothing over but what daemons remember."""

    def __init__(self) -> None:
        self._last = CarriedOver()

    def __call__(self, pool_: Pool, order: Sequence[str], skips: bool, _: CarriedOver) -> Cycle:
        """Return the next cycle."""
        self._last = CarriedOver(self._last)
        return Cycle(pool_, order, skips, self._last)


class Restless:
    """A count of changes that is never the one of before; none, so that a course begins with the captured pool."""

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return False

    def __iadd__(self, number: int) -> Restless:
        return self


@given(sites(), st.integers(2, 8), st.sampled_from(("30", "100", "1000")))
def test_what_is_carried_over_changes_nothing(site: Site, cycles: int, lasts: str) -> None:
    """The same course with cycles that each begin with nothing, and none that is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(courses, "World", restless)
        patch.setattr(courses, "Cycle", Forgetful())
        alone = outcome(course(site, cycles, lasts))

    assert outcome(course(site, cycles, lasts)) == alone
    assert outcome(course(site, cycles, lasts, lambda *_: None)) == alone
