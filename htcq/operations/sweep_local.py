"""Items of a sweep, each in a process of this machine: one that dies does not end the others."""

from __future__ import annotations

import importlib
import io
import json
import math
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field

from htcq.errors import HtcqError
from htcq.live.deadline import Task, TaskOutcome, run_all
from htcq.operations.simulation import Simulation, simulated
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
    # The simulation gives up its rights to read a stranger's snapshot; what comes of it is kept by
    # this process.
    (outcome,) = run_all([Task(item.name, _ended, (words, reader))], math.inf)
    if not outcome.done:
        raise HtcqError(outcome.why)
    status, printed, said = outcome.value
    verdict = judged(status, printed, said, {place.snapshot: place.source})
    place.results.keep(Run(item, verdict, tries))
    return verdict.hopeless


def _ended(words: Sequence[str], reader: Reader) -> tuple[int, str, str]:
    """Return a simulation's exit status, its result as JSON (empty: none), and its messages."""
    said = io.StringIO()
    with redirect_stderr(said):
        try:
            status, result = simulated(reader(words))
            printed = json.dumps(result, indent=2)
        except (Exception, KeyboardInterrupt) as error:
            status, printed = told(error), ""
    return status, printed, said.getvalue()
