"""What may be done about slots that are lent: record the state, take back, begin again, take ceilings away.

Each holds the lock of the journal, and the system's log tells what was done.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from htcq.elastic.reclaim.reclaim_history import DAY, PAYLOAD, RESUMED
from htcq.errors import RefusedError
from htcq.live.vacating import queues_of
from htcq.operations.ceilings import Ceilings
from htcq.operations.operator import operator
from htcq.operations.plan_reclaim import plan_reclaim, priorities_of
from htcq.operations.pool_source import read
from htcq.operations.reclaim import Reclaimer
from htcq.operations.system_log import log_change
from htcq.poolquota.published import Published
from htcq.store.lock import held

if TYPE_CHECKING:
    from htcq.operations.ceilings import Listed
    from htcq.operations.plan_reclaim import Observed, Wanted
    from htcq.operations.pool_source import Source
    from htcq.operations.reclaim import Report
    from htcq.pool.pool import Pool

_COMMAND = "elastic reclaim"


def record_state(source: Source, wanted: Wanted) -> Observed:
    """Record what is seen, and what became of earlier actions; return it with the plan.

    Raises:
        HtcqError: the pool cannot be read, is not to be acted on, or the journal cannot be written.
    """
    with _alone(wanted):
        found, _ = _recorded(source, wanted)
    return found


def take_back(source: Source, wanted: Wanted) -> tuple[Observed, Report]:
    """Record what is seen, then do what the plan says; return both.

    Raises:
        HtcqError: as :func:`record_state`.
    """
    with _alone(wanted):
        found, reclaimer = _recorded(source, wanted)
        report = reclaimer.act(found.plan, found.observation, found.places)
        _log(wanted, report)
    return found, report


def begin_again(source: Source, wanted: Wanted) -> None:
    """Count no more what was of no use before.

    Raises:
        HtcqError: the pool cannot be read, or the journal cannot be written.
    """
    with _alone(wanted):
        told = {"negotiator": _reclaimer(source, wanted).negotiator}
        wanted.journal.append(
            {"kind": RESUMED, "time": time.time(), "operator": operator(), PAYLOAD: told}
        )
        log_change(_COMMAND, f"{wanted.limits.journal}: begun again after a stop")


def release_ceilings(source: Source, wanted: Wanted) -> tuple[bool, list[str]]:
    """Take all ceilings of ours away; return whether all are gone, and what was done, as sentences.

    Raises:
        HtcqError: the pool cannot be read, its negotiator does not answer, or the journal cannot be
            written.
    """
    told: list[str] = []
    with _alone(wanted):
        ceilings = _reclaimer(source, wanted).ceilings
        ceilings.recognize(told)
        gone = ceilings.release(sorted(ceilings.own), told)
        for each in told:
            log_change(_COMMAND, f"{wanted.limits.journal}: {each}", failed=not gone)
    return gone, told


def list_ceilings(source: Source, wanted: Wanted) -> list[Listed]:
    """Return every ceiling that is in force or should be.

    Raises:
        HtcqError: the pool cannot be read, or its negotiator does not answer.
    """
    return _reclaimer(source, wanted).ceilings.listed()


@contextlib.contextmanager
def _alone(wanted: Wanted) -> Iterator[None]:
    with held(wanted.journal.lock, f"process {os.getpid()}, {operator()}"):
        yield


def _recorded(source: Source, wanted: Wanted) -> tuple[Observed, Reclaimer]:
    limits = wanted.limits
    wanted.journal.shorten(max(DAY, 2 * max(limits.over_for, limits.need_for)) + limits.max_gap)
    found = plan_reclaim(source, wanted)
    if found.refusals:
        more = f" (and {len(found.refusals) - 1} more)" if len(found.refusals) > 1 else ""
        raise RefusedError(
            f"nothing is taken back: {found.refusals[0]}{more}",
            "'htcq elastic reclaim plan' prints the whole plan",
        )
    reclaimer = _reclaimer_of(source, wanted, found.pool)
    reclaimer.record(found.plan, found.past)
    return found, reclaimer


def _reclaimer(source: Source, wanted: Wanted) -> Reclaimer:
    """Return what acts on the pool, after a look at all of it but its queues."""
    from dataclasses import replace

    return _reclaimer_of(source, wanted, read(replace(source, queues=False)))


def _reclaimer_of(source: Source, wanted: Wanted, pool: Pool) -> Reclaimer:
    negotiator = Published(pool, source.negotiator or pool.negotiator).negotiator
    priorities = priorities_of(source, pool, negotiator)
    ceilings = Ceilings(wanted.journal, priorities, negotiator, wanted.limits.lease, operator())
    queues = queues_of(pool.schedds, source.timeout)
    return Reclaimer(wanted.journal, ceilings, queues, wanted.limits, negotiator, operator())


def _log(wanted: Wanted, report: Report) -> None:
    for victim in report.vacated:
        log_change(_COMMAND, f"{wanted.limits.journal}: vacated {victim.job} of {victim.schedd}")
    for victim, why in report.failed:
        what = f"{wanted.limits.journal}: not vacated: {victim.job} of {victim.schedd}: {why}"
        log_change(_COMMAND, what, failed=True)
    for told in report.told:
        log_change(_COMMAND, f"{wanted.limits.journal}: {told}")
