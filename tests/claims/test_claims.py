"""Claims of one Claims object: what it remembers belongs to the jobs that it was asked for."""

from __future__ import annotations

from collections import Counter

from htcq.claims.claim import Claims
from htcq.claims.startds import StartdTable
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot_class import slot_classes
from tests.audit.sites import job, policy_slot, pool, slot


def test_jobs_that_nobody_keeps_are_not_taken_for_later_ones() -> None:
    """Each autocluster here is gone when the next one comes, and may stand at its address."""
    jobs = [job(f"{each}.0", RequestMemory=each * 128) for each in range(1, 33)]
    site = pool(slot(Cpus=8, Memory=16384), jobs=jobs)
    (kind,) = slot_classes(site.slots or ())
    claims = Claims(StartdTable({}))
    found = (
        claims.of(kind, Autocluster(each.frame, each, Counter(), Counter()))
        for each in site.jobs or ()
    )

    assert [claim.got["memory"] for claim in found] == [each * 128 for each in range(1, 33)]


def test_what_htcq_configured_is_carved_as_the_negotiator_saw_it() -> None:
    """Without the startd's configuration HTCondor's defaults hold: memory is rounded up to 128 MB."""
    small = pool(jobs=[job(RequestMemory=1)]).jobs or ()
    got = []
    for marked in ({}, {"HtcqModel": '"linear"'}):
        site = pool(policy_slot(ConsumptionMemory="TARGET.RequestMemory", **marked))
        (kind,) = slot_classes(site.slots or ())
        jobs = Autocluster(small[0].frame, small[0], Counter(), Counter())
        got.append(Claims(StartdTable({})).of(kind, jobs).got["memory"])

    assert got == [128, 1]
