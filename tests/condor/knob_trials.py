"""One knob with a value that its daemon cannot use, on a real pool: what the daemon then does.

The trials are the lines of ``tests/golden/knobs/trials.tsv``: the knob, its value, the daemon that
starts with it, other settings, the attribute of the daemon's ad to look at, and what a job does
meanwhile. ``python -m tests.condor.knob_trials > tests/golden/knobs/outcomes.json`` runs all of
them (half an hour) and writes what was seen; ``pytest --knob-trials N`` compares N of them.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from testpool import Pool, PoolError

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "knobs"
TRIALS = GOLDEN / "trials.tsv"
DAEMONS = ("COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD", "DEFRAG")
BASE = (
    "NEGOTIATOR_INTERVAL = 1\nSCHEDD_INTERVAL = 1\nSCHEDD_MIN_INTERVAL = 1\nUPDATE_INTERVAL = 2\n"
    "PERIODIC_EXPR_INTERVAL = 1\nSTARTER_UPDATE_INTERVAL = 2\nPOLLING_INTERVAL = 1\n"
    "STARTER_INITIAL_UPDATE_INTERVAL = 1\nDEFRAG_INTERVAL = 2\nDEFRAG_UPDATE_INTERVAL = 2\n"
)
#: Seconds for a daemon to show that it lives with a value, and for a job to show what it does.
_SETTLES, _JOB = 2.5, 14.0
#: A daemon that exited so often exits again and again.
_LOOP = 2
_LOGS = {
    "collector": "CollectorLog",
    "negotiator": "NegotiatorLog",
    "schedd": "SchedLog",
    "startd": "StartLog",
    "defrag": "DefragLog",
}
_STATUS = {
    "collector": ("-collector",),
    "negotiator": ("-negotiator",),
    "schedd": ("-schedd",),
    "startd": (),
}
_COMPLAINT = re.compile(
    r"error|invalid|warn|fail|unable|ignor|can't|does not parse|not defined|problem", re.IGNORECASE
)
_JOB_STATES = {
    "1": "idle",
    "2": "runs",
    "3": "removed",
    "4": "completed",
    "5": "held",
    "7": "suspended",
}
SUBMIT = "submit"


@dataclass(frozen=True)
class Trial:
    """One line of the list; ``value`` is what the knob is set to.

    ``beside`` are other settings, separated by ``;;``. ``look`` is an attribute of the daemon's
    ad. ``job`` is a universe, with submit commands after semicolons, or empty where no job is
    needed. ``fits`` says whether the value is one that the knob may have: yes, no, unread where
    nothing reads it, or a question mark where its text does not tell.
    """

    knob: str
    value: str
    daemon: str
    beside: str
    look: str
    job: str
    fits: str = "no"

    @property
    def name(self) -> str:
        return f"{self.knob} = {self.value}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.knob, self.value, self.daemon, self.beside

    @property
    def settings(self) -> str:
        others = "".join(f"{each.strip()}\n" for each in self.beside.split(";;") if each.strip())
        return f"{BASE}{others}{self.name}\n"


@dataclass(frozen=True)
class Outcome:
    """What was seen.

    ``exits`` are the statuses with which the daemon exited by itself, at most two of them.
    ``ad`` is the attribute's text, ``log`` the first complaint that names the knob or its value,
    ``job`` what the job does, ``tool`` what condor_submit said where it refused.
    """

    exits: tuple[str, ...] = ()
    ad: str = ""
    log: str = ""
    job: str = ""
    tool: str = ""


def trials() -> tuple[Trial, ...]:
    """Return all trials, in the order of the file."""
    with TRIALS.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Trial(**row) for row in rows)


class Exits:
    """The exits of a daemon since a trial began, from the master's log.

    The first one is that of the daemon which ran before, if one did. A startd that cannot go on
    after its start exits with status 0.
    """

    def __init__(self, pool: Pool, daemon: str, mark: int, one_before: bool) -> None:
        self._pool, self._mark, self._before = pool, mark, int(one_before)
        self._pattern = re.compile(
            rf"The {daemon.upper()} \(pid \d+\) (?:exited with status|died on signal) (\d+)"
        )

    def within(self, seconds: float) -> tuple[str, ...]:
        """Return the statuses; waits so long, or until the daemon exits again and again."""
        until = time.monotonic() + seconds
        while True:
            found = self._pattern.findall(self._pool.log("MasterLog")[self._mark :])
            exits = tuple(found[self._before :])
            if len(exits) >= _LOOP or time.monotonic() >= until:
                return exits
            time.sleep(0.2)


class Bench:
    """A pool on which one trial after the other is made."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def outcome(self, trial: Trial) -> Outcome:
        """Return what happens with the trial's settings; the pool is well again afterwards."""
        self.pool.configure(trial.settings)
        try:
            if trial.daemon == SUBMIT:
                return self._submitted(trial)
            return self._started(trial)
        finally:
            self.pool.configure(BASE)
            self._recover(trial.daemon)

    def _submitted(self, trial: Trial) -> Outcome:
        done = self.pool.run(
            ["condor_submit", "-terse", "-"],
            as_job_user=True,
            input="executable = /bin/sleep\narguments = 1\nqueue\n",
            capture_output=True,
            text=True,
        )
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if _COMPLAINT.search(line)]
            return Outcome(tool=" ".join(said[:2]).strip() or "no message")
        looked = self.pool.tool("condor_q", "-allusers", "-af:r", trial.look or "ClusterId")
        return Outcome(ad=looked.split("\n")[0])

    def _started(self, trial: Trial) -> Outcome:
        daemon, log = trial.daemon, _LOGS[trial.daemon]
        pool, began = self.pool, time.time()
        mark, master = len(pool.log(log)), len(pool.log("MasterLog"))
        old = pool.daemon_pids().get(daemon)
        if old is not None:
            os.kill(old, signal.SIGQUIT)
        pool.wait(
            lambda: "STARTING UP" in pool.log(log)[mark:], 30, f"the start of the {daemon}", (log,)
        )
        job = ""
        exits = Exits(pool, daemon, master, old is not None)
        if not exits.within(_SETTLES):
            job = self._job(trial)
            exits.within(0.5)
        statuses = exits.within(6.0 if exits.within(0) else 0)
        ad = ""
        if trial.look and not statuses:
            ad = self._look(trial, began)
        return Outcome(statuses[:_LOOP], ad, self._complaint(pool.log(log)[mark:], trial), job)

    def _job(self, trial: Trial) -> str:
        if not trial.job:
            return ""
        universe, *others = (part.strip() for part in trial.job.split(";"))
        description = {"universe": universe, "arguments": "600", "request_memory": "64"}
        description.update(each.split(" = ", 1) for each in others)
        try:
            cluster = self.pool.submit(description)
        except PoolError as error:
            return f"refused: {str(error).splitlines()[-1][:200]}"
        state = "idle"
        until = time.monotonic() + _JOB
        while time.monotonic() < until and state == "idle":
            time.sleep(0.5)
            state = self._state(cluster)
        if state == "runs":
            # What holds or evicts it needs some seconds.
            time.sleep(5.0)
            state = self._state(cluster)
        return state

    def _state(self, cluster: int) -> str:
        listed = self.pool.tool(
            "condor_q", str(cluster), "-allusers", "-af", "JobStatus", "HoldReason", check=False
        )
        status, _, reason = listed.strip().partition(" ")
        state = _JOB_STATES.get(status, "gone")
        return f"{state}: {reason}" if state == "held" else state

    def _look(self, trial: Trial, began: float) -> str:
        def shown() -> list[str]:
            options = ("-constraint", f"DaemonStartTime >= {int(began)}")
            text = self.pool.tool(
                "condor_status", *_STATUS[trial.daemon], *options, "-af:r", trial.look, check=False
            )
            return text.splitlines()

        try:
            return self.pool.wait(shown, 20, f"the ad of the {trial.daemon}")[0].strip()
        except PoolError:
            return "no ad"

    @staticmethod
    def _complaint(text: str, trial: Trial) -> str:
        """Return the first line of a log that complains of the knob, without its time."""
        started = text.partition("STARTING UP")[2]
        words = [re.escape(word) for word in (trial.knob, trial.value) if len(word) > 3]
        _, required, name = trial.knob.partition("SUBMIT_REQUIREMENT_")
        if required:
            words.append(f"(?:requirement|reason) {name.partition('_')[0]}")
        named = re.compile("|".join(words), re.IGNORECASE)
        for line in started.splitlines():
            if named.search(line) and _COMPLAINT.search(line):
                return re.sub(r"^[\d/: .]+(?:\(\S+\) )*", "", line)[:300]
        return ""

    def _recover(self, daemon: str) -> None:
        pool = self.pool
        names = {"startd": "Machine", "schedd": "Scheduler", "negotiator": "Negotiator"}
        if daemon == SUBMIT:
            pool.remove_jobs()
            return
        pool.wait(lambda: daemon in pool.daemon_pids(), 30, f"the {daemon}", ("MasterLog",))
        os.kill(pool.daemon_pids()[daemon], signal.SIGQUIT)
        before = time.time()
        pool.wait(lambda: daemon in pool.daemon_pids(), 30, f"the {daemon}", ("MasterLog",))
        if daemon in names:
            options = ("-constraint", f"DaemonStartTime >= {int(before)}")
            pool.wait(
                lambda: pool.tool(
                    "condor_status", *_STATUS[daemon], *options, "-af", "MyType", check=False
                ).strip(),
                40,
                f"the {daemon}'s ad",
                (_LOGS[daemon],),
            )
        if daemon == "collector":
            pool.wait(
                lambda: (
                    "Machine" in pool.tool("condor_status", "-any", "-af", "MyType", check=False)
                ),
                60,
                "ads",
            )
        pool.remove_jobs(60)


def made(chosen: Iterable[Trial], suite: str) -> Iterator[tuple[Trial, Outcome]]:
    """Yield each of the trials with what came of it, on one pool."""
    with Pool.start(suite=suite, settings=BASE, daemons=DAEMONS) as pool:
        bench = Bench(pool)
        for trial in chosen:
            yield trial, bench.outcome(trial)


def seen(trial: Trial, outcome: Outcome) -> dict[str, object]:
    """Return what outcomes.json has of a trial."""
    row = {"knob": trial.knob, "value": trial.value, "daemon": trial.daemon}
    if trial.beside:
        row["beside"] = trial.beside
    return {**row, **{key: value for key, value in asdict(outcome).items() if value}}


def main() -> None:
    """Make the trials that the output does not have yet, one line each as they end."""
    Pool.patience = 4.0
    suite, place, daemons = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    made_before = []
    if place.exists():
        made_before = [json.loads(line) for line in place.read_text().splitlines()]
    keys = {
        (row["knob"], row["value"], row["daemon"], row.get("beside", "")) for row in made_before
    }
    chosen = [
        trial
        for trial in trials()
        if (not daemons or trial.daemon in daemons) and trial.key not in keys
    ]
    with place.open("a", encoding="utf-8") as lines:
        for trial, outcome in made(chosen, suite):
            lines.write(json.dumps(seen(trial, outcome)) + "\n")
            lines.flush()


if __name__ == "__main__":
    main()
