"""The journal of the quota writer: its records, and the state that they add up to.

Every write has two records, the intent before and the outcome after. A crash in between leaves an
intent without an outcome, which is resolved by the file that is really there. The file in force is
known by its digest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from htcq.clock import SKEW, Clock, Stamp, sane_times
from htcq.elastic.quota_file import ABSENT, digest_of
from htcq.elastic.usage_check import UsageLook

#: Kinds of records: an accepted look that changed nothing, a refused one, and the two of a write.
#: And that a person has switched elastic quotas on again.
LOOK, REFUSED, INTENT, OUTCOME, ON = "look", "refused", "intent", "outcome", "on"
#: Kinds of intents: the first is a person's or the loop's, the next two are a person's, the others
#: are automatic.
APPLY, ROLLBACK, DISABLE, DEAD_MAN, RESTORE = "apply", "rollback", "disable", "dead-man", "restore"
#: What the negotiator on another central manager has, where that one serves.
FOLLOW = "follow"
#: A person's, too: what was there before the first write is there again.
OFF = "off"
#: Results: the negotiator has it; the file has it, the negotiator is unknown; nothing was written.
VERIFIED, WRITTEN, NOTHING = "verified", "written", "nothing"
#: Writes that are kept of a journal that is shortened.
_WRITES = 100
BY_HAND = (ROLLBACK, DISABLE, OFF)
#: Whether the written quotas are elastic; restored ones are what they were.
_ELASTIC = {APPLY: True, FOLLOW: True, DISABLE: False, DEAD_MAN: False, OFF: False}


@dataclass(frozen=True)
class PoolSeen:
    """The size of the pool in an accepted observation: slots, schedds and weight.

    ``busy`` are the schedds that had jobs. ``accepted`` is the weight that a person, or the first
    look, has accepted (0: that of this look). ``usage`` is what it leaves for the next comparison
    with the accountant.
    """

    slots: int
    schedds: int
    pool_weight: float
    busy: tuple[str, ...] = ()
    accepted: float = 0.0
    usage: UsageLook = field(default_factory=UsageLook)

    @property
    def known_weight(self) -> float:
        """The weight that a person, or the first look, has accepted."""
        return self.accepted or self.pool_weight


@dataclass(frozen=True)
class JournalRecord:
    """One record; ``time`` is in seconds since 1970, ``up`` in those since the ``boot`` began.

    An intent has the ``path`` of the file, the ``pool`` (empty: this machine's) and the
    ``negotiator``, ``what``, the new ``text`` of the file (None: no file), its digests ``before``
    and ``after``, ``replaced`` with the former text if that was not ours, the ``quotas`` that the
    negotiator must show (by group, with whether they accept surplus), ``fallback`` with the text
    for :data:`DEAD_MAN`, and ``asked``, whether a person asked for it. An outcome has ``of``, the
    number of its intent, and ``result``.
    """

    number: int
    time: float
    kind: str
    instance: str = ""
    operator: str = ""
    told: str = ""
    plan: str = ""
    inputs: str = ""
    path: str = ""
    pool: str = ""
    negotiator: str = ""
    what: str = ""
    asked: bool = False
    text: str | None = None
    before: str = ABSENT
    after: str = ABSENT
    replaced: str | None = None
    quotas: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    fallback: str = ""
    fallback_quotas: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    of: int = 0
    result: str = ""
    seen: PoolSeen | None = None
    boot: str = ""
    up: float = 0.0

    @property
    def stamp(self) -> Stamp:
        """When it was recorded."""
        return Stamp(self.time, self.boot, self.up)


@dataclass(frozen=True)
class JournalState:
    """The state after the records.

    ``in_force`` is the intent whose text is in the file, ``result`` what is known of the
    negotiator. ``former`` is the intent before it (None: there was none), ``former_text`` the text
    of the file then. ``elastic``: elastic quotas are in force, and not static ones or somebody
    else's; ``former_elastic`` is the same before. ``unfinished`` is an intent without an outcome.
    ``origin`` is the number of the first write (0: there was none), ``origin_text`` the text of
    the file before it, with its digest.
    ``follows`` says which other central manager serves, empty where none does.
    ``stopped`` is the reason why only a person may write, ``refused`` why the last step was not
    taken. ``success`` is when a step succeeded last, ``succeeded`` the number of the record that
    says so, ``began`` when the journal begins. ``failures`` is the number of failed writes in a
    row.
    """

    last: int = 0
    in_force: JournalRecord | None = None
    result: str = ""
    former: JournalRecord | None = None
    former_text: str | None = None
    elastic: bool = False
    former_elastic: bool = False
    unfinished: JournalRecord | None = None
    stopped: str = ""
    success: float | None = None
    succeeded: int = 0
    began: float | None = None
    seen: PoolSeen | None = None
    failures: int = 0
    fallback: str = ""
    fallback_quotas: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    origin: int = 0
    origin_text: str | None = None
    origin_digest: str = ABSENT
    refused: str = ""
    follows: str = ""

    @property
    def digest(self) -> str:
        """The digest of the file if nobody else has changed it."""
        if self.in_force is None:
            return ABSENT
        return self.in_force.after


def silent_for(records: Sequence[JournalRecord], clock: Clock) -> float | None:
    """Return for how many seconds nothing has succeeded by ``records``, the oldest first.

    It is None where the clock is wrong now, and the machine was started since. A success in the
    future was recorded by a clock that was ahead: where nothing that is not follows it says
    nothing, and the silence is without end.
    """
    if not records:
        return 0.0
    since = state_of(records).succeeded or records[0].number
    place = next(place for place, record in enumerate(records) if record.number == since)
    stamps = [record.stamp for record in records]
    seconds = clock.since(stamps[place])
    if seconds is not None:
        return seconds
    if not clock.right:
        return None
    if all(stamp.time - clock.now > SKEW for stamp in stamps[place:]):
        return math.inf
    return max(0.0, clock.now - sane_times(stamps, clock)[place])


def state_of(records: Iterable[JournalRecord]) -> JournalState:
    """Return the state after ``records``, in their order."""
    state = JournalState()
    for record in records:
        state = after(state, record)
    return state


def after(state: JournalState, record: JournalRecord) -> JournalState:
    """Return the state after ``record``, which follows ``state``."""
    began = state.began
    if began is None:
        began = record.time
    state = replace(state, last=record.number, began=began, seen=record.seen or state.seen)
    if record.fallback:
        state = replace(state, fallback=record.fallback, fallback_quotas=record.fallback_quotas)
    if record.kind in (LOOK, INTENT):
        state = replace(state, follows="")
        if record.what == FOLLOW:
            # What was seen here before is old when this machine's negotiator serves again.
            state = replace(state, follows=record.told, seen=None)
    if record.kind == LOOK:
        return replace(state, success=record.time, succeeded=record.number, refused="")
    if record.kind == REFUSED:
        return replace(state, refused=record.told)
    if record.kind == ON:
        return replace(state, stopped="", failures=0)
    if record.kind == INTENT:
        return replace(state, unfinished=record, refused="")
    if record.kind == OUTCOME:
        return _ended(state, record)
    return state


def _ended(state: JournalState, outcome: JournalRecord) -> JournalState:
    """Return the state after the outcome of an intent: the unfinished one or the one in force."""
    former = state.in_force
    if former is not None and outcome.of == former.number:
        return _with_result(replace(state, result=outcome.result), former, outcome)
    intent = state.unfinished
    if intent is None or outcome.of != intent.number:
        return state
    state = replace(state, unfinished=None)
    if outcome.result == NOTHING:
        return state
    former_text = intent.replaced
    if former is not None:
        former_text = former.text
    if intent.what == OFF:
        state = replace(state, origin=0, origin_text=None, origin_digest=ABSENT)
    elif not state.origin:
        state = replace(
            state, origin=intent.number, origin_text=former_text, origin_digest=intent.before
        )
    state = replace(
        state,
        in_force=intent,
        result=outcome.result,
        former=former,
        former_text=former_text,
        elastic=_ELASTIC.get(intent.what, state.former_elastic),
        former_elastic=state.elastic,
    )
    return _with_result(state, intent, outcome)


def _with_result(
    state: JournalState, intent: JournalRecord, outcome: JournalRecord
) -> JournalState:
    """Return ``state`` with what the result of ``intent`` changes."""
    success, number = outcome.time, outcome.number
    if intent.what == FOLLOW:
        return replace(state, success=success, succeeded=number, failures=0)
    if intent.what in BY_HAND:
        return replace(state, stopped=f"{intent.what} by {intent.operator}")
    if intent.what != APPLY:
        return state
    if outcome.result != VERIFIED:
        return replace(state, failures=state.failures + 1)
    stopped = state.stopped
    if intent.asked:
        stopped = ""
    return replace(state, stopped=stopped, success=success, succeeded=number, failures=0)


def compacted_records(
    records: Sequence[JournalRecord], writes: int = _WRITES
) -> tuple[JournalRecord, ...]:
    """Return, in their order, the records that determine the state.

    These are the last ``writes``, and the last records of what was observed.
    """
    of_writes = [record for record in records if record.kind in (INTENT, OUTCOME)]
    looks = [record for record in records if record.kind == LOOK]
    seen = [record for record in records if record.seen is not None]
    fallbacks = [record for record in records if record.fallback]
    origin = state_of(records).origin
    first = [record for record in of_writes if origin and origin in (record.number, record.of)]
    on = [record for record in records if record.kind == ON]
    # Numbers go on from the last record.
    kept = (
        first, of_writes[-2 * writes :], on[-1:], looks[-1:], seen[-1:], fallbacks[-1:],
        records[-1:],
    )  # fmt: skip
    numbers: set[int] = set()
    for part in kept:
        numbers.update(record.number for record in part)
    return tuple(record for record in records if record.number in numbers)


def resolved(state: JournalState, present: str | None) -> tuple[str, str]:
    """Return the result of the unfinished intent, and the reason in words.

    ``present`` is the text of the file, which shows whether it was written.

    The result is empty where there is nothing to resolve.
    """
    intent = state.unfinished
    if intent is None:
        return "", ""
    found = digest_of(present)
    if found == intent.after:
        return WRITTEN, "it ended before the outcome was recorded: the file was written"
    if found == intent.before:
        return NOTHING, "it ended before the file was written"
    return NOTHING, "it ended, and the file is neither the previous nor the intended one"
