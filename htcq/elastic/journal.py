"""The journal of the quota writer: what it looked at, what it meant to do, and what came of it; and what follows.

Every write is two records, its intent before and its outcome after. Whatever is killed in
between leaves an intent without an outcome, which is resolved against the file that is really
there. The file in force is known by its digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from htcq.elastic.quota_file import ABSENT, digest_of

#: Kinds of records: an accepted look that changed nothing, a refused one, and the two of a write.
LOOK, REFUSED, INTENT, OUTCOME = "look", "refused", "intent", "outcome"
#: What an intent is about: the first is a person's or the loop's, two a person's, the others come
#: by themselves.
APPLY, ROLLBACK, DISABLE, DEAD_MAN, RESTORE = "apply", "rollback", "disable", "dead-man", "restore"
#: What came of it: the negotiator has it; the file has it, nobody knows of the negotiator; nothing
#: was written.
VERIFIED, WRITTEN, NOTHING = "verified", "written", "nothing"
#: Writes that are kept of a journal that is shortened.
_WRITES = 100
BY_HAND = (ROLLBACK, DISABLE)
#: Whether what is written needs somebody to keep it; what is put back is as it was.
_ELASTIC = {APPLY: True, DISABLE: False, DEAD_MAN: False}


@dataclass(frozen=True)
class PoolSeen:
    """How much an accepted look saw: slots, schedds, the weight of the pool, and which schedds had jobs."""

    slots: int
    schedds: int
    pool_weight: float
    busy: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """One record; ``time`` is in seconds since 1970.

    Of an intent: the ``path`` of the file, the ``pool`` (empty: this machine's) and the
    ``negotiator``, ``what``, the ``text`` that the file shall have (None: no file), the digests
    ``before`` and ``after`` it, ``replaced`` with what stood there if that was not ours,
    ``quotas`` that the negotiator shall show by group with whether they accept surplus,
    ``fallback`` with the text for :data:`DEAD_MAN`, and whether a person ``asked`` for it. Of an
    outcome: ``of``, the number of its intent, and ``result``.
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


@dataclass(frozen=True)
class JournalState:
    """What the records come to.

    ``in_force`` is the intent whose text is in the file, ``result`` what is known of the
    negotiator; ``former`` is what the file had before (None: not ours or nothing;
    ``former_text`` tells). ``elastic`` tells whether what is in force are quotas that somebody
    has to keep, and not static ones or somebody else's; ``former_elastic`` the same of what was
    before. ``unfinished`` is an intent without an outcome. ``stopped`` says in words why nothing
    may be written but by a person. ``success`` and ``began`` are when a step succeeded last, and
    when the journal begins. ``failures`` writes in a row came to nothing. ``changed`` has by
    group when its quota changed last, those below it left out.
    """

    last: int = 0
    in_force: Record | None = None
    result: str = ""
    former: Record | None = None
    former_text: str | None = None
    elastic: bool = False
    former_elastic: bool = False
    unfinished: Record | None = None
    stopped: str = ""
    success: float | None = None
    began: float | None = None
    seen: PoolSeen | None = None
    failures: int = 0
    changed: Mapping[str, float] = field(default_factory=dict)
    fallback: str = ""
    fallback_quotas: Mapping[str, tuple[float, bool]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """What the file's digest must be if nobody else has changed it."""
        return self.in_force.after if self.in_force is not None else ABSENT

    def silent_for(self, now: float) -> float:
        """Return for how many seconds nothing has succeeded."""
        since = self.success if self.success is not None else self.began
        return 0.0 if since is None else now - since


def state_of(records: Iterable[Record]) -> JournalState:
    """Return what ``records``, in their order, come to."""
    state = JournalState()
    for record in records:
        state = after(state, record)
    return state


def after(state: JournalState, record: Record) -> JournalState:
    """Return what the records up to ``record`` come to, where those before it come to ``state``."""
    began = record.time if state.began is None else state.began
    state = replace(state, last=record.number, began=began, seen=record.seen or state.seen)
    if record.fallback:
        state = replace(state, fallback=record.fallback, fallback_quotas=record.fallback_quotas)
    if record.kind == LOOK:
        return replace(state, success=record.time)
    if record.kind == INTENT:
        return replace(state, unfinished=record)
    if record.kind == OUTCOME:
        return _ended(state, record)
    return state


def _ended(state: JournalState, outcome: Record) -> JournalState:
    """Return the state after the outcome of the unfinished intent, or a second outcome of the one in force."""
    intent = state.unfinished
    again = state.in_force is not None and outcome.of == state.in_force.number
    if again:
        return _taken_over(replace(state, result=outcome.result), state.in_force, outcome)
    if intent is None or outcome.of != intent.number:
        return state
    state = replace(state, unfinished=None)
    if outcome.result == NOTHING:
        return state
    changed = {**state.changed, **_changes(state.in_force, intent)}
    state = replace(
        state,
        in_force=intent,
        result=outcome.result,
        former=state.in_force,
        former_text=state.in_force.text if state.in_force is not None else intent.replaced,
        elastic=_ELASTIC.get(intent.what, state.former_elastic),
        former_elastic=state.elastic,
        changed=changed,
    )
    return _taken_over(state, intent, outcome)


def _taken_over(state: JournalState, intent: Record | None, outcome: Record) -> JournalState:
    assert intent is not None
    verified = outcome.result == VERIFIED
    failed = not verified and intent.what == APPLY
    stopped = state.stopped
    if intent.what in BY_HAND:
        stopped = f"{intent.what} by {intent.operator}"
    elif intent.what == APPLY and intent.asked and verified:
        stopped = ""
    return replace(
        state,
        stopped=stopped,
        success=outcome.time if verified and intent.what == APPLY else state.success,
        failures=state.failures + 1
        if failed
        else 0
        if verified and intent.what == APPLY
        else state.failures,
    )


def _changes(before: Record | None, after: Record) -> dict[str, float]:
    old, new = _own(before.quotas if before is not None else {}), _own(after.quotas)
    return {name: after.time for name in new if old.get(name) != new[name]}


def _own(quotas: Mapping[str, tuple[float, bool]]) -> dict[str, float]:
    """Return each group's quota without those of the groups right below it, to a thousandth."""
    own = {name: quota for name, (quota, _) in quotas.items()}
    for name, (quota, _) in quotas.items():
        parent = name.rpartition(".")[0]
        if parent in own:
            own[parent] -= quota
    return {name: round(amount, 3) for name, amount in own.items()}


def essential(records: Sequence[Record], writes: int = _WRITES) -> tuple[Record, ...]:
    """Return, in their order, the records that the state comes of: the last ``writes`` and what is known of looks."""
    kept = {
        record.number
        for record in [each for each in records if each.kind in (INTENT, OUTCOME)][-2 * writes :]
    }
    # Numbers go on from the last one.
    kept |= {record.number for record in records[-1:]}
    for wanted in (
        lambda each: each.kind == LOOK,
        lambda each: each.seen is not None,
        lambda each: each.fallback,
    ):
        last = next((each for each in reversed(records) if wanted(each)), None)
        kept |= {last.number} if last is not None else set()
    return tuple(record for record in records if record.number in kept)


def resolved(state: JournalState, present: str | None) -> tuple[str, str]:
    """Return the result of the unfinished intent that the file tells (``present``: its text), and why in words.

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
