"""The summary of one simulation, from its JSON; amounts are in its unit, times in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from htcq.quota.group_tree import ROOT

#: What a course of no cycle leaves.
_NO_CYCLE: Mapping[str, Any] = {"used": 0.0, "groups": {}, "submitters": {}}


@dataclass(frozen=True)
class Summary:
    """The summary of one simulation; of a what-if, that of the changed pool.

    ``used`` is the usage after it, ``groups`` that of each group below the root. ``waiting``
    counts the jobs that wait. ``starved`` names submitters that have jobs waiting and use
    nothing at all. ``full_at`` and ``mean_wait`` are of several cycles; they are None if the
    pool never fills or no job starts. ``crash`` says how the negotiator would crash; it is empty
    if it would not.
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
    """Return the summary of what ``htcq simulate --json`` printed; None of anything else."""
    try:
        found = _of(result.get("after", result))
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    if not _is_sound(found):
        return None
    return found


def _of(result: Mapping[str, Any]) -> Summary:
    if "cycles" in result:
        return _of_course(result)
    return _of_cycle(result)


def _is_sound(found: Summary) -> bool:
    """Return whether numbers are numbers and names text: a file of results can hold anything."""
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


def _crash(result: Mapping[str, Any]) -> str:
    crash = result["crash"]
    if crash is None:
        return ""
    return f"the negotiator crashes: {crash['message']}"


def _of_cycle(result: Mapping[str, Any]) -> Summary:
    submitters = result["submitters"]
    waits = {each["name"]: each["idle"] - each["matches"] for each in submitters}
    used = {each["name"]: each["used_after"] for each in submitters}
    groups = {each["name"]: each["used_after"] for each in result["groups"]}
    return Summary(
        matches=len(result["matches"]),
        used=sum(used.values()),
        unit=result["unit"],
        groups=_below_root(groups),
        waiting=sum(waits.values()),
        starved=_starved(waits, used),
        crash=_crash(result),
    )


def _of_course(result: Mapping[str, Any]) -> Summary:
    cycles, waits = result["cycles"], result["waits"]
    last = [_NO_CYCLE, *cycles][-1]
    waiting = {each["submitter"]: each["waiting"] for each in waits}
    return Summary(
        matches=sum(each["matches"] for each in cycles),
        used=last["used"],
        unit=result["unit"],
        groups=_below_root(last["groups"]),
        waiting=sum(waiting.values()),
        starved=_starved(waiting, last["submitters"]),
        several=True,
        full_at=result["full_at"],
        mean_wait=_mean_wait(waits),
        crash=_crash(result),
    )


def _mean_wait(waits: list[Mapping[str, Any]]) -> float | None:
    """Return the mean of all jobs that started, from the means of their submitters."""
    jobs, seconds = 0, 0.0
    for each in waits:
        if each["started"]:
            jobs += each["started"]
            seconds += each["started"] * each["mean"]
    if not jobs:
        return None
    return seconds / jobs


def _below_root(groups: Mapping[str, float]) -> dict[str, float]:
    return {name: used for name, used in groups.items() if name != ROOT}


def _starved(waiting: Mapping[str, float], used: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(name for name, jobs in waiting.items() if jobs > 0 and used.get(name, 0) <= 0)
