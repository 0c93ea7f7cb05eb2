"""Items of a sweep as jobs of this machine's HTCondor, one each: submitted, waited for, gathered.

A wait that ends early ends nothing else: the next run finds the jobs in the queue, or what they
left.
"""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from htcq.errors import EXIT_USAGE, InputError, PoolError
from htcq.live.job_files import cannot_be_passed, forget, job_commands, job_item, log_of, outputs_of
from htcq.live.jobs import Ended, Job, Queue, endings
from htcq.operations.sweep_place import Place
from htcq.report.printable import tell
from htcq.report.terminal import progress
from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import SCHEMA, Run, Verdict, judged
from htcq.store.results import name_for_jobs

#: Seconds from look to look at the queue: the first, how they grow, and the most.
_FIRST, _GROWTH, _MAX_PAUSE = 1.0, 1.2, 15.0
#: A schedd that is started anew does not answer for a while: so many looks in a row may fail.
_PATIENCE = 20
_UNHEARD = Ended(None, "its job left the queue, and its log does not say why")


@dataclass(frozen=True)
class Submission:
    """The path of htcq on execution points, and how jobs are submitted (``timeout``: seconds)."""

    executable: str
    timeout: float
    retries: int
    commands: Mapping[str, str]
    file: Path


def run_jobs(items: Sequence[Item], place: Place, submission: Submission) -> None:
    """Submit ``items`` that no job works for yet, wait for all, and keep what comes of them.

    Raises:
        PoolError: the schedd cannot be asked.
        InputError: it does not take the jobs, or they were submitted on another machine.
    """
    state = place.results.state()
    if not items:
        return
    if state.get("access_point", platform.node()) != platform.node():
        where = state["access_point"]
        raise InputError(
            f"the jobs of {place.results.directory} were submitted on {where}", "run it there"
        )
    if not state:
        state = {"schema": SCHEMA, "token": secrets.token_hex(8), "access_point": platform.node()}
    work = _Jobs(place, submission, Queue(str(state.get("token")), submission.timeout), len(items))
    work.take_up(items)
    # Written down before the schedd hears of a job: whatever happens then, the jobs are found
    # again.
    place.results.keep_state(state)
    work.tidy(items)
    work.submit()
    work.wait()


@dataclass
class _Jobs:
    place: Place
    submission: Submission
    queue: Queue
    total: int
    #: Items for which there is no job yet, and those that wait for one, by key.
    to_submit: dict[str, Item] = field(default_factory=dict)
    waiting: dict[str, Item] = field(default_factory=dict)

    def take_up(self, items: Sequence[Item]) -> None:
        """Find the jobs of an earlier run, gather their results, and remove unwanted jobs.

        A failure that was not reported yet is reported first; an item whose failure was reported,
        or whose job was removed, is submitted again.
        """
        results = self.place.results
        wanted = {results.key(item): item for item in items}
        jobs = self.queue.jobs()
        self.queue.remove([job for key, job in jobs.items() if key not in wanted])
        told = {key for key, item in wanted.items() if results.kept(item) is not None}
        again = {
            key: job for key, job in jobs.items() if key in told and key in wanted and job.held
        }
        self.queue.remove(list(again.values()))
        self.waiting = {
            key: item for key, item in wanted.items() if key in jobs and key not in again
        }
        left = [key for key in wanted if key not in jobs and log_of(results.jobs, key).exists()]
        self.to_submit = {
            key: item for key, item in wanted.items() if key not in self.waiting and key not in left
        }
        for key, done, removed in self._gather({key: wanted[key] for key in left}):
            if not done and (removed or key in told):
                self.to_submit[key] = wanted[key]

    def tidy(self, items: Sequence[Item]) -> None:
        """Remove what earlier sweeps have left for jobs that are there no more."""
        places = (self._places(item).values() for item in items)
        self.place.results.tidy(
            {self.place.results.snapshot_for_jobs, *(name for names in places for name in names)}
        )

    def submit(self) -> None:
        """Submit one job for each item that has none."""
        items, results, given = [], self.place.results, self.submission
        for key, item in self.to_submit.items():
            forget(results.jobs, key)
            odd = cannot_be_passed((*results.ground.arguments, *item.arguments))
            if odd:
                why = f"{odd}: HTCondor would expand a $$ or $(DOLLAR) in the arguments of a job"
                results.keep(Run(item, Verdict(EXIT_USAGE, reason=why)))
            else:
                self.waiting[key] = item
                items.append(self._job(key, item))
        if items:
            name = f"htcq sweep {given.file.stem}"
            commands = job_commands(
                given.executable,
                results.jobs,
                self.queue.token,
                name,
                given.retries,
                given.commands,
            )
            cluster = self.queue.submit(commands, items)
            tell(f"htcq: submitted as cluster {cluster}: {len(items)} jobs")

    def _job(self, key: str, item: Item) -> dict[str, str]:
        """Put the files of ``item`` where jobs find them, and return what is special to its job."""
        results, places = self.place.results, self._places(item)
        snapshot = results.snapshot_for_jobs
        results.put_snapshot(Path(self.place.snapshot))
        for name, place in places.items():
            results.put_for_jobs(Path(name), place)
        words = (*results.ground.arguments, *item.moved(places).arguments)
        return job_item(
            key,
            ("simulate", "--snapshot", snapshot, "--json", *words),
            (snapshot, *places.values()),
        )

    def _places(self, item: Item) -> dict[str, str]:
        """Return the names that the files of ``item`` have for jobs.

        A file that cannot be read keeps its name.
        """
        digests = self.place.results.ground.files
        return {name: name_for_jobs(name, digests[name]) for name in item.files if digests[name]}

    def wait(self) -> None:
        """Look at the queue until no job is left in it but held ones."""
        bar, pause, silent = progress(), _FIRST, 0
        try:
            while self.waiting:
                time.sleep(pause)
                pause = min(pause * _GROWTH, _MAX_PAUSE)
                try:
                    jobs = self.queue.jobs()
                except PoolError:
                    silent += 1
                    if silent >= _PATIENCE:
                        raise
                    continue
                silent = 0
                for name in self._look(jobs):
                    bar.step(self.total - len(self.waiting), self.total, name)
        except KeyboardInterrupt:
            tell("htcq: the jobs go on; the same command waits for them again")
            raise
        finally:
            bar.close()

    def _look(self, jobs: Mapping[str, Job]) -> list[str]:
        """Keep what came of items whose jobs are gone or held, and return their names."""
        held = {key: item for key, item in self.waiting.items() if key in jobs and jobs[key].held}
        for key, item in held.items():
            verdict = Verdict(reason=f"its job {jobs[key].id} is held: {jobs[key].held}")
            self.place.results.keep(Run(item, verdict))
        gone = {key: item for key, item in self.waiting.items() if key not in jobs}
        self._gather(gone)
        self.waiting = {
            key: item for key, item in self.waiting.items() if key not in held and key not in gone
        }
        return [item.name for item in (*held.values(), *gone.values())]

    def _gather(self, items: Mapping[str, Item]) -> list[tuple[str, bool, bool]]:
        """Keep the results of the jobs of ``items``.

        Return for each whether there is a result, and whether the job was removed.
        """
        gathered = []
        results = self.place.results
        ended = endings(results.jobs, list(items)) if items else {}
        for key, item in items.items():
            end = ended.get(key, _UNHEARD)
            names = {place: name for name, place in self._places(item).items()}
            names[results.snapshot_for_jobs] = self.place.source
            verdict = judged(end.exit_status, *outputs_of(results.jobs, key), names, end.how)
            results.keep(Run(item, verdict, end.tries))
            forget(results.jobs, key)
            gathered.append((key, verdict.done, end.removed))
        return gathered
