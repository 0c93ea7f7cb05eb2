"""Items of a sweep, each in a process of this machine: one that dies does not end the others."""

from __future__ import annotations

import importlib
import io
import json
import math
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field

from htcq.live.deadline import Task, TaskOutcome, run_all
from htcq.operations.handed_over import record_of
from htcq.operations.pool_source import evaluated_from
from htcq.operations.simulation import Simulation, cycles_of, opened_for, simulated
from htcq.operations.sweep_place import Place
from htcq.report.failure import told
from htcq.report.terminal import Bar, Silent, progress
from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import Run, Verdict, judged

#: What every child needs is loaded once, before it is born.
_NEEDED = (
    "htcq.report.views.course",
    "htcq.report.views.cycle",
    "htcq.simulate.course.course",
    "htcq.simulate.course.single",
    "htcq.simulate.cycle.cycle",
)
#: Reads the options of an item, as words of a command line.
Reader = Callable[[Sequence[str]], Simulation]


def run_here(
    items: Sequence[Item], place: Place, processes: int, retries: int, reader: Reader
) -> None:
    """Run ``items``, ``processes`` at a time, and keep the results; retry an item that dies.

    Raises:
        HtcqError: a result cannot be kept.
    """
    for name in _NEEDED:
        importlib.import_module(name)
    bar = progress()
    try:
        crew = _Crew(place, reader, bar, len(items), {item.name: item for item in items})
        while crew.left and crew.tries <= retries:
            crew.try_all(processes)
    finally:
        bar.close()


@dataclass
class _Crew:
    place: Place
    reader: Reader
    bar: Silent | Bar
    total: int
    left: dict[str, Item]
    tries: int = field(default=0)

    def try_all(self, processes: int) -> None:
        """Run what is left, once; what may come to something else the next time is left."""
        self.tries += 1
        tasks = [
            Task(item.name, _simulate, (item, self.place, self.reader, self.tries))
            for item in self.left.values()
        ]
        run_all(tasks, math.inf, self._finished, processes)

    def _finished(self, outcome: TaskOutcome) -> None:
        if not outcome.done:
            verdict = Verdict(reason=outcome.why)
            self.place.results.keep(Run(self.left[outcome.what], verdict, self.tries))
        elif outcome.value:
            del self.left[outcome.what]
        self.bar.step(self.total - len(self.left), self.total, outcome.what)


def _simulate(item: Item, place: Place, reader: Reader, tries: int) -> bool:
    """Run one item in this process and keep its result; return whether another try is hopeless."""
    words = ("--snapshot", place.snapshot, *place.results.ground.arguments, *item.arguments)
    ended = _ended(words, reader)
    verdict = judged(ended.status, ended.printed, ended.said, {place.snapshot: place.source})
    place.results.keep(Run(item, verdict, tries))
    return verdict.hopeless


@dataclass(frozen=True)
class _Ended:
    """A simulation's exit status, its result as JSON (empty: none), and its messages."""

    status: int
    printed: str
    said: str


def _ended(words: Sequence[str], reader: Reader) -> _Ended:
    """Return what came of a simulation; the snapshot is evaluated in a confined process.

    That process may be a stranger's: this one, which keeps results, takes a record of it.
    """
    said = io.StringIO()

    def look() -> _Ended:
        status, result = simulated(asked, opened)
        return _Ended(status, json.dumps(result, indent=2), said.getvalue())

    with redirect_stderr(said):
        try:
            asked = reader(words)
            opened = opened_for(asked)
            found = evaluated_from([opened], look, cycles_of(asked))
            ended: _Ended = record_of(_Ended, found)
        except (Exception, KeyboardInterrupt) as error:
            status = told(error)
            return _Ended(status, "", said.getvalue())
    return ended
