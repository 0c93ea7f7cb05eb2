"""The actions on slots that are lent: record, take back, resume, and release ceilings.

Each holds the lock of the journal, and writes what was done to the system's log.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.elastic.reclaim.reclaim_events import Origin, ResumeEvent
from htcq.elastic.reclaim.reclaim_history import DAY
from htcq.errors import JournalError, PoolError, RefusedError
from htcq.live.userprio import UserPriorities
from htcq.live.vacating import queues_of
from htcq.operations.ceilings import Ceilings
from htcq.operations.operator import operator
from htcq.operations.plan_reclaim import plan_reclaim, priorities_of, why_stopped
from htcq.operations.pool_source import open_source
from htcq.operations.reclaim import Reclaimer
from htcq.operations.system_log import log_change
from htcq.operations.trusted import refuse_shared
from htcq.store.elastic_journal import Journal
from htcq.store.lock import held
from htcq.store.reclaim_journal import ReclaimJournal

if TYPE_CHECKING:
    from htcq.live.captured import Captured
    from htcq.live.reconfig import Negotiator
    from htcq.operations.ceilings import Listed
    from htcq.operations.plan_reclaim import Reclaiming, ReclaimRequest
    from htcq.operations.pool_source import Source
    from htcq.operations.reclaim import ReclaimReport
    from htcq.operations.reclaim_record import ObservedReclaim

_COMMAND = "elastic reclaim"
#: An action that is under way ends after its present batch.
_ACTION_SECONDS = 60.0
#: A write that is under way ends within some cycles; its journal is read every so many seconds.
_WRITE_SECONDS, _PAUSE = 180.0, 1.0


def record_state(source: Source, wanted: ReclaimRequest) -> ObservedReclaim:
    """Record what is observed, and whether earlier actions were of use; return it with the plan.

    Raises:
        HtcqError: the pool cannot be read, or must not be acted on, or the journal cannot be
            written.
    """
    with _alone(wanted):
        found, _ = _recorded(source, wanted)
    return found


def take_back(source: Source, wanted: ReclaimRequest) -> tuple[ObservedReclaim, ReclaimReport]:
    """Record what is observed, then do what the plan says; return both.

    Raises:
        HtcqError: as :func:`record_state`.
    """
    with _alone(wanted):
        found, reclaimer = _recorded(source, wanted)
        report = reclaimer.act(found)
        _log(wanted, report)
    return found, report


def begin_again(source: Source, wanted: ReclaimRequest) -> None:
    """Resume after a stop: earlier actions that were of no use no longer count.

    Raises:
        HtcqError: the pool cannot be read, or the journal cannot be written.
    """
    with _alone(wanted):
        negotiator = _reclaimer(source, wanted).negotiator
        wanted.journal.append(ResumeEvent(Origin(time.time(), operator(), negotiator)))
        log_change(_COMMAND, f"{wanted.limits.journal}: begun again after a stop")


def release_ceilings(source: Source, wanted: ReclaimRequest) -> tuple[bool, list[str]]:
    """Take all ceilings of ours away; return whether all are gone, and messages.

    Raises:
        HtcqError: the pool cannot be read, its negotiator does not answer, or the journal cannot be
            written.
    """
    messages: list[str] = []
    with _alone(wanted):
        ceilings = _reclaimer(source, wanted).ceilings
        ceilings.recognize(messages)
        gone = ceilings.release(sorted(ceilings.own), messages)
        for each in messages:
            log_change(_COMMAND, f"{wanted.limits.journal}: {each}", failed=not gone)
    return gone, messages


def release_by_journal(name: str, negotiator: Negotiator) -> Iterator[str]:
    """Take away all ceilings of ours that the journal ``name`` knows; yield what was done.

    The pool is not read; an action that is under way ends before that.

    Raises:
        PoolError: a ceiling is still there.
        HtcqError: the negotiator does not answer, or the journal cannot be read or written.
    """
    journal = ReclaimJournal(Path(name))
    if not journal.negotiators_with_ceilings():
        return
    with held(journal.lock, f"process {os.getpid()}, {operator()}", _ACTION_SECONDS):
        for each in journal.negotiators_with_ceilings():
            messages: list[str] = []
            priorities = UserPriorities(
                negotiator.pool, negotiator.name, timeout=negotiator.timeout
            )
            ceilings = Ceilings(journal, priorities, each, 0, operator())
            ceilings.recognize(messages)
            gone = ceilings.release(sorted(ceilings.own), messages)
            for message in messages:
                log_change(_COMMAND, f"{journal.path}: {message}", failed=not gone)
            yield from messages
            if not gone:
                raise PoolError("a ceiling is still there", "'htcq elastic reclaim release'")


def list_ceilings(source: Source, wanted: ReclaimRequest) -> list[Listed]:
    """Return every ceiling that is in force or should be.

    Raises:
        HtcqError: the pool cannot be read, or its negotiator does not answer.
    """
    return _reclaimer(source, wanted).ceilings.listed()


def _planned(source: Source, wanted: ReclaimRequest) -> Reclaiming:
    """Return what is observed, once more if a write began or ended meanwhile."""
    before = _last_of_writer(wanted)
    found = plan_reclaim(source, wanted)
    if found.found.refusals and _last_of_writer(wanted) != before:
        found = plan_reclaim(source, wanted)
    return found


def _last_of_writer(wanted: ReclaimRequest) -> int:
    """Wait for a write that is under way; return the number of the last record of the writer.

    The negotiator shows a write only after a cycle. The write of a writer that was killed never
    ends: it is waited for as long as it could take.
    """
    journal = Journal(Path(wanted.gates.journal))
    try:
        while (intent := journal.state.unfinished) is not None:
            if not 0 <= time.time() - intent.time < _WRITE_SECONDS:
                break
            time.sleep(_PAUSE)
        return journal.state.last
    except JournalError:
        # The plan says so.
        return 0


@contextlib.contextmanager
def _alone(wanted: ReclaimRequest) -> Iterator[None]:
    with held(wanted.journal.lock, f"process {os.getpid()}, {operator()}"):
        yield


def _recorded(source: Source, wanted: ReclaimRequest) -> tuple[ObservedReclaim, Reclaimer]:
    limits = wanted.limits
    refuse_shared(wanted.journal.path, "the journal")
    wanted.journal.shorten(max(DAY, 2 * max(limits.over_for, limits.need_for)) + limits.max_gap)
    planned = _planned(source, wanted)
    found = planned.found
    if found.refusals:
        more = ""
        if len(found.refusals) > 1:
            more = f" (and {len(found.refusals) - 1} more)"
        raise RefusedError(
            f"nothing is taken back: {found.refusals[0]}{more}",
            "'htcq elastic reclaim plan' prints the whole plan",
        )
    reclaimer = _reclaimer_of(source, wanted, planned.daemons)
    history = wanted.journal.history(found.plan.negotiator)
    reclaimer.record(found.plan, history, found.seen)
    return found, reclaimer


def _reclaimer(source: Source, wanted: ReclaimRequest) -> Reclaimer:
    """Return what acts on the pool, after asking for all of it but its queues."""
    from dataclasses import replace

    # Nothing of it is evaluated: where the daemons are is known from the query.
    return _reclaimer_of(source, wanted, open_source(replace(source, queues=False)).captured)


def _reclaimer_of(source: Source, wanted: ReclaimRequest, daemons: Captured | None) -> Reclaimer:
    if daemons is None:
        raise PoolError(f"{source.name} is no live pool", "jobs are taken back from a live pool")
    negotiator = source.negotiator or daemons.negotiator
    if not negotiator:
        # The journal has ceilings, and what was vacated, by its name.
        raise PoolError(
            f"{source.name}: the collector has no ad of a negotiator",
            "is condor_negotiator running?",
        )
    priorities = priorities_of(source, daemons, negotiator)
    ceilings = Ceilings(wanted.journal, priorities, negotiator, wanted.limits.lease, operator())
    queues = queues_of(daemons.schedds, source.pool, source.timeout)
    return Reclaimer(
        wanted.journal, ceilings, queues, wanted.limits, negotiator, operator(),
        lambda: _why_stopped_now(wanted),
    )  # fmt: skip


def _why_stopped_now(wanted: ReclaimRequest) -> str:
    """Return why no further batch may be vacated, once no write is under way."""
    _last_of_writer(wanted)
    return why_stopped(wanted)


def _log(wanted: ReclaimRequest, report: ReclaimReport) -> None:
    journal = wanted.limits.journal
    for eviction in report.vacated:
        log_change(_COMMAND, f"{journal}: vacated {eviction.job} of {eviction.schedd}")
    for eviction, why in report.failed:
        message = f"{journal}: not vacated: {eviction.job} of {eviction.schedd}: {why}"
        log_change(_COMMAND, message, failed=True)
    for message in report.messages:
        log_change(_COMMAND, f"{journal}: {message}")
