"""The steps of a pool's elastic quotas.

Another account has planned a step, a person agrees to it, or the loop plans its own.

Each step holds the lock of the file, does first what a former run has left to do, and is in the
journal before and after.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.elastic.activity import activity_of
from htcq.elastic.gates import OVERRIDDEN
from htcq.elastic.handover import refusals, with_known_weight
from htcq.elastic.journal import APPLY, INTENT, LOOK, REFUSED, JournalRecord
from htcq.elastic.quota_file import file_of
from htcq.emit.elastic import check_values, quota_text
from htcq.emit.managed import managed_beside
from htcq.errors import RefusedError
from htcq.live.configuration import read_configuration
from htcq.live.reconfig import Negotiator
from htcq.live.sandbox import values_with
from htcq.operations.configuration_files import target_for
from htcq.operations.operator import instance_of, operator
from htcq.operations.quota_writer import Writer
from htcq.operations.quotas_in_force import keep_accepted
from htcq.operations.serving_negotiator import at_serving
from htcq.operations.standby import follow
from htcq.report.printable import tell
from htcq.store.elastic_journal import Journal

if TYPE_CHECKING:
    from htcq.elastic.gates import GateRefusal
    from htcq.elastic.handover import Handover
    from htcq.elastic.journal import JournalState
    from htcq.elastic.serving import Serving
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.observe_and_plan import PlannedStep
    from htcq.operations.pool_source import Source
    from htcq.settings.elastic_write import WriteSettings

#: How long a cycle takes where nobody knows, in seconds.
USUAL_CYCLE = 60.0


def writer_for(source: Source, declared: Declared) -> Writer:
    """Return the writer of the file that the settings name."""
    settings = declared.settings
    return Writer(
        Path(settings.directory) / settings.file,
        Journal(Path(settings.journal)),
        Negotiator(source.pool, declared.negotiator, source.timeout),
        settings.verify_within,
        instance_of(settings.journal),
        operator(),
        source.pool or "",
    )


def doubts_of_places(settings: WriteSettings) -> Iterator[str]:
    """Yield, as sentences, which directories a write needs and are not there, or others manage."""
    for what, place in (
        ("of the quotas", Path(settings.directory)),
        ("of the journal", Path(settings.journal).parent),
    ):
        if not place.is_dir():
            missing = f"the directory {what}, {place}, is not there"
            yield f"{missing}: 'htcq elastic apply' needs it, as root's"
    managed = managed_beside(Path(settings.directory) / settings.file)
    if managed is not None:
        yield managed.sentence


def apply_by_id(
    source: Source, declared: Declared, plan: str, made: float, accept_loss: bool
) -> Iterator[str]:
    """Take the step of the present plan if that is ``plan``; yield sentences on what was done.

    ``made`` is the time at which the plan was made.

    Raises:
        RefusedError: the plan is too old, is another one by now, or must not be applied.
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    from htcq.operations.observe_and_plan import observe_and_plan

    _check_age(time.time() - made, declared)
    source, declared, serves = at_serving(source, declared)
    if serves is not None and not serves.here:
        raise RefusedError(f"nothing is written: {serves.sentence}", "apply the plan there")
    writer = writer_for(source, declared)
    with writer.alone():
        for told in writer.finish():
            yield f"finished: {told}"
        keep_accepted(declared)
        state = writer.state()
        found = observe_and_plan(source, declared, state, writer.present(), made, accept_loss)
        _refuse(found.refusals)
        if found.given.plan != plan:
            raise RefusedError(
                f"the pool has another plan by now: {found.given.plan}",
                "look at 'htcq elastic plan' again",
            )
        yield _take(writer, found.given, asked=True)


def apply_handover(source: Source, declared: Declared, given: Handover) -> Iterator[str]:
    """Take the step that another account has planned, after all checks that read no pool.

    Yields what was done, as sentences.

    Raises:
        RefusedError: it must not be taken.
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    source, declared, serves = at_serving(source, declared)
    _refuse_other_negotiator(declared, given, serves)
    writer = writer_for(source, declared)
    with writer.alone():
        yield from _begun(writer)
        keep_accepted(declared)
        state = writer.state()
        _refuse_stopped(writer, state, declared.settings.max_failures)
        if serves is not None and not serves.here:
            yield follow(writer, declared, serves)
            return
        groups = declared.quotas.groups
        _refuse(
            tuple(refusals(given, groups, declared.settings, state, writer.present(), time.time()))
        )
        yield _take(writer, with_known_weight(given, state), asked=False)


def show_step(source: Source, declared: Declared, accept_loss: bool) -> tuple[str, float]:
    """Return in a sentence what the next step would change, and the length of a cycle in seconds.

    Raises:
        HtcqError: the pool cannot be read, or the step must not be taken.
    """
    from htcq.operations.observe_and_plan import observe_and_plan

    source, declared, serves = at_serving(source, declared)
    writer = writer_for(source, declared)
    if serves is not None and not serves.here:
        return f"{writer.path}: would follow: {serves.sentence}", USUAL_CYCLE
    found = observe_and_plan(
        source, declared, writer.state(), writer.present(), time.time(), accept_loss
    )
    _refuse(found.refusals)
    done = "would change" if found.changes else "would stay as it is"
    told = f"{writer.path}: {done} by plan {found.given.plan} (--yes writes it)"
    return told, found.cycle_seconds


def take_step(source: Source, declared: Declared, accept_loss: bool) -> Iterator[tuple[str, float]]:
    """Take the next step; yield sentences on what was done, with the seconds of a cycle.

    Raises:
        RefusedError: it must not be taken; the journal says why.
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    from htcq.operations.observe_and_plan import observe_and_plan

    source, declared, serves = at_serving(source, declared)
    writer = writer_for(source, declared)
    with writer.alone():
        for told in _begun(writer):
            yield told, USUAL_CYCLE
        keep_accepted(declared)
        state = writer.state()
        _refuse_stopped(writer, state, declared.settings.max_failures)
        if serves is not None and not serves.here:
            yield follow(writer, declared, serves), USUAL_CYCLE
            return
        found = observe_and_plan(
            source, declared, state, writer.present(), time.time(), accept_loss
        )
        if _is_forgotten(writer, found):
            yield f"{writer.path}: reconfiguring the negotiator again", USUAL_CYCLE
            writer.tell_again()
            found = observe_and_plan(
                source, declared, state, writer.present(), time.time(), accept_loss
            )
        if found.refusals:
            plan, why = found.given.plan, _told(found)
            seen = state.seen and replace(state.seen, usage=found.given.seen.usage)
            writer.add(JournalRecord(0, 0.0, REFUSED, plan=plan, told=why, seen=seen))
            _refuse(found.refusals)
        yield _take(writer, found.given, asked=False), found.cycle_seconds


def _is_forgotten(writer: Writer, found: PlannedStep) -> bool:
    """Return whether the negotiator lacks a knob of the file, and a reconfig was not yet tried.

    A step that was refused for the same reason has tried one: another file overrides the knob.
    """
    if {each.gate for each in found.refusals} != {OVERRIDDEN}:
        return False
    last = writer.journal.records[-1]
    return last.kind != REFUSED or last.told != _told(found)


def _told(found: PlannedStep) -> str:
    return "; ".join(each.message for each in found.refusals)


def _refuse(found: tuple[GateRefusal, ...]) -> None:
    """Raise what was found, if anything.

    Raises:
        RefusedError: with the first reason, and how many more there are.
    """
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RefusedError(f"nothing is written: {found[0].message}{more}", found[0].hint)


def _begun(writer: Writer) -> Iterator[str]:
    """Shorten a long journal, tell of damage in it, and finish what a former run has left to do."""
    writer.journal.shorten()
    for warning in writer.journal.warnings():
        tell(f"htcq: {warning}")
    for told in writer.finish():
        yield f"finished: {told}"


def _refuse_stopped(writer: Writer, state: JournalState, max_failures: int) -> None:
    """Refuse where nothing may be written without a person.

    Raises:
        RefusedError: a person has stopped it, or ``max_failures`` writes came to nothing.
    """
    activity = activity_of(state, max_failures)
    if not activity.writes:
        raise RefusedError(f"{writer.path} is left alone: {activity.why}", "see the journal")


def _refuse_other_negotiator(declared: Declared, given: Handover, serves: Serving | None) -> None:
    """Refuse a plan for another negotiator than the declared one, or the one that serves.

    Where central managers are declared, a plan that names no negotiator is refused too: records of
    both journals may have the same numbers, so that these do not tell whose plan it is.

    Raises:
        RefusedError: it is for another one.
    """
    unnamed = given.negotiator == "" and serves is None
    if not declared.negotiator or unnamed or given.negotiator == declared.negotiator:
        return
    whose = f"for the negotiator {given.negotiator}" if given.negotiator else "for no negotiator"
    if serves is None:
        raise RefusedError(f"the plan is {whose}", f"not for {declared.negotiator}")
    raise RefusedError(
        f"nothing is written: the plan is {whose}, and {declared.negotiator} serves",
        f"run 'htcq elastic plan --save' again on {serves.machine}",
    )


def _check_age(age: float, declared: Declared) -> None:
    most, skew = declared.settings.plan_age, declared.settings.skew
    if age > most:
        raise RefusedError(
            f"the plan is {age:.0f} s old, more than {most} s", "look at 'htcq elastic plan' again"
        )
    if age < -skew:
        raise RefusedError(
            f"the plan was made {-age:.0f} s in the future", "set this machine's clock"
        )


def _take(writer: Writer, given: Handover, asked: bool) -> str:
    """Take the next step, journal it, and return in a sentence what was done.

    Raises:
        HtcqError: it could not be; what was there is there again, or the journal says what is.
    """
    state = writer.state()
    fallback = quota_text(given.static, writer.instance, static=True)
    new = fallback != state.fallback
    record = JournalRecord(
        0, 0.0, LOOK,
        plan=given.plan, inputs=given.inputs, what=APPLY, asked=asked, seen=given.seen,
        fallback=fallback if new else "", fallback_quotas=given.static.quotas if new else {},
    )  # fmt: skip
    there = file_of(state.in_force.quotas) if state.elastic and state.in_force is not None else None
    changes = there is None or there.knobs() != given.file.knobs()
    if not changes and not (asked and state.stopped):
        writer.add(record)
        return f"{writer.path}: unchanged, as the plan {given.plan} wants it"
    text = quota_text(given.file, writer.instance)
    names = [name for name, _ in given.file.knobs()]
    check_values(given.file, read_configuration(text, names), "when HTCondor reads the file")
    target_for(writer.path.parent, writer.path.name, text)
    tried = values_with(writer.path.parent, writer.path.name, text, names)
    if tried is not None:
        check_values(given.file, tried, "in this machine's configuration")
    writer.write(replace(record, kind=INTENT, text=text, quotas=given.file.quotas))
    over = f"; {given.over} groups are over" if given.over else ""
    return f"{writer.path}: written, and the negotiator shows plan {given.plan}{over}"
