"""What must hold of any capacity model on captured slots, and of any jobs that arrive."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from htcq.errors import InputError
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.settings import settings_from
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.job_arrivals import with_arrivals
from htcq.simulate.models import MachineModel, with_models
from tests.audit.sites import dynamic_slot, job, policy_slot, pool, slot, submitter
from tests.pool.parsed_once import read_dump

_CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "charge": st.fixed_dictionaries(
            {"cpus": st.sampled_from((0.5, 1, 2))},
            optional={"memory": st.sampled_from(("1GiB", "3GiB"))},
        ),
        "splitting": st.sampled_from(("negotiator", "scheduler")),
        "whole_charges": st.booleans(),
    },
) | st.sampled_from(
    (
        {"level": {"cpus": 2, "memory": 5}},
        {"level": {"memory": 3}, "rule": "max"},
        {"model": "fixed", "claims": 2},
        {"model": "fixed", "claims": 5, "share": "request"},
        {"preset": "memory-centric"},
        {"preset": "extensible"},
    )
)


@st.composite
def sites(draw: st.DrawFn) -> Pool:
    ads = []
    for number in range(draw(st.integers(1, 3))):
        has, taken = draw(st.integers(2, 12)), draw(st.lists(st.integers(1, 3), max_size=2))
        taken = taken if sum(taken) <= has else []
        name, memory = f"slot1@node{number}", has * 1024
        whole = {
            "TotalSlotCpus": has,
            "TotalCpus": f"{has}.0",
            "TotalSlotMemory": memory,
            "NumClaims": has,
        }
        kind = draw(st.sampled_from((slot, policy_slot)))
        left = {
            "Cpus": has - sum(taken),
            "Memory": memory - 512 * len(taken),
            "NumDynamicSlots": len(taken),
        }
        ads.append(kind(name, **{**whole, **left}))
        ads += [
            dynamic_slot(
                f"slot1_{each}@node{number}",
                "cyd@site",
                Cpus=cpus,
                Memory=512,
                TotalCpus=f"{has}.0",
            )
            for each, cpus in enumerate(taken, 1)
        ]
    jobs = [
        job(f"1.{proc}", RequestCpus=draw(st.integers(1, 2)))
        for proc in range(draw(st.integers(1, 6)))
    ]
    return pool(*ads, submitter(IdleJobs=len(jobs)), jobs=jobs, config="")


@given(sites(), _CHOICES)
@settings(max_examples=60)
def test_a_model_that_is_there_already_changes_nothing_and_none_takes_anything_away(
    site: Pool, choice: dict[str, object]
) -> None:
    types = settings_from({"capacity": choice}).slot_types
    model = [MachineModel("file", types)]
    try:
        once = with_models(site, model)
    except InputError:
        return  # it fits none of the machines
    if "scheduler" in choice.values() and types[0].choice.shares_per_core() > 1:
        return  # nothing in such a slot tells that its cpus are shares of cores
    twice = with_models(once, model)

    assert [(one[1:], one.frame.texts) for one in once.slots or ()] == [
        (other[1:], other.frame.texts) for other in twice.slots or ()
    ]
    assert run_cycle(once) == run_cycle(twice)
    shares = types[0].choice.shares_per_core()
    for before, after in zip(site.slots or (), once.slots or ()):
        changed = before.frame is not after.frame
        assert after.cpus == before.cpus * (shares if changed else 1)  # type: ignore[operator]
        assert (after.memory_mb, after.customer) == (before.memory_mb, before.customer)


@st.composite
def arriving(draw: st.DrawFn) -> Pool:
    times = draw(st.lists(st.integers(0, 900), min_size=1, max_size=8))
    seconds = draw(
        st.lists(st.sampled_from((None, 0, 90, 2000)), min_size=len(times), max_size=len(times))
    )
    past = []
    for number, (at, lasts) in enumerate(zip(times, seconds)):
        who = draw(st.sampled_from(("ada", "ben")))
        own = {
            "User": f'"{who}@site"',
            "Owner": f'"{who}"',
            "QDate": 5000 + at,
            "JobPrio": draw(st.integers(-1, 1)),
        }
        ran = (
            {}
            if lasts is None
            else {"JobStatus": 4, "LastRemoteWallClockTime": lasts, "RemoteWallClockTime": 9}
        )
        past.append(job(f"{draw(st.integers(1, 3))}.{number}", **own, **ran))
    queue = [job(f"1.{proc}") for proc in range(draw(st.integers(1, 4)))]
    ads = (draw(st.sampled_from((slot, policy_slot)))(), submitter(IdleJobs=len(queue)))
    texts = Texts(
        source="test",
        collector=lambda: ["\n".join(ads).encode()],
        jobs=lambda: ["\n".join(queue).encode()],
        central="",
        past=lambda: ["\n".join(past).encode()],
    )
    return read_pool(texts, read_dump)


def _course(site: Pool, cycles: int, seed: int = 3) -> Course:
    return run_course(site, Plan(cycles, 100.0), run_time("exponential:200"), Random(seed))


@given(arriving())
@settings(max_examples=40)
def test_whoever_arrives_starts_or_waits_and_nobody_starts_before(site: Pool) -> None:
    changed = with_arrivals(site, "file")
    found, end = _course(changed, 6), 500.0

    come = sum(each.at <= end for each in changed.arriving)
    started = sum(map(len, found.waited.values()))
    assert started + sum(found.waiting.values()) == len(site.jobs or ()) + come
    assert all(seconds >= 0 for each in found.waited.values() for seconds in each)
    assert found == _course(changed, 6)


@given(arriving())
@settings(max_examples=20)
def test_before_anybody_has_arrived_nothing_differs(site: Pool) -> None:
    changed = with_arrivals(site, "file")
    later = tuple(each for each in changed.arriving if each.at > 300)
    changed = Pool(**{**vars(changed), "arriving": later})

    assert _course(changed, 4).samples == _course(site, 4).samples
