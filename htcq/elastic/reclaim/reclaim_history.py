"""What earlier looks and actions of reclaim left in the journal: since when, how much, and whether it was of any use.

Every time is one of the looks' own clock: nothing is compared with the clock of another machine.
Records of others in the same journal are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

LOOKED, INTENT, OUTCOME, MEASURED = (
    "reclaim-look",
    "reclaim-intent",
    "reclaim-outcome",
    "reclaim-measured",
)
CEILING, STOPPED, RESUMED = "reclaim-ceiling", "reclaim-stopped", "reclaim-resumed"
#: Jobs of one schedd that are to be vacated just now; what became of them tells an outcome.
BATCH = "reclaim-batch"
KINDS = (LOOKED, INTENT, BATCH, OUTCOME, MEASURED, CEILING, STOPPED, RESUMED)
#: Where in a record everything stands that is reclaim's; beside it are ``kind`` and ``time``.
PAYLOAD = "reclaim"
#: Steps of a ceiling: it is to be set, it is set, it is to go, it is gone, or it is not known what
#: came of that.
SETTING, SET, CANCELLING, CANCELLED, REFUSED = (
    "setting",
    "set",
    "cancelling",
    "cancelled",
    "refused",
)
#: Actions that freed nothing for those in need, one after the other, until nothing more is done.
MAX_USELESS = 2
DAY = 86400.0
#: What of a payload is text, and what is a list.
_TEXTS = ("negotiator", "action", "submitter", "step", "group")
_LISTS = ("over", "needs", "jobs", "places", "needy", "there", "failed")

Key = tuple[str, str]


@dataclass(frozen=True)
class Action:
    """Jobs that were vacated together, by schedd and job; an intent without an outcome counts as done.

    ``needy`` are the groups that it was for, ``there`` the claims that these had already on what
    was freed.
    """

    id: str
    time: float
    jobs: frozenset[Key]
    places: frozenset[str] = frozenset()
    needy: frozenset[str] = frozenset()
    there: frozenset[Key] = frozenset()
    taken: bool | None = None


@dataclass(frozen=True)
class OwnCeiling:
    """A ceiling that is ours, or might be: of ``group``'s submitter, until then (None: it is no lease)."""

    group: str
    ceiling: int
    until: float | None = None


@dataclass(frozen=True)
class Look:
    """One look: the groups that were over, and those in need."""

    time: float
    over: frozenset[str]
    needs: frozenset[str]


@dataclass(frozen=True)
class ReclaimHistory:
    """Looks, the oldest first, and all else that was done."""

    looks: tuple[Look, ...] = ()
    actions: tuple[Action, ...] = ()
    ceilings: Mapping[str, OwnCeiling] = field(default_factory=dict)
    resumed: float = 0.0
    last: float = 0.0

    def seconds_over(self, group: str, now: float, max_gap: float) -> float:
        """Return for how long ``group`` has been over without a break."""
        return _seconds([(look.time, group in look.over) for look in self.looks], now, max_gap)

    def seconds_in_need(self, group: str, now: float, max_gap: float) -> float:
        """Return for how long ``group`` has been in need without a break."""
        return _seconds([(look.time, group in look.needs) for look in self.looks], now, max_gap)

    def today(self, now: float) -> int:
        """Return how many jobs were vacated in the 24 hours before."""
        return sum(len(action.jobs) for action in self.actions if action.time > now - DAY)

    def times_vacated(self, job: Key) -> int:
        """Return how often a job was vacated here."""
        return sum(job in action.jobs for action in self.actions)

    @property
    def unmeasured(self) -> tuple[Action, ...]:
        """Actions of which it is not known yet whether they were of use."""
        return tuple(action for action in self.actions if action.taken is None and action.jobs)

    def useless(self, measured: Mapping[str, bool]) -> bool:
        """Tell whether what the last actions freed went to others, one after the other."""
        told = [
            action.taken if action.taken is not None else measured.get(action.id)
            for action in self.actions
            if action.jobs and action.time > self.resumed
        ]
        known = [each for each in told if each is not None]
        return len(known) >= MAX_USELESS and not any(known[-MAX_USELESS:])


def _seconds(looks: Sequence[tuple[float, bool]], now: float, max_gap: float) -> float:
    """Return how far back looks tell the same without a break; a longer ``max_gap`` between two tells nothing."""
    since = now
    for time, so in reversed(looks):
        if time > now:
            continue
        if since - time > max_gap or not so:
            break
        since = time
    return now - since


@dataclass
class _Tale:
    """What the records read so far tell; only :class:`ReclaimHistory` leaves this module."""

    looks: list[Look] = field(default_factory=list)
    actions: dict[str, Action] = field(default_factory=dict)
    ceilings: dict[str, OwnCeiling] = field(default_factory=dict)
    resumed: float = 0.0
    last: float = 0.0


#: By negotiator, what its records tell.
Tales = dict[str, _Tale]


def after(tales: Tales, record: Mapping[str, Any]) -> Tales:
    """Count ``record``, the newest, among those that ``tales`` come of, and return these."""
    told = told_by(record)
    if told is not None:
        tale = tales.setdefault(told.get("negotiator", ""), _Tale())
        time, read = float(record.get("time", 0.0)), _READERS.get(record["kind"])
        tale.last = max(tale.last, time)
        if read is not None:
            read(tale, time, told)
    return tales


def past_from(tales: Tales, negotiator: str) -> ReclaimHistory:
    """Return what ``tales`` tell of reclaim with that negotiator."""
    tale = tales.get(negotiator, _Tale())
    return ReclaimHistory(
        tuple(tale.looks),
        tuple(tale.actions.values()),
        dict(tale.ceilings),
        tale.resumed,
        tale.last,
    )


def ceilings_from(tales: Tales, negotiator: str) -> dict[str, OwnCeiling]:
    """Return, by submitter, the ceilings at that negotiator that are ours, or might be."""
    return dict(tales[negotiator].ceilings) if negotiator in tales else {}


def past_of(records: Iterable[Mapping[str, Any]], negotiator: str) -> ReclaimHistory:
    """Return what ``records``, the oldest first, tell of reclaim with that negotiator."""
    tales: Tales = {}
    for record in records:
        after(tales, record)
    return past_from(tales, negotiator)


def told_by(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a record tells of reclaim; None where it is somebody else's."""
    told = record.get(PAYLOAD)
    return told if record.get("kind") in KINDS and isinstance(told, Mapping) else None


def flaw_of(record: Mapping[str, Any]) -> str:
    """Return what about ``record`` no htcq has written; empty where it can be read, or is somebody else's."""
    told = told_by(record)
    if told is None:
        return ""
    for name in _TEXTS:
        if not isinstance(told.get(name, ""), str):
            return f"{name} is {told[name]!r}"
    for name in _LISTS:
        if not isinstance(told.get(name, []), list):
            return f"{name} is {told[name]!r}"
    try:
        past = past_of([record], told.get("negotiator", ""))
        numbers = [
            float(record.get("time", 0.0)),
            *(each.until or 0.0 for each in past.ceilings.values()),
        ]
        # An outcome is read with its intent alone, which may stand in a line before.
        _keys(told.get("failed", ()))
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        return str(error)
    return "" if all(map(math.isfinite, numbers)) else "a time is not finite"


def _look(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    tale.looks.append(Look(time, frozenset(told.get("over", ())), frozenset(told.get("needs", ()))))


def _intent(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    action = Action(
        str(told["action"]),
        time,
        _keys(told.get("jobs", ())),
        frozenset(told.get("places", ())),
        frozenset(told.get("needy", ())),
        _keys(told.get("there", ())),
    )
    tale.actions[action.id] = action


def _outcome(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    failed = _keys(told.get("failed", ()))
    _change(tale, told, lambda action: replace(action, jobs=action.jobs - failed))


def _measured(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    _change(tale, told, lambda action: replace(action, taken=bool(told.get("taken"))))


def _change(tale: _Tale, told: Mapping[str, Any], change: Callable[[Action], Action]) -> None:
    action = tale.actions.get(str(told.get("action")))
    if action is not None:
        tale.actions[action.id] = change(action)


def _ceiling(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    submitter, step = str(told.get("submitter", "")), told.get("step")
    if step in (SETTING, SET):
        until = told.get("until")
        tale.ceilings[submitter] = OwnCeiling(
            str(told.get("group", "")),
            int(told.get("ceiling", 0)),
            None if until is None else float(until),
        )
    elif step == CANCELLED:
        tale.ceilings.pop(submitter, None)


def _resumed(tale: _Tale, time: float, told: Mapping[str, Any]) -> None:
    tale.resumed = time


_READERS: Mapping[str, Callable[[_Tale, float, Mapping[str, Any]], None]] = {
    LOOKED: _look, INTENT: _intent, OUTCOME: _outcome, MEASURED: _measured, CEILING: _ceiling, RESUMED: _resumed,
}  # fmt: skip


def _keys(told: Iterable[Any]) -> frozenset[Key]:
    return frozenset((str(each["schedd"]), str(each["job"])) for each in told)
