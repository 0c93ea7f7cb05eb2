"""Takes a snapshot of a live pool over the official bindings, with READ authorisation alone.

One query for each type of ad and one for each schedd, each in a process of its own with a
deadline: a daemon that hangs costs its own part of the snapshot and nothing else, and many of
them together little more time than one. Where all of it must be over at some time, a daemon that
hangs costs a part of what is left. Jobs come before slots, so that slots are asked for what the
jobs' expressions name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from htcq.errors import BindingsError, PoolError
from htcq.live import ads, projections
from htcq.live.asked_startds import startd_of
from htcq.live.bindings import NO_BINDINGS, NO_POOL, OLD_BINDINGS, reason, refused
from htcq.live.captured import EVERYTHING, Captured, Wanted
from htcq.live.configuration import installed_configuration
from htcq.live.deadline import ENDED, NO_ANSWER, Task, TaskOutcome
from htcq.live.own_machine import accountant_log, negotiator_configuration
from htcq.live.remote_config import query_answer, query_configuration
from htcq.live.rounds import NOTHING_WRITTEN, Progress, Rounds
from htcq.live.slot_queries import SlotQueries
from htcq.passing import HIDDEN, temporary_directory
from htcq.pool.files import (
    ACCESS,
    CENTRAL,
    COLLECTOR_ADS,
    CONFIG,
    EXECUTE,
    JOBS_ADS,
    META,
    PRIORITIES_ADS,
    USERS_ADS,
    file_name,
)
from htcq.pool.left_out import together

#: Most startds that are asked for their configuration.
_MAX_STARTDS = 50
#: Startds that are asked first: where none of them answers, a firewall stands before all of them.
_FIRST_STARTDS = 4


def capture(
    pool: str | None,
    directory: Path,
    timeout: float,
    progress: Progress | None = None,
    wanted: Wanted = EVERYTHING,
) -> Captured:
    """Fill ``directory`` (made if missing, in one that exists) with a snapshot of ``pool``.

    ``pool`` is its collector, None for this machine's own. ``timeout`` is in seconds, for each
    query. Files that are there are replaced.

    Raises:
        PoolError: the collector cannot be reached or refuses, or knows no such negotiator; nothing
            is written.
        BindingsError: HTCondor's bindings are missing.
        OutputError: the disk is full or broken.
    """
    # Beside the directory, where there is room for it, so that parts can be moved there.
    with temporary_directory(directory.parent, HIDDEN) as parts:
        rounds = Rounds(parts, timeout, progress, wanted.limits)
        try:
            captured = _Capture(pool, wanted, rounds).run()
        finally:
            if progress:
                progress.close()
        directory.mkdir(mode=0o700, exist_ok=True)
        rounds.join(directory)
        text = json.dumps(captured.meta(), indent=1, ensure_ascii=False)
        (directory / META).write_text(f"{text}\n", encoding="utf-8")
    return captured


@dataclass
class _Capture:
    pool: str | None
    wanted: Wanted
    rounds: Rounds
    without_users: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots = SlotQueries(self.pool, self.rounds)

    def run(self) -> Captured:
        """Ask everything, in rounds: each says what the next has to ask for."""
        taken = datetime.now(timezone.utc).isoformat(timespec="seconds")
        collector, negotiators, schedds = self._daemons()
        expressions = self.slots.expressions() if self.wanted.queues else NOTHING_WRITTEN
        negotiator = self._negotiator(negotiators.locations, collector.locations)
        asked = schedds.locations if self.wanted.schedds else ()
        queues = self._queues(asked, negotiator, expressions)
        if not any(part.exists() for part in self.rounds.files.get(CONFIG, ())):
            queues.append(self._other_configuration(negotiator, collector.locations))
        named = {name for queue in queues for name in queue.named} | self.wanted.attributes
        startds = self.slots.written(self._of_slots(expressions.assets, named))
        if self.wanted.queues and self.wanted.machines:
            self._startds(startds)
        return Captured(
            collector.pool,
            taken,
            self.rounds.counts,
            tuple(self.rounds.failed),
            (negotiator or {}).get("Name", ""),
            together(self.rounds.left_out),
            self._accountant_log(),
            tuple(self.without_users),
            negotiators.locations,
            schedds.locations,
            self.slots.parts,
        )

    def _accountant_log(self) -> tuple[int, int] | None:
        """Return the sizes of the accountant's log, where this machine is the central manager."""
        if installed_configuration() is None:
            return None
        found: tuple[int, int] | None = self.rounds.ask(
            [Task("accountant log", accountant_log, (self.pool,))]
        )[0].value
        return found

    def _negotiator(
        self, negotiators: Sequence[dict[str, str]], collectors: Sequence[dict[str, str]]
    ) -> dict[str, str] | None:
        name = self.wanted.negotiator
        if not name:
            return _central(negotiators, collectors)
        for each in negotiators:
            if each["Name"] == name:
                return each
        known = ", ".join(each["Name"] for each in negotiators) or "none"
        raise PoolError(
            f"{self.pool or 'this pool'} has no negotiator {name}", f"its negotiators: {known}"
        )

    def _daemons(self) -> tuple[ads.Written, ads.Written, ads.Written]:
        kinds = (
            ("collectors", "Collector", projections.COLLECTOR),
            ("negotiators", "Negotiator", projections.EVERYTHING),
            ("schedds", "Schedd", projections.SCHEDD),
            ("submitters", "Submitter", projections.SUBMITTER),
            ("accounting", "Accounting", projections.EVERYTHING),
            ("defrags", "Defrag", projections.DEFRAG),
        )
        tasks = [
            Task(
                what,
                ads.query_collector,
                (self.pool, ad_type, projection, self.rounds.part(COLLECTOR_ADS)),
            )
            for what, ad_type, projection in kinds
        ]
        *outcomes, slots = self.rounds.ask([*tasks, self.slots.counting])
        if not outcomes[0].done:
            raise _unreachable(self.pool, outcomes[0])
        self.slots.counted(slots)
        collectors, negotiators, schedds, *_ = map(self.rounds.taken, outcomes)
        return collectors, negotiators, schedds

    def _queues(
        self,
        schedds: Sequence[dict[str, str]],
        negotiator: dict[str, str] | None,
        expressions: ads.Written,
    ) -> list[ads.Written]:
        """Ask all daemons but the startds for their configuration, then the schedds for jobs.

        The configuration says which attributes of jobs decide whether they are offered.
        """
        tasks = self._central_tasks(schedds, negotiator)
        written = [self.rounds.taken(outcome) for outcome in self.rounds.ask(tasks)]
        if not self.wanted.queues:
            return written
        silent: frozenset[str] = frozenset()
        if self.wanted.machines:
            outcomes = self._access_points(schedds)
            written += [self.rounds.taken(outcome) for outcome in outcomes]
            silent = self._silent(schedds, outcomes)
        of_jobs = self.wanted.job_attributes.union(
            expressions.named, *(each.of_jobs for each in written)
        )
        asked_of_jobs = projections.job_projection(sorted(expressions.assets), sorted(of_jobs))
        answering = [schedd for schedd in schedds if schedd["Name"] not in silent]
        tasks = [
            Task(
                f"jobs of {schedd['Name']}",
                ads.query_jobs,
                (schedd, asked_of_jobs, self.rounds.part(JOBS_ADS)),
                _host_of(schedd),
            )
            for schedd in answering
        ]
        outcomes = self.rounds.ask(tasks)
        written += [self.rounds.taken(outcome) for outcome in outcomes]
        if self.wanted.machines:
            self._users(answering, outcomes)
        return written

    def _central_tasks(
        self, schedds: Sequence[dict[str, str]], negotiator: dict[str, str] | None
    ) -> list[Task]:
        """Return the queries for the negotiator and, where no jobs are wanted, for the schedds."""
        tasks = []
        if negotiator:
            tasks.append(Task(CENTRAL, query_configuration, (negotiator, self.rounds.part(CONFIG))))
            part = self.rounds.part(PRIORITIES_ADS)
            tasks.append(Task("priorities", ads.query_priorities, (negotiator, part)))
        if not self.wanted.queues:
            # Quotas need no jobs, but what a schedd that hangs advertised is no demand. The
            # negotiator waits for such a schedd too: htcq waits for both at the same time.
            tasks += [
                Task(f"answer of {schedd['Name']}", query_answer, (schedd,), _host_of(schedd))
                for schedd in schedds
            ]
        return tasks

    def _other_configuration(
        self, negotiator: dict[str, str] | None, collectors: Sequence[dict[str, str]]
    ) -> ads.Written:
        """Take the central manager's configuration from this machine's files or the collector.

        Its negotiator is not there, refuses or hangs. The files of this machine come first, if it
        runs the negotiator: they contain the value that crashed it, while the collector may not
        have read that value.
        """
        beside = [
            each
            for each in collectors
            if negotiator and each.get("Machine") == negotiator.get("Machine")
        ]
        tasks = [
            Task(
                "this machine's files",
                negotiator_configuration,
                (self.pool, self.rounds.part(CONFIG)),
            )
        ]
        tasks += [
            Task("the collector", query_configuration, (each, self.rounds.part(CONFIG)))
            for each in (beside or list(collectors))[:1]
        ]
        for task in tasks:
            outcome = self.rounds.ask([task])[0]
            if outcome.done and outcome.value.count:
                self.rounds.counts["configurations"] = (
                    self.rounds.counts.get("configurations", 0) + 1
                )
                self._serves(task.what)
                written: ads.Written = outcome.value
                return written
        if not negotiator:
            self.rounds.failed.append((CENTRAL, reason(outcome.why, outcome.complaint)))
        return NOTHING_WRITTEN

    def _serves(self, source: str) -> None:
        """Note that the configuration of ``source`` serves in place of the negotiator's."""
        failed = []
        for what, why in self.rounds.failed:
            if what == CENTRAL:
                why = f"{why}; what {source} has serves instead"
            failed.append((what, why))
        self.rounds.failed = failed

    def _access_points(self, schedds: Sequence[dict[str, str]]) -> list[TaskOutcome]:
        """Ask the schedds for their configuration."""
        tasks = []
        for schedd in schedds:
            part = self.rounds.part(f"{ACCESS}/{file_name(schedd['Name'])}.txt")
            what, host = f"configuration of {schedd['Name']}", _host_of(schedd)
            tasks.append(Task(what, query_configuration, (schedd, part), host))
        return self.rounds.ask(tasks)

    def _silent(
        self, schedds: Sequence[dict[str, str]], outcomes: Sequence[TaskOutcome]
    ) -> frozenset[str]:
        """Return the schedds that gave no answer: nothing more is asked of them."""
        silent = {
            each["Name"]: outcome for each, outcome in zip(schedds, outcomes) if _is_silent(outcome)
        }
        for name, outcome in silent.items():
            self.rounds.failed.append((f"jobs of {name}", reason(outcome.why, outcome.complaint)))
        return frozenset(silent)

    def _users(self, schedds: Sequence[dict[str, str]], jobs: Sequence[TaskOutcome]) -> None:
        """Ask for user records those schedds that answered the query for ``jobs``."""
        asked = [schedd for schedd, answer in zip(schedds, jobs) if answer.done]
        tasks = [
            Task(f"users of {each['Name']}", ads.query_users, (each, self.rounds.part(USERS_ADS)))
            for each in asked
        ]
        for schedd, outcome in zip(asked, self.rounds.ask(tasks)):
            if outcome.done:
                self.rounds.taken(outcome)
            else:
                why = reason(outcome.why, outcome.complaint)
                if not why.startswith(OLD_BINDINGS):
                    why = f"it asks for authentication: {why}"
                self.without_users.append((schedd["Name"], why))

    def _of_slots(self, assets: frozenset[str], named: set[str]) -> list[str]:
        if self.wanted.queues:
            return projections.slot_projection(sorted(assets), sorted(named))
        return projections.weighed_slot_projection(sorted(named))

    def _startds(self, locations: Sequence[dict[str, str]]) -> None:
        places = list(locations)
        several = Counter(each.get("Machine", each["Name"]) for each in places)
        machines = {}
        for each in reversed(places):
            machine = each.get("Machine", each["Name"])
            if several[machine] > 1:
                machine = startd_of(each)
            machines[machine] = each
        tasks = [
            Task(
                f"configuration of {machine}",
                query_configuration,
                (location, self.rounds.part(f"{EXECUTE}/{file_name(machine)}.txt")),
            )
            for machine, location in list(machines.items())[::-1][:_MAX_STARTDS]
        ]
        first = [self.rounds.taken(outcome) for outcome in self.rounds.ask(tasks[:_FIRST_STARTDS])]
        rest = tasks[_FIRST_STARTDS:]
        if rest and not any(each.count for each in first):
            why = f"not asked, since none of the first {_FIRST_STARTDS} startds answered"
            self.rounds.failed.append((f"{len(rest)} more configurations", why))
            return
        for outcome in self.rounds.ask(rest):
            self.rounds.taken(outcome)


def _host_of(location: dict[str, str]) -> str:
    """Return the host of a daemon's address, such as ``<127.0.0.1``."""
    return location.get("MyAddress", "").partition("?")[0].rpartition(":")[0]


def _is_silent(outcome: TaskOutcome) -> bool:
    return outcome.why.startswith(NO_ANSWER)


def _first(locations: Sequence[dict[str, str]]) -> dict[str, str] | None:
    if not locations:
        return None
    return locations[0]


def _central(
    negotiators: Sequence[dict[str, str]], collectors: Sequence[dict[str, str]]
) -> dict[str, str] | None:
    """Return the negotiator on the collector's machine, else the first; a pool may have several."""
    machines = {each.get("Machine") for each in collectors}
    beside = [each for each in negotiators if each.get("Machine") in machines]
    return _first(beside) or _first(negotiators)


def _unreachable(pool: str | None, outcome: TaskOutcome) -> Exception:
    if outcome.why.startswith(NO_BINDINGS):
        return BindingsError("htcondor2")
    if outcome.why.startswith(NO_POOL):
        return PoolError(
            "no pool is named, and this machine's HTCondor knows none",
            "name its collector: --pool HOST",
        )
    if outcome.why.startswith(ENDED):
        # The bindings read the configuration first, and end the process where they cannot.
        complaint = outcome.why[len(ENDED) + 2 :]
        return PoolError(
            f"this machine's HTCondor configuration cannot be read: {complaint}", "fix it first"
        )
    where = pool or "this machine's pool"
    user = refused(f"{outcome.why}\n{outcome.complaint}")
    if user:
        return PoolError(
            f"{where}: its collector refuses to let {user} read (READ authorisation)",
            "ask its administrator for ALLOW_READ for this user or host, or for a token with READ",
        )
    return PoolError(
        f"{where}: its collector cannot be queried: {reason(outcome.why, outcome.complaint)}",
        "check the address (HOST or HOST:PORT), the network, and that the collector runs",
    )
