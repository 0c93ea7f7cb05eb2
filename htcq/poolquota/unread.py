"""What a verdict on a pool needs and the capture lacks.

Without it, that nothing was found is no good news.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.pool import left_out
from htcq.pool.left_out import LeftOut
from htcq.pool.pool import Pool
from htcq.poolquota.health import foreign_schedds

#: Queries to the collector, as the capture calls them: without one of them a whole kind of ads is
#: missing.
_QUERIES = (
    "collectors",
    "negotiators",
    "schedds",
    "submitters",
    "accounting",
    "slots",
    "slot expressions",
)
_JOBS_OF = "jobs of "
#: Of the items of one kind: anybody who may advertise an ad could keep a verdict from being given
#: otherwise.
_MAX_LEFT_OUT = 0.01


def unread(pool: Pool) -> tuple[str, ...]:
    """Return what is missing as sentences; empty where all was read that a live pool has."""
    return (*pool.damage, *_many_left_out(pool), *_not_answered(pool))


def _many_left_out(pool: Pool) -> Iterator[str]:
    for each in pool.left_out:
        if each.count > _MAX_LEFT_OUT * (each.count + _of_kind(each, pool)):
            yield each.sentence


def _of_kind(each: LeftOut, pool: Pool) -> int:
    """Return how many items of that kind could be used."""
    slots, jobs = len(pool.slots or ()), len(pool.jobs or ())
    known = {
        left_out.SLOT: slots,
        left_out.ASSET: slots,
        left_out.JOB: jobs,
        left_out.SUBMITTER: len(pool.submitters),
        left_out.SCHEDD: len(pool.schedds),
        left_out.NEGOTIATOR: len(pool.negotiators),
        left_out.COLLECTOR: len(pool.collectors),
        left_out.ACCOUNT: len(pool.accounting) + len(pool.priorities),
    }
    records = sum(len(found) for found in (pool.records or {}).values())
    return known.get(each.what, slots + jobs + records)


def _not_answered(pool: Pool) -> Iterator[str]:
    foreign = foreign_schedds(pool)
    for what, why in pool.failed:
        of_schedd = what.startswith(_JOBS_OF) and what[len(_JOBS_OF) :] not in foreign
        if what in _QUERIES or of_schedd:
            yield f"{what}: {why}"
