"""The rounds of queries of a capture: their time limits, their files and their failures."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from htcq import time_limit
from htcq.errors import OutputError
from htcq.limits import Limits
from htcq.live import ads
from htcq.live.bindings import reason
from htcq.live.deadline import WORKERS, Task, TaskOutcome, answer_budget, run_all
from htcq.pool.left_out import LeftOut

#: Queries that may wait for silent daemons beside those that are answered: each is a process of
#: some 10 MB.
_MAX_SLOW = 96
#: Of the time of a command that is limited, queries may have this part: the rest is for the answer.
_QUERIES_PART = 0.6
#: And no round of them waits longer than this part of what is left then.
_PART = 1 / 3
#: But each waits so long at least, in seconds.
_MIN_PATIENCE = 0.1
NOTHING_WRITTEN = ads.Written(0)


class Progress(Protocol):
    """Shows how far a capture is."""

    def step(self, done: int, total: int, what: str) -> None:
        """Tell that ``done`` of ``total`` queries are answered, last the one called ``what``."""

    def close(self) -> None:
        """Take the display away."""


@dataclass
class Rounds:
    """Queries into files of the directory ``parts``; ``timeout`` is in seconds, for each.

    Where the command has a time limit (htcq.time_limit), a round gets a part of what is left:
    silent daemons leave time to say which they are.
    """

    parts: Path
    timeout: float
    progress: Progress | None
    limits: Limits
    files: dict[str, list[Path]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    failed: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    asked: int = 0
    answered: int = 0
    made: int = 0

    def __post_init__(self) -> None:
        self.until = time.monotonic() + time_limit.within(math.inf) * _QUERIES_PART

    def part(self, file: str) -> Path:
        """Return a new file that will be a part of ``file``.

        Parts are joined in the order in which they are requested.
        """
        self.made += 1
        path = self.parts / f"{self.made:06d}"
        self.files.setdefault(file, []).append(path)
        return path

    def ask(
        self, tasks: Sequence[Task], part: float = _PART, at_a_time: int = 0
    ) -> list[TaskOutcome]:
        """Ask all of them at once, or ``at_a_time`` of them, and return their answers.

        They get this ``part`` of the time that is left. Where that is limited, the first of each
        host come first: however many a host has that do not answer, those of others are asked.

        Raises:
            OutputError: the disk is full or broken.
        """
        if self.until < math.inf:
            first, rest = _turns(tasks)
            if rest:
                found: dict[int, TaskOutcome] = {}
                for places, share in ((first, part), (rest, part / 2)):
                    some = [tasks[place] for place in places]
                    found.update(zip(places, self._asked(some, share, at_a_time)))
                return [found[number] for number in range(len(tasks))]
        return self._asked(tasks, part, at_a_time)

    def _asked(self, tasks: Sequence[Task], part: float, at_a_time: int) -> list[TaskOutcome]:
        self.asked += len(tasks)
        workers = at_a_time or WORKERS
        # All that run at the same time share what there is.
        budget = answer_budget(self.parts, min(len(tasks), workers), self.limits)
        seconds = math.inf
        if self.until < math.inf:
            left = (self.until - time.monotonic()) * part
            seconds = max(_MIN_PATIENCE, round(left, 1))
        outcomes = run_all(
            tasks, self.timeout, self._finished, workers,
            budget=budget, max_slow=0 if at_a_time else _MAX_SLOW, seconds=seconds,
        )  # fmt: skip
        for outcome in outcomes:
            if outcome.why.startswith(ads.NOT_WRITTEN):
                why = outcome.why[len(ads.NOT_WRITTEN) :]
                raise OutputError(
                    f"{self.parts.parent} cannot be written: {why}", "is there room on the disk?"
                )
        return outcomes

    def _finished(self, outcome: TaskOutcome) -> None:
        self.answered += 1
        if self.progress:
            self.progress.step(self.answered, self.asked, outcome.what)

    def taken(self, outcome: TaskOutcome) -> ads.Written:
        """Return what was written; a failure is noted, and what it left half done is not used."""
        if not outcome.done:
            why = reason(outcome.why, outcome.complaint)
            self.failed.append((outcome.what, why))
            return NOTHING_WRITTEN
        written: ads.Written = outcome.value
        self.left_out += written.left_out
        kind, count = outcome.what.partition(" of ")[0], written.count
        if kind.endswith("configuration"):
            kind, count = "configurations", 1
        if kind not in ("slot expressions", "answer"):
            self.counts[kind] = self.counts.get(kind, 0) + count
        return written

    def join(self, directory: Path) -> None:
        """Put every file into ``directory``, joined from its parts."""
        for name, parts in self.files.items():
            there = [part for part in parts if part.exists()]
            if not there:
                continue
            path = directory / name
            path.parent.mkdir(mode=0o700, exist_ok=True)
            there[0].replace(path)
            with path.open("ab") as out:
                for part in there[1:]:
                    with part.open("rb") as source:
                        shutil.copyfileobj(source, out, 1 << 20)
                    part.unlink()


def _turns(tasks: Sequence[Task]) -> tuple[list[int], list[int]]:
    """Return the numbers of the first task of each host, and of those without; then the others."""
    hosts: set[str] = set()
    first, rest = list[int](), list[int]()
    for number, task in enumerate(tasks):
        (rest if task.host in hosts else first).append(number)
        if task.host:
            hosts.add(task.host)
    return first, rest
