"""What a negotiator's log says of the groups in one cycle (GroupEntry.cpp, HTCondor 23.9 to 25.14).

Its numbers have six significant digits. A limit may be no number: that is ``"nan"`` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

Logged = Union[float, str]

_ANY = r"(.+)"
_POOL = re.compile(r"group quotas: assigning group quotas from (\S+) available")
_SUBTREE = re.compile(rf"group quotas: subtree {_ANY} receiving quota= (\S+)")
_ASSIGNED = re.compile(rf"group quotas: group {_ANY} assigned quota= (\S+)")
_ROUND = re.compile(r"group quotas: allocation round (\d+)")
_GROUP = re.compile(
    rf"group quotas: group= {_ANY}  quota= (\S+)  requested= (\S+)  allocated= (\S+)  "
    rf"unallocated= (\S+)"
)
_TOTALS = re.compile(r"group quotas: groups= .* surplus= (\S+)  maxdelta= (\S+)")
_PASS = re.compile(r"group quotas: entering RR iteration n= (\S+)")
_TURN = re.compile(rf"Group {_ANY} - sortkey= (\S+)")
_LIMIT = re.compile(rf"Group {_ANY} - BEGIN NEGOTIATION with a quota limit of (\S+)")
_SLOTS = re.compile(r"Public ads include \d+ submitter, (\d+) startd")


@dataclass
class LoggedRound:
    """One allocation round: of each group quota, requested, allocated and unallocated, and of its first pass the turns.

    ``keys`` and ``order`` have all groups, ``limits`` those that got a turn.
    """

    surplus: Logged = "missing"
    max_delta: Logged = "missing"
    groups: dict[str, tuple[Logged, ...]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    keys: dict[str, Logged] = field(default_factory=dict)
    limits: dict[str, Logged] = field(default_factory=dict)


@dataclass
class LoggedCycle:
    """One cycle over so many ``slots``.

    ``subtree_quotas`` has the groups that quota was handed down to, be it 0; ``quotas`` those
    for which it was more."""

    slots: int = 0
    pool_weight: Logged = "missing"
    subtree_quotas: dict[str, Logged] = field(default_factory=dict)
    quotas: dict[str, Logged] = field(default_factory=dict)
    rounds: list[LoggedRound] = field(default_factory=list)


def number(text: str) -> Logged:
    """Return the number that the log prints as ``text``."""
    return "nan" if text.endswith("nan") else float(text)


def read_cycle(text: str) -> LoggedCycle:
    """Return what the log of one cycle says."""
    cycle, passes = LoggedCycle(), 0
    for line in text.splitlines():
        if _ROUND.search(line):
            cycle.rounds.append(LoggedRound())
            passes = 0
        passes += bool(_PASS.search(line))
        if not cycle.rounds:
            _before_rounds(cycle, line)
        elif passes == 0:
            _allocated(cycle.rounds[-1], line)
        elif passes == 1:
            _first_pass(cycle.rounds[-1], line)
    return cycle


def _before_rounds(cycle: LoggedCycle, line: str) -> None:
    for name, amount in _found(_SUBTREE, line):
        cycle.subtree_quotas[name] = number(amount)
    for name, amount in _found(_ASSIGNED, line):
        cycle.quotas[name] = number(amount)
    for (amount,) in _found(_POOL, line):
        cycle.pool_weight = number(amount)
    for (slots,) in _found(_SLOTS, line):
        cycle.slots = int(slots)


def _allocated(one: LoggedRound, line: str) -> None:
    for name, *amounts in _found(_GROUP, line):
        one.groups[name] = tuple(number(amount) for amount in amounts)
    for surplus, max_delta in _found(_TOTALS, line):
        one.surplus, one.max_delta = number(surplus), number(max_delta)


def _first_pass(one: LoggedRound, line: str) -> None:
    for name, key in _found(_TURN, line):
        one.order.append(name)
        one.keys[name] = number(key)
    for name, limit in _found(_LIMIT, line):
        one.limits[name] = number(limit)


def _found(pattern: re.Pattern[str], line: str) -> Iterator[tuple[str, ...]]:
    match = pattern.search(line)
    if match:
        yield match.groups()
