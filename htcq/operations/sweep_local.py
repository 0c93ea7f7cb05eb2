"""Items of a sweep in processes of this machine, one each, so that one that dies takes no other with it."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field

from htcq.cli.main import run
from htcq.errors import HtcqError
from htcq.live.deadline import Outcome, Task, run_all
from htcq.operations.sweep_place import Place
from htcq.report.terminal import Bar, Silent, progress
from htcq.simulate.sweep import Item, Run, Verdict, judged

#: What every child needs is loaded once, before it is born.
_NEEDED = ("htcq.cli.simulate", "htcq.simulate.cycle.cycle", "htcq.simulate.course.course", "htcq.report.course_json")


def run_here(items: Sequence[Item], place: Place, processes: int, retries: int) -> None:
    """Run ``items``, ``processes`` at a time, and keep what comes of them; one that dies is tried again.

    Raises:
        HtcqError: a result cannot be kept.
    """
    for name in _NEEDED:
        importlib.import_module(name)
    bar = progress()
    try:
        crew = _Crew(place, bar, len(items), {item.name: item for item in items})
        while crew.left and crew.tries <= retries:
            crew.try_all(processes)
    finally:
        bar.close()


@dataclass
class _Crew:
    place: Place
    bar: Silent | Bar
    total: int
    left: dict[str, Item]
    tries: int = field(default=0)

    def try_all(self, processes: int) -> None:
        """Run what is left, once; what may come to something else the next time is left."""
        self.tries += 1
        tasks = [Task(item.name, _simulate, (item, self.place, self.tries)) for item in self.left.values()]
        run_all(tasks, math.inf, self._finished, processes)

    def _finished(self, outcome: Outcome) -> None:
        if not outcome.done:
            verdict = Verdict(reason=outcome.why)
            self.place.results.keep(Run(self.left[outcome.what], verdict, self.tries))
        elif outcome.value:
            del self.left[outcome.what]
        self.bar.step(self.total - len(self.left), self.total, outcome.what)


def _simulate(item: Item, place: Place, tries: int) -> bool:
    """Run one item in this process and keep what comes of it; tell whether another try would come to the same."""
    words = ("simulate", "--snapshot", place.snapshot, "--json", *place.results.ground.arguments, *item.arguments)
    # The simulation gives up its rights to read a stranger's snapshot; what comes of it is kept by this process.
    (outcome,) = run_all([Task(item.name, _told, (words,))], math.inf)
    if not outcome.done:
        raise HtcqError(outcome.why)
    status, printed, said = outcome.value
    verdict = judged(status, printed, said, {place.snapshot: place.source})
    place.results.keep(Run(item, verdict, tries))
    return verdict.hopeless


def _told(words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in this process and return its exit status, what it printed and what it said."""
    printed, said = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(said):
        status = run(words)
    return status, printed.getvalue(), said.getvalue()
