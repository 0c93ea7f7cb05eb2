"""The schemas of ``htcq simulate --cycles --json``."""

from __future__ import annotations

from htcq.report.schemas.pool import about_pool, incomplete
from htcq.report.schemas.shape import (
    Shape,
    any_number,
    keys_of,
    listing,
    maybe,
    record,
    table,
    text,
    texts,
    whole,
)
from htcq.report.schemas.simulate import UNIT, UNMODELLED, before_and_after, crash, machines, pair
from htcq.simulate.course.course import Sample
from htcq.simulate.course.difference import CourseDifference
from htcq.simulate.course.wait_stats import Wait


def course() -> Shape:
    """Return the schema for several cycles."""
    keys = {
        **about_pool(),
        "unit": text(UNIT),
        "interval_seconds": any_number("The seconds from cycle to cycle."),
        "seed": whole("The seed of the random numbers."),
        "total_cpus": any_number("How many cpus the pool has."),
        "full_at": maybe(
            any_number("The seconds until 99 % of the cpus were in claims first; null if never.")
        ),
        "cycles": listing("The cycles.", record("A cycle.", _sample())),
        "waits": listing(
            "How long the jobs of each submitter waited.", record("A submitter.", _wait())
        ),
        "machines": machines("The machines after the last cycle."),
        "lost_cpu_hours": table(
            "For how many hours of cpus jobs had run that lost their claims, by group.",
            any_number("The hours."),
        ),
        "crash": maybe(crash()),
        "unmodelled": texts(UNMODELLED),
        "incomplete": incomplete(),
    }
    return record("What 'htcq simulate --cycles --json' prints.", keys)


def what_if() -> Shape:
    """Return the schema for several cycles before and after a change."""
    difference = keys_of(
        CourseDifference,
        kind=text("What it is about.", "group", "submitter"),
        name="The name of the group or submitter.",
        used=pair("What it uses on average."),
        asked=pair("How many of its jobs wanted to start at all."),
        because="A sentence that says where the difference comes from.",
    )
    return before_and_after(
        "What 'htcq simulate --cycles --json' prints of a what-if.", course(), difference
    )


def _sample() -> dict[str, Shape]:
    return keys_of(
        Sample,
        at="The seconds since the capture.",
        matches="How many matches the cycle makes.",
        rejections="How many requests it rejects.",
        started="How many jobs have started since the cycle before.",
        running="How many jobs run.",
        idle="How many jobs are idle.",
        cpus="How many cpus are in claims.",
        used="What all submitters use.",
        largest_cpus="The most cpus that are free in one slot.",
        largest_memory_mb="The most memory in MB that is free in one slot.",
        groups="What each group uses.",
        quotas="What each group is promised.",
        submitters="What each submitter uses.",
        by_fill=(
            "How many machines have no cpus in claims, up to a quarter, half, three quarters, "
            "less than all, all."
        ),
        preempted="How many of the matches preempt a claim.",
        reused="How many of them started in the claim of a job that had ended.",
    )


def _wait() -> dict[str, Shape]:
    return keys_of(
        Wait,
        submitter="The name of the submitter.",
        started="How many of its jobs started.",
        waiting="How many still wait.",
        mean="The mean wait in seconds; null where no job started.",
        median="The median wait in seconds; null where no job started.",
        longest="The longest wait in seconds; null where no job started.",
    )
