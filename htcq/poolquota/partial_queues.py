"""Submitters that have idle jobs by their ads, and of whose jobs the capture has none.

``condor_q -long`` without -allusers has the jobs of one user; then groups have a demand, and nobody
knows for what it waits. A schedd of which the collector has no ad is not asked by anybody, and the
negotiator, which goes by the ads of submitters, still asks it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from htcq.poolquota.ailment import Ailment, ObservedPool
from htcq.units import first_named

PARTIAL = "queues-partial"
#: Of all idle jobs: queues empty themselves in the minutes between an ad and the capture.
_MAX_MISSING = 0.5


def partial_queues(seen: ObservedPool, others: Collection[str]) -> Iterator[Ailment]:
    """Yield an ailment where the capture lacks most jobs of the schedds but of ``others``."""
    jobs = seen.pool.jobs
    if jobs is None:
        return
    have = {(job.access_point.lower(), job.submitter.lower()) for job in jobs}
    every, missing, lacking, lost = 0, 0, list[str](), dict[str, None]()
    advertised = {"", *(record.name for record in seen.pool.schedds)}
    # A capture of htcq's own asks each of these for all jobs, and says which did not answer.
    asked = advertised if seen.pool.taken_at else set()
    for record in seen.pool.submitters:
        idle, schedd = int(record.number("IdleJobs") or 0), record.text("ScheddName")
        if idle <= 0 or schedd in others or "@" not in record.name:
            continue
        name = record.name.lower()
        every += idle
        if schedd in asked:
            continue
        if not have & {(schedd.lower(), name), ("", name)}:
            missing += idle
            lacking.append(record.name)
            lost.update(dict.fromkeys({schedd} - advertised))
    least = 0 if lost and seen.pool.schedds else _MAX_MISSING * every
    if not missing or missing < least:
        return
    why = "condor_q needs -allusers"
    if lost:
        why = f"the collector has no ad of {first_named(list(lost), 1)}"
    yield Ailment(
        PARTIAL,
        f"the queues that were read have no job of {first_named(lacking, 1)}, of whom the "
        f"collector counts {missing} idle jobs: why these wait is not known ({why})",
        certain=False,
    )
