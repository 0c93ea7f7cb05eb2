"""Jobs and waits of a pool as a page: who waits for how long, and what the waiting jobs ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.mix import MAX_CLASSES, Taking, takings, waiting
from htcq.audit.shortage import left_of
from htcq.classads import as_number
from htcq.pool.job import HELD
from htcq.pool.pool import seconds_of
from htcq.pool.slot import PARTITIONABLE
from htcq.pool.slot_class import SlotClass
from htcq.report.moments import lasting
from htcq.report.pages.listing import Cell, listing_page, section, table
from htcq.report.pages.site_pages import JOBS
from htcq.units import amounts_of

_SUBMITTERS = (
    ("submitter", False),
    ("running", True),
    ("idle", True),
    ("held", True),
    ("median wait", True),
    ("longest wait", True),
)
_CLASSES = (
    ("autocluster, by its first job", False),
    ("idle", True),
    ("asks for", False),
    ("submitters", False),
    ("slots it fits when unused", True),
    ("of these with room now", True),
)


def jobs_page(evidence: Evidence) -> str:
    """Return the page.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    pool = evidence.pool
    if pool.jobs is None:
        told = ["The jobs of the pool could not be read: nothing is known of who waits."]
        return listing_page(JOBS, pool, told, [])
    idle = sum(job.wanted for job in pool.jobs)
    running = sum(job.running for job in pool.jobs)
    held = sum(job.status == HELD for job in pool.jobs)
    told = [f"{running:,} jobs run, {idle:,} wait and {held:,} are on hold."]
    submitters = table("waits-table", "Submitters", _SUBMITTERS, _submitters(evidence))
    classes = table("classes-table", "Waiting jobs", _CLASSES, _classes(evidence))
    note = "'htcq why JOB' explains one job."
    if len(evidence.autoclusters) > MAX_CLASSES:
        note = f"The {MAX_CLASSES} autoclusters with most idle jobs. {note}"
    sections = [
        section("waits", "Who waits", *_clock(evidence), tables=[submitters]),
        section(
            "classes",
            "What the waiting jobs ask for",
            note,
            tables=[classes],
        ),
    ]
    return listing_page(JOBS, pool, told, sections)


def _clock(evidence: Evidence) -> Iterator[str]:
    if seconds_of(evidence.pool.taken_at) is None:
        yield "The time of the capture is not known: no wait can be told."


def _submitters(evidence: Evidence) -> Iterator[list[Cell]]:
    now = seconds_of(evidence.pool.taken_at)
    counts: dict[str, list[int]] = {}
    waits: dict[str, list[float]] = {}
    for job in evidence.pool.jobs or ():
        own = counts.setdefault(job.submitter, [0, 0, 0])
        own[0] += job.running
        own[1] += job.wanted
        own[2] += job.status == HELD
        queued = as_number(job.queued_at)
        if job.wanted and queued is not None and now is not None:
            waits.setdefault(job.submitter, []).append(max(0.0, now - queued))
    longest: Mapping[str, float] = {name: max(each) for name, each in waits.items()}
    for name in sorted(counts, key=lambda each: (-counts[each][1], each)):
        numbers: list[Cell] = [(f"{count:,}", count) for count in counts[name]]
        times: list[Cell] = ["", ""]
        if name in waits:
            middle = median(waits[name])
            times = [(lasting(middle), middle), (lasting(longest[name]), longest[name])]
        yield [name, *numbers, *times]


def _classes(evidence: Evidence) -> Iterator[list[Cell]]:
    classes = waiting(evidence)
    unused = {id(jobs): 0 for jobs in classes}
    room = {id(jobs): 0 for jobs in classes}
    for kind in evidence.slot_classes_by_frame:
        for taking in takings(evidence, kind, classes):
            unused[id(taking.jobs)] += kind.count
            room[id(taking.jobs)] += _with_room(kind, taking)
    for jobs in classes:
        count = sum(jobs.idle.values())
        fits, now = unused[id(jobs)], room[id(jobs)]
        yield [
            jobs.first.full_id,
            (f"{count:,}", count),
            amounts_of(jobs.request),
            listed(name for name, _ in jobs.idle.most_common()),
            (f"{fits:,}", fits),
            (f"{now:,}", now),
        ]


def _with_room(kind: SlotClass, taking: Taking) -> int:
    if kind.type != PARTITIONABLE:
        return sum(not slot.claimed for slot in kind.slots)
    return sum(not taking.short_of(left_of(slot)) for slot in kind.slots)
