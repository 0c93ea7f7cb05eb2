"""Which waiting jobs would take parts of a piece, and how many pieces are taken alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from htcq.balance.amounts import Amounts
from htcq.balance.causes import START_REFUSES
from htcq.balance.wanting import Waiting
from htcq.why.match_failure import CONSUMPTION, START, MatchFailure


class Taker(NamedTuple):
    """A class of jobs that would have a piece; whether its cause alone keeps them from it."""

    waiting: int
    cause: str
    is_alone: bool = True


class Step(NamedTuple):
    """Jobs of one class that take a part of a piece."""

    waiting: int
    cause: str
    number: int
    amounts: Amounts
    is_alone: bool


def repeats(steps: Sequence[Step], rest: Sequence[int], most: int) -> int:
    """Return how many alike pieces are taken alike: as long as jobs of each class are left."""
    taken = Counter[int]()
    for step in steps:
        taken[step.waiting] += step.number
    times = [(rest[waiting] - 1) // number for waiting, number in taken.items()]
    return max(1, min([most, *times]))


def stands_for(jobs: Waiting, cause: str) -> str:
    """Return for whom or what a part stands that waiting ``jobs`` would take but for ``cause``."""
    each = _reason_of(jobs, cause)
    if each is not None:
        if each.amounts.get("knob") and each.amounts.get("schedd"):
            return f"{each.amounts['knob']} of {each.amounts['schedd']}"
        for name in ("knob", "group", "submitter", "name", "schedd"):
            if each.amounts.get(name):
                return str(each.amounts[name])
    return jobs.meeting.submitter


def raised_by(jobs: Waiting, cause: str, is_served: Callable[[], bool]) -> str | None:
    """Return what somebody does about ``cause`` for waiting ``jobs``; None if nobody has to.

    Empty where the case says no more than the cause. What slots say of each job, an audit does not
    ask for: that a policy takes too much even of an empty slot is known without. It is none where
    the slot serves these jobs when it is empty, or smaller ones like them (``is_served``).
    """
    if cause == CONSUMPTION:
        return None if is_served() else ""
    if cause == START_REFUSES:
        return _clause_of_start(jobs)
    each = _reason_of(jobs, cause)
    if each is None or cause not in jobs.faults:
        return None
    return each.raised_by


def _clause_of_start(jobs: Waiting) -> str:
    """Return which clause of START refuses ``jobs``, and the cure; empty where several do."""
    own = [each for each in jobs.verdict.walls if each.id == START]
    if len(own) != 1 or "clause" not in own[0].amounts:
        return ""
    attribute = own[0].amounts.get("attribute", "START")
    return f"{attribute}: {own[0].amounts['clause']} refuses these jobs: {own[0].lifted_by}"


def _reason_of(jobs: Waiting, cause: str) -> MatchFailure | None:
    return next((each for each in jobs.verdict.walls if each.id == cause), None)
