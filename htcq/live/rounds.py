"""The rounds of queries of a capture: their time limits, their files and their failures."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from htcq.errors import OutputError
from htcq.limits import Limits
from htcq.live import ads
from htcq.live.bindings import reason
from htcq.live.deadline import WORKERS, Task, TaskOutcome, answer_budget, run_all
from htcq.pool.left_out import LeftOut

#: Queries that may wait for silent daemons beside those that are answered: each is a process of
#: some 20 MB.
_MAX_SLOW = 32
#: Where all must be over at some time, no round of queries waits longer than this part of what is
#: left then.
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

    ``until`` is when all must be over, on the clock of time.monotonic: silent daemons leave time
    to say which they are.
    """

    parts: Path
    timeout: float
    progress: Progress | None
    limits: Limits
    until: float = math.inf
    files: dict[str, list[Path]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    failed: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    asked: int = 0
    answered: int = 0
    made: int = 0

    def part(self, file: str) -> Path:
        """Return a new file that will be a part of ``file``.

        Parts are joined in the order in which they are requested.
        """
        self.made += 1
        path = self.parts / f"{self.made:06d}"
        self.files.setdefault(file, []).append(path)
        return path

    def _patience(self, part: float) -> float:
        """Return the seconds of a round's queries: at most ``part`` of the time that is left."""
        if self.until == math.inf:
            return self.timeout
        left = round((self.until - time.monotonic()) * part, 1)
        return min(self.timeout, max(_MIN_PATIENCE, left))

    def ask(self, tasks: Sequence[Task], part: float = _PART) -> list[TaskOutcome]:
        """Ask all of them at once and return their answers.

        They get this ``part`` of the time that is left.

        Raises:
            OutputError: the disk is full or broken.
        """
        self.asked += len(tasks)
        # All that run at the same time share what there is.
        budget = answer_budget(self.parts, min(len(tasks), WORKERS), self.limits)
        outcomes = run_all(
            tasks, self._patience(part), self._finished, budget=budget, max_slow=_MAX_SLOW
        )
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
