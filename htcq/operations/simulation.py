"""One simulation of a pool, changed or not: a cycle of its negotiator, or several.

``htcq simulate`` prints the result, and each item of a sweep keeps it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from htcq.errors import EXIT_FINDINGS, EXIT_FINE
from htcq.operations.changed_pool import tell_knobs, tell_omissions, tell_unit
from htcq.operations.health import check_configuration, check_jobs, marked, told_ailments
from htcq.operations.machine_knobs import check_central, with_machine_changes
from htcq.operations.pool_source import (
    Files,
    OpenSource,
    Source,
    confine_to,
    open_source,
    read_open,
)
from htcq.pool.users import not_asked
from htcq.report.printable import tell
from htcq.settings.changes import Changes, MachineChange
from htcq.simulate.as_version import VersionChange, version_changes
from htcq.simulate.older_reading import as_negotiator_reads
from htcq.simulate.unmodelled import unmodelled
from htcq.simulate.what_if import WhatIf, changed_pool

if TYPE_CHECKING:
    from htcq.operations.finished_jobs import PastFile
    from htcq.pool.pool import Pool
    from htcq.poolquota.ailment import Ailment
    from htcq.simulate.course.course import Course, Plan, SeveralCycles
    from htcq.simulate.course.single import Single


@dataclass(frozen=True)
class Simulation:
    """What is asked for.

    ``changes`` are knobs of the central manager, ``arrivals`` jobs of another file, ``what``
    other machines, models and demand, ``options`` those of them that a report shows beside
    ``changes``. ``course`` is None where one cycle is asked for. ``order`` is that of submitters
    which HTCondor leaves open.
    """

    source: Source
    changes: Changes = ()
    arrivals: PastFile | None = None
    what: WhatIf = field(default_factory=WhatIf)
    options: Changes = ()
    course: SeveralCycles | None = None
    order: Sequence[str] = ()
    skip_bad_slots: bool = False
    #: Knobs of access points and execution points.
    machine_changes: tuple[MachineChange, ...] = ()


@dataclass(frozen=True)
class Subject:
    """The pool as it is and as it would be (None: unchanged), and the faults of its daemons.

    ``versions`` is what other versions of HTCondor change.
    """

    pool: Pool
    changed: Pool | None
    changes: Changes
    health: tuple[Ailment, ...]
    versions: tuple[VersionChange, ...] = ()


def read_subject(asked: Simulation, files: Files = ()) -> Subject:
    """Read the pool, in a process that can write nothing but ``files``, and change it in thought.

    Raises:
        HtcqError: it cannot be read, or has no jobs, or no configuration that could be changed.
    """
    opened = opened_for(asked)
    confine_to([opened], files, cycles_of(asked))
    return _subject_in(opened, asked)


def opened_for(asked: Simulation) -> OpenSource:
    """Open the files of the pool.

    Raises:
        HtcqError: there is none, or it cannot be asked.
    """
    return open_source(asked.source, asked.changes, asked.arrivals)


def cycles_of(asked: Simulation) -> int:
    """Return the number of cycles."""
    return 1 if asked.course is None else asked.course.cycles


def _subject_in(opened: OpenSource, asked: Simulation) -> Subject:
    pool = read_open(opened, asked.changes, asked.arrivals)
    check_jobs(pool)
    check_configuration(pool)
    missing = not_asked(pool)
    if missing:
        tell(f"htcq: {pool.source}: {missing}")
    changed = _changed(pool, asked)
    machines = tuple((each.named, each.value) for each in asked.machine_changes)
    options, versions = (*asked.changes, *machines, *asked.options), asked.what.versions
    if changed is not None:
        changed = as_negotiator_reads(changed)
    pool = as_negotiator_reads(pool)
    return Subject(
        pool, changed, options, told_ailments(pool), tuple(version_changes(pool, versions))
    )


def _changed(pool: Pool, asked: Simulation) -> Pool | None:
    """Return the pool as it would be; None where nothing is changed."""
    configured = replace(pool, central=pool.changed) if asked.changes else pool
    changed = None
    if asked.changes or asked.what or asked.machine_changes:
        check_central(pool, asked.changes)
        changed = changed_pool(configured, asked.what)
        changed = with_machine_changes(changed, asked.machine_changes)
    if asked.changes:
        tell_knobs(pool, configured)
    if changed is not None:
        tell_omissions(pool, changed)
        tell_unit(configured, changed, asked.what)
    return changed


def one_cycle(asked: Simulation, subject: Subject) -> tuple[Single, Single | None]:
    """Return the next cycle of the pool as it is, and as it would be."""
    from htcq.simulate.course.single import run_single

    def single(pool: Pool) -> Single:
        found = run_single(pool, asked.order, asked.skip_bad_slots)
        notes = (*found.trace.unmodelled, *unmodelled(pool))
        return replace(found, trace=replace(found.trace, unmodelled=notes))

    now = single(subject.pool)
    if subject.changed is None:
        return now, None
    return now, single(subject.changed)


def several_cycles(
    asked: Simulation, subject: Subject, course: SeveralCycles
) -> tuple[Course, Course | None]:
    """Return the course of the pool as it is, and as it would be."""
    # A course leaves circles of objects behind in every cycle, which the process does not collect
    # by itself.
    gc.freeze()
    gc.enable()
    plan = course.plan(subject.pool)
    now = _course(subject.pool, asked, course, plan)
    if subject.changed is None:
        return now, None
    return now, _course(subject.changed, asked, course, plan)


def _course(pool: Pool, asked: Simulation, course: SeveralCycles, plan: Plan) -> Course:
    from htcq.report.terminal import with_progress
    from htcq.simulate.course.course import run_course

    def numbers(cycles: range) -> Iterator[int]:
        return with_progress(cycles, lambda number: f"cycle {number + 1}")

    found = run_course(
        pool,
        plan,
        course.runs,
        Random(course.seed),
        asked.order,
        asked.skip_bad_slots,
        numbers,
    )
    return replace(found, unmodelled=(*found.unmodelled, *unmodelled(pool, courses=True)))


def status_of(crash: object, subject: Subject) -> int:
    """Return the exit status: a finding where the negotiator would ``crash``.

    Where the pool is not healthy it is unknown.
    """
    return marked(EXIT_FINE if crash is None else EXIT_FINDINGS, subject.health)


def cycle_printed(now: Single, then: Single | None, subject: Subject) -> dict[str, Any]:
    """Return one cycle for JSON, with that of the changed pool if there is one."""
    from htcq.report.views.cycle import cycle_json, what_if_cycle_json

    return (
        cycle_json(now, subject.pool)
        if then is None
        else what_if_cycle_json(now, then, subject.pool, subject.changes, subject.versions)
    )


def course_printed(
    now: Course, then: Course | None, course: SeveralCycles, subject: Subject
) -> dict[str, Any]:
    """Return several cycles for JSON, with those of the changed pool if there is one."""
    from htcq.report.views.course import course_json, what_if_course_json

    plan, seed = course.plan(subject.pool), course.seed
    if then is None:
        return course_json(now, plan, seed, subject.pool)
    return what_if_course_json(
        now, then, plan, seed, subject.pool, subject.changes, subject.versions
    )


def simulated(asked: Simulation, opened: OpenSource) -> tuple[int, dict[str, Any]]:
    """Simulate the pool whose files are ``opened``; return the exit status, and all of it for JSON.

    Raises:
        HtcqError: as :func:`read_subject`.
    """
    subject = _subject_in(opened, asked)
    if asked.course is None:
        now, then = one_cycle(asked, subject)
        return status_of((then or now).trace.crash, subject), cycle_printed(now, then, subject)
    before, after = several_cycles(asked, subject, asked.course)
    return status_of((after or before).crash, subject), course_printed(
        before, after, asked.course, subject
    )
