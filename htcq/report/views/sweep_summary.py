"""What a simulation came to, in few numbers, from its JSON; amounts are in its unit, times in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htcq.quota.group_tree import ROOT


@dataclass(frozen=True)
class Summary:
    """One simulation, of a what-if the pool as it would be.

    ``used`` is the usage after it, ``groups`` that of each group below the root. ``waiting``
    counts the jobs that wait, ``starved`` names submitters that have jobs waiting and use
    nothing at all. ``full_at`` and ``mean_wait`` are of several cycles, and None where the pool
    never fills, and where no job starts. ``crash`` is what would end the negotiator, if it
    would.
    """

    matches: int
    used: float
    unit: str
    groups: Mapping[str, float]
    waiting: int
    starved: tuple[str, ...]
    several: bool = False
    full_at: float | None = None
    mean_wait: float | None = None
    crash: str = ""


def summary(result: Mapping[str, Any]) -> Summary | None:
    """Return what ``htcq simulate --json`` printed, in few numbers; None where that is something else."""
    try:
        after = result.get("after", result)
        found = _of_course(after) if "cycles" in after else _of_cycle(after)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    return found if _is_sound(found) else None


def _is_sound(found: Summary) -> bool:
    """Tell whether all numbers are numbers, and all names text: a file of results can hold anything."""
    numbers = [
        found.matches,
        found.used,
        found.waiting,
        *found.groups.values(),
        found.full_at,
        found.mean_wait,
    ]
    texts = [found.unit, found.crash, *found.groups, *found.starved]
    amounts = all(number is None or isinstance(number, (int, float)) for number in numbers)
    return amounts and all(isinstance(text, str) for text in texts)


def _crash(told: Mapping[str, Any]) -> str:
    return "" if told["crash"] is None else f"the negotiator crashes: {told['crash']['message']}"


def _of_cycle(told: Mapping[str, Any]) -> Summary:
    submitters = told["submitters"]
    waits = {each["name"]: each["idle"] - each["matches"] for each in submitters}
    used = {each["name"]: each["used_after"] for each in submitters}
    return Summary(
        matches=len(told["matches"]),
        used=sum(used.values()),
        unit=told["unit"],
        groups={
            each["name"]: each["used_after"] for each in told["groups"] if each["name"] != ROOT
        },
        waiting=sum(waits.values()),
        starved=_starved(waits, used),
        crash=_crash(told),
    )


def _of_course(told: Mapping[str, Any]) -> Summary:
    cycles, waits = told["cycles"], told["waits"]
    last: Mapping[str, Any] = (
        cycles[-1] if cycles else {"used": 0.0, "groups": {}, "submitters": {}}
    )
    started = sum(each["started"] for each in waits)
    waited = sum(each["started"] * each["mean"] for each in waits if each["started"])
    waiting = {each["submitter"]: each["waiting"] for each in waits}
    return Summary(
        matches=sum(each["matches"] for each in cycles),
        used=last["used"],
        unit=told["unit"],
        groups={name: used for name, used in last["groups"].items() if name != ROOT},
        waiting=sum(waiting.values()),
        starved=_starved(waiting, last["submitters"]),
        several=True,
        full_at=told["full_at"],
        mean_wait=waited / started if started else None,
        crash=_crash(told),
    )


def _starved(waiting: Mapping[str, float], used: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(name for name, jobs in waiting.items() if jobs > 0 and used.get(name, 0) <= 0)
