"""Concurrency limits that depend on the slot. Outcomes as in NegotiatorLog of 23.9.6 and 25.14.1: three equal slots,
of which the first one has limits that are an empty string."""

from __future__ import annotations

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, policy_slot, pool, slot, static_slot, submitter

SLOTS = [slot(f"slot{number}@node1", SlotID=number, Cpus=1) for number in (1, 2, 3)]


def outcome(limits: str, limit: int, jobs: int = 1) -> tuple[list[str], list[str]]:
    """Return the slots that were matched, and the reasons of rejections."""
    queue = [
        job(f"5.{number}", Owner='"ann"', User='"ann@site"', ConcurrencyLimits=limits)
        for number in range(jobs)
    ]
    asks = submitter("ann@site", IdleJobs=jobs, WeightedIdleJobs=jobs)
    trace = run_cycle(pool(*SLOTS, asks, jobs=queue, config=f"LICENCE_LIMIT = {limit}\n"))
    return [each.slot for each in trace.matches], [each.reason for each in trace.rejections]


def test_a_slot_with_empty_limits_is_rejected() -> None:
    limits = 'ifThenElse(TARGET.SlotID > 1, "licence", "")'

    assert outcome(limits, 1, 2) == (["slot2@node1"], ["no match found"])


def test_a_slot_with_empty_limits_is_taken_after_others_were_exceeded() -> None:
    """The last slot comes after the limits that the negotiator remembers instead."""
    limits = 'ifThenElse(TARGET.SlotID < 3, "licence", "")'

    assert outcome(limits, 0) == (["slot3@node1"], [])


@pytest.mark.parametrize("limits", ['""', 'strcat("", "")'])
def test_empty_limits_are_rejected_in_every_slot(limits: str) -> None:
    assert outcome(limits, 5) == ([], ["no match found"])


def test_undefined_limits_are_none() -> None:
    limits = 'ifThenElse(TARGET.SlotID > 1, "licence", undefined)'

    assert outcome(limits, 0, 1) == (["slot1@node1"], [])


def test_the_negotiator_ends_where_it_is_to_name_limits_that_it_has_not_noted() -> None:
    """As on 25.14.1: the first match uses the licence up that the last slot needs as well; then nothing is noted.

    The second request finds the slots of the first one's list gone, and one of them was left out of it.
    """
    limits = 'ifThenElse(TARGET.SlotID == 1, "licence", "tape")'
    queue = [
        job(f"5.{number}", Owner='"ann"', User='"ann@site"', ConcurrencyLimits=limits)
        for number in range(3)
    ]
    asks = submitter("ann@site", IdleJobs=3, WeightedIdleJobs=3)
    config = "LICENCE_LIMIT = 1\nTAPE_LIMIT = 0\n"
    given = pool(*SLOTS[:2], asks, jobs=queue, config=config)
    trace = run_cycle(given)

    assert [each.slot for each in trace.matches] == ["slot1@node1"]
    assert trace.crash is not None
    assert (trace.crash.slot, trace.crash.job) == ("", "5.0")
    skipping = run_cycle(given, skip_bad_slots=True)
    assert skipping.crash is None
    assert [each.job for each in skipping.skipped] == ["5.0"]


def test_empty_limits_are_rejected_with_the_reason_of_the_request_before() -> None:
    """As on 23.9.6: the negotiator looks at no slot, and still has noted that a limit was exceeded."""
    queue = [
        job("5.0", Owner='"ann"', User='"ann@site"', RequestCpus=5),
        job("5.1", Owner='"ann"', User='"ann@site"', RequestCpus=3),
        job("6.0", Owner='"ann"', User='"ann@site"', ConcurrencyLimits='""'),
    ]
    others = [submitter(f"{name}@site", IdleJobs=2, WeightedIdleJobs=2) for name in ("ann", "ben")]
    slots = [policy_slot(), static_slot("slot2@node1", SlotID=2, Cpus=4, Requirements="false")]
    trace = run_cycle(pool(*slots, *others, jobs=queue))

    assert [(each.job, each.reason) for each in trace.rejections][:2] == [
        ("5.1", "submitter limit exceeded"), ("6.0", "submitter limit exceeded"),
    ]  # fmt: skip
