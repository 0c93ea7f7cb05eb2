"""Restores former quotas from the journal, whatever became of the quotas' own file.

No pool is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from htcq.elastic.activity import activity_of
from htcq.elastic.journal import (
    DEAD_MAN,
    DISABLE,
    INTENT,
    OFF,
    ON,
    RESTORE,
    ROLLBACK,
    VERIFIED,
    JournalRecord,
)
from htcq.elastic.quota_file import digest_of
from htcq.errors import HtcqError, InputError, PoolError, RefusedError
from htcq.live.reconfig import Negotiator
from htcq.operations.operator import instance_of, operator
from htcq.operations.quota_writer import Writer
from htcq.operations.reclaim_steps import release_by_journal
from htcq.operations.trusted import refuse_shared
from htcq.report.printable import tell
from htcq.store.elastic_journal import read_journal
from htcq.store.history_clock import clock_now

_WRONG_CLOCK = "this machine's clock is before the installation of htcq, and so wrong"


def writer_of_journal(
    name: str, pool: str, negotiator: str, timeout: float, within: float
) -> Writer | None:
    """Return the writer of the file that the journal ``name`` is about; None if about no file.

    Damage in the journal is reported on standard error.

    ``pool`` and ``negotiator`` are those of the last write where they are empty. ``timeout``, for
    each question, and ``within``, for the negotiator to show quotas, are in seconds.

    Raises:
        InputError: others can write it: it says which file is written, and what.
        JournalError: it cannot be read.
    """
    refuse_shared(Path(name), "the journal")
    journal = read_journal(Path(name))
    for warning in journal.warnings():
        tell(f"htcq: {warning}")
    last = next((each for each in reversed(journal.records) if each.path), None)
    if last is None:
        return None
    return Writer(
        Path(last.path),
        journal,
        Negotiator(pool or last.pool or None, negotiator or last.negotiator, timeout),
        within,
        instance_of(name),
        operator(),
        pool or last.pool,
    )


def roll_back(writer: Writer) -> Iterator[str]:
    """Put the former file back, and yield as sentences what was done.

    Raises:
        HtcqError: it could not be; the journal says what is there.
    """
    with writer.alone():
        for told in writer.finish():
            yield f"finished: {told}"
        yield _rolled_back(writer)


def disable(writer: Writer, silence: float | None) -> str:
    """Put the static quotas in place, if they are not, and return in a sentence what was done.

    With ``silence`` in seconds only if nothing has succeeded for so long.

    Raises:
        HtcqError: it could not be; the journal says what is there.
    """
    if silence is not None:
        silent_for = writer.journal.silent_for(clock_now())
        if silent_for is None:
            tell(f"htcq: {writer.path}: {_WRONG_CLOCK}")
            return f"{writer.path}: left alone; it is not known when something succeeded"
        if silent_for <= silence:
            return f"{writer.path}: left alone; something succeeded {silent_for:.0f} s ago"
    with writer.alone():
        return _disabled(writer, silence is not None)


def give_back(writer: Writer) -> str:
    """Put the file back as it was before the first write; return in a sentence what was done.

    Raises:
        HtcqError: it could not be; the journal says what is there.
    """
    with writer.alone():
        writer.resolve()
        state = writer.state()
        if not state.origin:
            return f"{writer.path}: unchanged; it is as it was before the first write"
        if digest_of(state.origin_text) != state.origin_digest:
            raise RefusedError(
                f"{writer.path}: what the journal keeps of it is not what was there",
                "'htcq elastic off' writes the static quotas",
            )
        writer.write(JournalRecord(0, 0.0, INTENT, what=OFF, asked=True, text=state.origin_text))
    done = "is, byte for byte, what it was before the first write"
    if state.origin_text is None:
        done = "is removed, as there was none before the first write"
    return f"{writer.path}: {done}"


def switch_off(writer: Writer, restore: bool, reclaim: str) -> Iterator[str]:
    """Stop all that acts and yield as sentences what was done.

    The file has the static quotas, or with ``restore`` what was there before the first write. The
    ceilings that the journal ``reclaim`` knows are removed, also if the negotiator does not show
    the quotas.

    Raises:
        HtcqError: something could not be done; the journals say what is there.
    """
    failure = None
    try:
        if restore:
            yield give_back(writer)
        else:
            yield disable(writer, None)
    except HtcqError as error:
        failure = error
    yield from release_by_journal(reclaim, writer.negotiator)
    if failure is not None:
        raise failure


def switch_on(writer: Writer, max_failures: int) -> str:
    """Let the writer and reclaim act again; return in a sentence whether they were stopped.

    Raises:
        JournalError: the journal cannot be written.
    """
    with writer.alone():
        activity = activity_of(writer.state(), max_failures)
        if activity.writes:
            return f"{writer.path}: unchanged; {activity.sentence}"
        writer.add(JournalRecord(0, 0.0, ON, asked=True, told=activity.why))
    return f"{writer.path}: on again; the next step of 'htcq elastic run' writes"


def _rolled_back(writer: Writer) -> str:
    state = writer.state()
    last = state.in_force
    if last is None:
        return f"{writer.path}: nothing is in force that could be rolled back"
    if last.what == ROLLBACK or (last.what == RESTORE and state.stopped):
        return f"{writer.path}: unchanged; the last write was rolled back already"
    undone = last.what != RESTORE
    text = state.former_text if undone else last.text
    quotas = (state.former.quotas if state.former is not None else {}) if undone else last.quotas
    writer.write(
        JournalRecord(
            0, 0.0, INTENT, what=ROLLBACK, asked=True, text=text, quotas=quotas, plan=last.plan
        )
    )
    done = "removed, as there was none before" if text is None else "is what it was before"
    return f"{writer.path}: {done}; {last.what} of plan {last.plan or '-'} was undone"


def _disabled(writer: Writer, dead_man: bool) -> str:
    writer.resolve()
    state = writer.state()
    present = writer.present()
    kept = bool(state.fallback) and not state.stopped
    purged = present is None and state.in_force is not None and state.in_force.text is not None
    if dead_man and present is None and not (kept and purged):
        return f"{writer.path}: nothing is there that needs to be kept"
    # A purge took the groups away as well: the static quotas bring them back.
    if dead_man and not purged and digest_of(present) != state.digest:
        raise RefusedError(
            f"{writer.path} was changed by somebody else, and is left alone",
            "'htcq elastic disable' takes it over",
        )
    if dead_man and not purged and not state.elastic:
        # Static quotas, or what was there before the first write: they need nobody.
        told = "; ".join(writer.finish())
        if writer.state().result != VERIFIED:
            raise PoolError(f"{writer.path} is in place, but {told}", "is the negotiator running?")
        return f"{writer.path}: unchanged; {told or 'nothing there needs to be kept'}"
    if not state.fallback:
        raise InputError(
            "the journal has no static quotas", "remove the file, then condor_reconfig -negotiator"
        )
    there = digest_of(present) == digest_of(state.fallback)
    if there and state.result == VERIFIED and (dead_man or state.stopped):
        return f"{writer.path}: unchanged; the static quotas are there"
    what = DEAD_MAN if dead_man else DISABLE
    writer.write(
        JournalRecord(
            0,
            0.0,
            INTENT,
            what=what,
            asked=not dead_man,
            text=state.fallback,
            quotas=state.fallback_quotas,
        )
    )
    return f"{writer.path}: the static quotas are there, and the negotiator shows them"
