"""Drains of startds as they begin, let jobs leave, and end.

Follows src/condor_startd.V6/ResMgr.cpp (startDraining, cancelDraining), HTCondor 25.14. Times are
in seconds since the capture of the pool.
"""

from __future__ import annotations

from functools import partial

from htcq.simulate.course.claims import Claim
from htcq.simulate.course.draining import Drain, leave_times
from htcq.simulate.course.holdings import Holdings
from htcq.simulate.course.runs import Runs

#: Nothing changes before the first cycle, which is that of the captured pool.
SOON = 1.0


class Drains:
    """The drains of the startds of ``holdings``; those of the captured pool go on."""

    def __init__(self, runs: Runs, holdings: Holdings) -> None:
        self._runs, self._holdings = runs, holdings
        self._draining = holdings.draining.startds
        for startd, drain in self._draining.items():
            self._let_leave(startd, drain, True, SOON)

    def begin(self, startd: str, drain: Drain, graceful: bool) -> None:
        """Begin to drain a startd, unless it drains already."""
        if startd in self._draining:
            return
        self._runs.changes += 1
        self._draining[startd] = drain
        self._let_leave(startd, drain, graceful)
        self._holdings.settle(startd)

    def end(self, startd: str) -> None:
        """Let a startd that drains take jobs again; those that have not left stay."""
        if self._draining.pop(startd, None) is not None:
            self._runs.changes += 1

    def _let_leave(self, startd: str, drain: Drain, graceful: bool, at_least: float = 0.0) -> None:
        claims = list(self._holdings.claims_of(startd))
        for claim, at in leave_times(claims, graceful, self._runs.now):
            leave = partial(self._leave, claim, claim.run, startd, drain)
            self._runs.agenda.note(max(at, at_least), leave)
        if not claims:
            self._runs.agenda.note(at_least, partial(self._holdings.settle, startd))

    def _leave(self, claim: Claim, run: int, startd: str, drain: Drain) -> None:
        """Let a job leave that has had its time, unless the drain was ended."""
        if self._draining.get(startd) is drain and claim.run == run and self._holdings.has(claim):
            self._runs.leave(claim)
