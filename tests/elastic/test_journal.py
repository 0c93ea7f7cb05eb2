"""What records come to: what is in force or unfinished, who stopped the writing, since when nothing succeeds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from htcq.clock import Clock
from htcq.elastic.activity import activity_of
from htcq.elastic.journal import (
    APPLY,
    DEAD_MAN,
    DISABLE,
    LOOK,
    NOTHING,
    OFF,
    ON,
    REFUSED,
    RESTORE,
    ROLLBACK,
    VERIFIED,
    WRITTEN,
    JournalRecord,
    PoolSeen,
    compacted_records,
    resolved,
    silent_for,
    state_of,
)
from htcq.elastic.journal_lines import line_of, record_from
from htcq.elastic.quota_file import ABSENT, digest_of
from tests.elastic.writing import NOW, SEEN, intent, outcome, text_of, written

FIRST, SECOND = {"a": (3.0, False)}, {"a": (5.0, False)}


def test_nothing_is_in_force_before_anything_was_written() -> None:
    state = state_of([])

    assert (state.in_force, state.digest, state.elastic, silent_for([], Clock(NOW))) == (
        None,
        ABSENT,
        False,
        0.0,
    )


def test_the_last_write_is_in_force_and_the_one_before_it_is_known() -> None:
    state = state_of([*written(1, FIRST), *written(3, SECOND)])

    assert state.digest == digest_of(text_of(SECOND))
    assert state.former_text == text_of(FIRST)
    assert (state.elastic, state.result, state.last) == (True, VERIFIED, 4)


def test_what_stood_there_before_the_first_write_is_known_too() -> None:
    first = [intent(1, FIRST, before=digest_of("theirs\n"), replaced="theirs\n"), outcome(2, 1)]

    assert state_of(first).former_text == "theirs\n"
    assert state_of(written(1, FIRST)).former_text is None


def test_an_intent_alone_changes_nothing_in_force() -> None:
    state = state_of([*written(1, FIRST), intent(3, SECOND, before=digest_of(text_of(FIRST)))])

    assert state.digest == digest_of(text_of(FIRST))
    assert state.unfinished is not None
    assert state.unfinished.number == 3


@pytest.mark.parametrize(
    ("present", "result"),
    [
        (text_of(SECOND), WRITTEN),
        (text_of(FIRST), NOTHING),
        ("somebody else's\n", NOTHING),
        (None, NOTHING),
    ],
)
def test_an_unfinished_intent_is_what_the_file_says(present: str | None, result: str) -> None:
    state = state_of([*written(1, FIRST), intent(3, SECOND, before=digest_of(text_of(FIRST)))])
    found, why = resolved(state, present)

    assert found == result
    assert why
    after = state_of([*written(1, FIRST), intent(3, SECOND), outcome(4, 3, found)])
    assert after.unfinished is None
    assert after.digest == digest_of(text_of(SECOND if result == WRITTEN else FIRST))


def test_there_is_nothing_to_resolve_after_an_outcome() -> None:
    assert resolved(state_of(written(1, FIRST)), None) == ("", "")


def test_a_second_outcome_tells_that_the_negotiator_has_it_after_all() -> None:
    state = state_of([*written(1, FIRST, WRITTEN), outcome(3, 1, VERIFIED, NOW + 5)])

    assert (state.result, state.failures, state.success) == (VERIFIED, 0, NOW + 5)


def test_writes_that_come_to_nothing_are_counted_until_one_succeeds() -> None:
    failed = [
        *written(1, FIRST, WRITTEN),
        *written(3, {}, what=RESTORE),
        *written(5, FIRST, WRITTEN),
    ]

    assert state_of(failed).failures == 2
    assert state_of([*failed, *written(7, FIRST)]).failures == 0


@pytest.mark.parametrize(
    ("what", "stopped"), [(ROLLBACK, True), (DISABLE, True), (DEAD_MAN, False), (RESTORE, False)]
)
def test_only_a_person_stops_the_writing(what: str, stopped: bool) -> None:
    state = state_of([*written(1, FIRST), *written(3, SECOND, what=what, operator="root")])

    assert state.stopped == (f"{what} by root" if stopped else "")


def test_only_a_person_begins_again_and_only_if_it_worked() -> None:
    stopped = [*written(1, FIRST), *written(3, SECOND, what=DISABLE, operator="root")]

    assert state_of([*stopped, *written(5, FIRST)]).stopped
    assert state_of([*stopped, *written(5, FIRST, WRITTEN, asked=True)]).stopped
    assert not state_of([*stopped, *written(5, FIRST, asked=True)]).stopped


@pytest.mark.parametrize(("what", "elastic"), [(APPLY, True), (DISABLE, False), (DEAD_MAN, False)])
def test_what_is_put_back_is_as_elastic_as_it_was(what: str, elastic: bool) -> None:
    records = [*written(1, FIRST, what=what), *written(3, SECOND)]

    assert state_of(records).elastic is True
    assert state_of([*records, *written(5, FIRST, what=RESTORE)]).elastic is elastic


def test_a_look_that_changed_nothing_is_a_success_and_a_refused_one_is_none() -> None:
    records = [
        *written(1, FIRST),
        JournalRecord(3, NOW + 600, LOOK),
        JournalRecord(4, NOW + 1200, REFUSED, told="stale"),
    ]

    assert silent_for(records, Clock(NOW + 1800)) == 1200


def test_neither_static_quotas_nor_a_write_that_nobody_sees_are_a_success() -> None:
    unseen, static = (
        written(3, SECOND, WRITTEN, NOW + 60),
        written(5, FIRST, time=NOW + 90, what=DEAD_MAN),
    )
    records = [*written(1, FIRST), *unseen, *static]

    assert silent_for(records, Clock(NOW + 100)) == 100


def test_where_nothing_ever_succeeded_the_silence_begins_with_the_journal() -> None:
    assert silent_for([JournalRecord(1, NOW, REFUSED)], Clock(NOW + 7)) == 7


def test_a_success_of_a_clock_that_was_ahead_is_no_sign_of_life() -> None:
    ahead = [*written(1, FIRST, time=NOW + 31_536_000)]

    assert silent_for(ahead, Clock(NOW)) == math.inf
    assert silent_for([*written(1, FIRST, time=NOW + 30)], Clock(NOW)) == 0


def test_the_static_quotas_of_the_last_look_are_kept() -> None:
    records = [
        *written(1, FIRST, fallback="old", fallback_quotas=FIRST),
        JournalRecord(3, NOW, LOOK, fallback="new"),
    ]

    assert state_of(records).fallback == "new"
    assert state_of([*records, *written(4, SECOND)]).fallback == "new"


@pytest.mark.parametrize("looks", [0, 1, 7])
@pytest.mark.parametrize("what", [APPLY, ROLLBACK, DISABLE, DEAD_MAN, RESTORE])
def test_a_shortened_journal_comes_to_the_same(what: str, looks: int) -> None:
    records: list[JournalRecord] = [
        JournalRecord(1, NOW, LOOK, seen=SEEN, fallback="static", fallback_quotas=FIRST)
    ]
    for _ in range(20):
        quotas = FIRST if len(records) % 4 else SECOND
        records += written(len(records) + 1, quotas, time=NOW + len(records))
        records += [JournalRecord(len(records) + 1, NOW + len(records), LOOK)]
    records += written(len(records) + 1, FIRST, what=what, operator="ann", time=NOW + 900)
    records += [
        JournalRecord(len(records) + 1 + each, NOW + 1000 + each, REFUSED) for each in range(looks)
    ]
    short = compacted_records(records, writes=3)
    state = state_of(records)

    # Three writes, the first of all, the newest look and the fallback, and the last record.
    assert len(short) == 6 + 2 + 2 + min(looks, 1)
    assert replace(state_of(short), began=state.began) == state


def test_a_record_is_the_same_after_it_was_a_line() -> None:
    full = intent(
        7, SECOND, replaced="theirs\n", plan="p", inputs="i", instance="h:/j", operator="ann", told="€ \n", asked=True,
        path="/etc/x", pool="cm", negotiator="n", fallback="f", fallback_quotas=FIRST,
        seen=PoolSeen(1, 2, 3.5, ("ap",)),
    )  # fmt: skip
    for record in (
        full,
        replace(full, text=None, after=ABSENT),
        outcome(8, 7),
        JournalRecord(9, NOW, LOOK),
    ):
        line = line_of(record)
        assert line.count("\n") == 1
        assert record_from(line) == record


@pytest.mark.parametrize(
    "line", ["", "{}", "[1]", '{"v":2,"kind":"look","time":1}', '{"v":1,"kind":"nonsense","time":1}',
             '{"v":1,"kind":"look"}', '{"v":1,"kind":"look","time":1,"more":2}',
             '{"v":1,"kind":"look","time":1,"seen":{}}', '{"v":1,"kind":"look","time":1,"quotas":{"a":[1]}}',
             '{"v":1,"kind":"look","number":1,"time":1,"quotas":{"a":[1e999,true]}}',
             '{"v":1,"kind":"look","number":1,"time":1,"quotas":{"a":[1e308,true]}}'],
)  # fmt: skip
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"record|Expecting|unknown key"):
        record_from(line)


def test_what_was_there_before_the_first_write_is_kept_until_it_is_given_back() -> None:
    first = intent(1, FIRST, replaced="theirs\n", before=digest_of("theirs\n"))
    records = [first, outcome(2, 1), *written(3, SECOND)]
    state = state_of(records)
    assert (state.origin, state.origin_text, state.origin_digest) == (1, "theirs\n", first.before)
    assert state_of(compacted_records(records, writes=1)).origin_text == "theirs\n"

    off = [intent(5, {}, what=OFF, text="theirs\n", operator="ann"), outcome(6, 5)]
    state = state_of([*records, *off])
    assert (state.origin, state.stopped, state.elastic) == (0, "off by ann", False)

    again = [JournalRecord(7, NOW, ON), *written(8, FIRST, before=off[0].after)]
    state = state_of([*records, *off, *again])
    assert (state.stopped, state.origin_text, state.elastic) == ("", "theirs\n", True)


def test_on_forgets_failed_writes() -> None:
    failed = [*written(1, FIRST, WRITTEN), *written(3, SECOND, WRITTEN)]

    assert activity_of(state_of(failed), 2).word == "failed"
    assert activity_of(state_of([*failed, JournalRecord(5, NOW, ON)]), 2).word == "unverified"
