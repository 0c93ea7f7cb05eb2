#!/usr/bin/env python3
"""Print what a policy of quotas does to the groups of a pool in simulated days.

The pool has single cpus and five leaf groups. In each simulated minute jobs come and end, and the
negotiator's own algorithm (htcq.quota.condor) matches idle jobs within the quotas in force. Static
quotas are the mins at every level, with surplus and NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION =
False; with preemption a group below its min takes the youngest jobs of groups above theirs. The
elastic policy is that of the imported htcq: htcq.elastic.next_step, with a journal in memory,
every five minutes. So the same script, run with PYTHONPATH at another checkout, shows another
policy. Demand and run times are drawn from a seed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from htcq.elastic.journal import (
    APPLY,
    INTENT,
    OUTCOME,
    VERIFIED,
    JournalRecord,
    JournalState,
    after,
)
from htcq.elastic.next_step import next_step
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import file_of
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim, IdleJobs
from htcq.quota.condor import Inputs, Turn, compute_quotas
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.quota.group_tree import build_tree
from htcq.quota.settings import read_settings
from htcq.settings.elastic_write import WriteSettings

#: The small pool and its groups; a larger one has multiples of them, and of the demand.
CPUS = 24
MINS = {"A": 8, "A.a1": 4, "A.a2": 4, "B": 10, "B.b1": 5, "B.b2": 5, "C": 6}
MAXES = {"A": 16, "A.a1": 16, "A.a2": 16, "B": 20, "B.b1": 20, "B.b2": 20, "C": 24}
LEAVES = ("A.a1", "A.a2", "B.b1", "B.b2", "C")
#: Minutes from step to step, and those that a job has run before it is vacated.
STEP, RUN = 5, 10
DAY = 24 * 60


@dataclass
class Job:
    """One job of one cpu: how many minutes it runs, and when it started (None: it is idle)."""

    group: str
    length: int
    started: int | None = None
    vacated: bool = False


@dataclass(frozen=True)
class Pace:
    """How reclaim acts: every ``timer`` minutes, after ``over`` and ``need`` minutes.

    Mins come back after ``need`` minutes. It vacates ``percent`` of the pool's claims first, and
    twice as many each time that follows.
    """

    timer: int
    over: int
    need: int
    percent: float


@dataclass(frozen=True)
class Policy:
    """What is done for the groups: elastic steps, reclaim, or the negotiator's preemption."""

    elastic: bool = False
    pace: Pace | None = None
    preempts: bool = False


def flipping(minute: int, dice: random.Random) -> Iterator[Job]:
    """Yield jobs of A or B by turns, changing every hour, and always more of C."""
    group = ("A.a1", "B.b1")[minute // 60 % 2]
    if minute % 2 == 0:
        yield Job(group, dice.randint(10, 60))
    if minute % 3 == 0:
        yield Job("C", dice.randint(20, 90))


def bursty(minute: int, dice: random.Random) -> Iterator[Job]:
    """Yield now and then a hundred jobs of one group at once."""
    if dice.random() < 1 / 120:
        group = dice.choice(LEAVES)
        for _ in range(100):
            yield Job(group, dice.randint(10, 60))


def daily(minute: int, dice: random.Random) -> Iterator[Job]:
    """Yield jobs of A and B by day and long ones of C by night."""
    hour = minute // 60 % 24
    if 8 <= hour < 18 and minute % 2 == 0:
        yield Job(dice.choice(LEAVES[:4]), dice.randint(15, 60))
    if (hour >= 17 or hour < 6) and minute % 4 == 0:
        yield Job("C", dice.randint(60, 240))


def monday(minute: int, dice: random.Random) -> Iterator[Job]:
    """Yield long jobs of C in the evening, and at eight those of all groups at once."""
    if minute % DAY == 17 * 60:
        for _ in range(40):
            yield Job("C", dice.randint(60, 240))
    if minute % DAY == 8 * 60:
        for group in LEAVES:
            for _ in range(30):
                yield Job(group, dice.randint(30, 120))


def downtime(minute: int, dice: random.Random) -> Iterator[Job]:
    """Yield jobs of all groups all day, while the pool is away from two to six."""
    if minute % 7 == 0:
        for group in LEAVES:
            yield Job(group, dice.randint(10, 60))


DEMANDS: Mapping[str, Callable[[int, random.Random], Iterator[Job]]] = {
    "flipping": flipping,
    "bursty": bursty,
    "daily": daily,
    "monday": monday,
    "downtime": downtime,
}


def is_away(demand: str, minute: int) -> bool:
    """Return whether no machine is there: running jobs begin again afterwards, all at once."""
    return demand == "downtime" and 2 * 60 <= minute % DAY < 6 * 60


@dataclass
class Measured:
    """What came of simulated days; times in minutes, amounts in cpus times minutes.

    ``below_min`` are minutes in which a group of the top level has idle jobs and less than its min;
    ``withheld`` are those of them in which cpus are free as well. ``to_min`` has how long each such
    time lasted. ``wasted`` are free cpus for which idle jobs of groups below their max wait.
    """

    below_min: int = 0
    withheld: int = 0
    to_min: list[int] = field(default_factory=list)
    wasted: int = 0
    above_max: int = 0
    writes: int = 0
    vacates: int = 0
    lost: int = 0


class Days:
    """A pool of ``times`` the small one, its jobs, and the quotas in force."""

    def __init__(self, policy: Policy, times: int = 1) -> None:
        self.policy, self.times, self.cpus = policy, times, CPUS * times
        self.mins = {name: amount * times for name, amount in MINS.items()}
        self.maxes = {name: amount * times for name, amount in MAXES.items()}
        groups = [
            ElasticGroup(name, name.rpartition(".")[0], {"cpus": least}, {"cpus": self.maxes[name]})
            for name, least in self.mins.items()
        ]
        self.quotas = ElasticQuotas(tuple(groups))
        self.jobs: list[Job] = []
        self.journal = JournalState()
        self.knobs = dict(
            file_of({name: (float(n), True) for name, n in self.mins.items()}).knobs()
        )
        self.measured = Measured()
        self.since: dict[str, int] = {}
        self.over_since: dict[str, int] = {}
        self.need_since: dict[str, int] = {}
        self.actions: list[int] = []

    def run(self, demand: str, days: int, seed: int) -> Measured:
        """Let the days pass and return what they came to."""
        dice = random.Random(seed)
        for minute in range(days * DAY):
            self._come(demand, minute, dice)
            self.jobs = [
                job for job in self.jobs if job.started is None or minute < job.started + job.length
            ]
            if is_away(demand, minute):
                for job in self.jobs:
                    job.started = None
                continue
            if self.policy.elastic and minute % STEP == 0:
                self._step(minute)
            if self.policy.pace is not None and minute % self.policy.pace.timer == 0:
                self._reclaim(minute, self.policy.pace)
            self._match(minute)
            if self.policy.preempts:
                self._preempt(minute)
            self._measure(minute)
        return self.measured

    def _come(self, demand: str, minute: int, dice: random.Random) -> None:
        for job in DEMANDS[demand](minute, dice):
            self.jobs.append(job)
            for _ in range(self.times - 1):
                self.jobs.append(Job(job.group, max(5, round(job.length * dice.uniform(0.7, 1.3)))))

    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        running = Counter(job.group for job in self.jobs if job.started is not None)
        idle = Counter(job.group for job in self.jobs if job.started is None)
        return running, idle

    def _step(self, minute: int) -> None:
        observation = self._observed(*self._counts())
        health = PoolHealth(
            "simulated", 0.0, "", ("cm",), self.cpus, 1, float(self.cpus), None, {}, None
        )
        now = minute * 60.0
        step = next_step(self.quotas, observation, health, self.journal, WriteSettings(), now)
        if step.plan.changes and not step.broken:
            self.measured.writes += 1
            number = self.journal.last + 1
            quotas = step.plan.file.quotas
            intent = JournalRecord(number, now, INTENT, what=APPLY, text="x", quotas=quotas)
            done = JournalRecord(number + 1, now, OUTCOME, of=number, result=VERIFIED)
            self.journal = after(after(self.journal, intent), done)
            self.knobs = dict(step.plan.file.knobs())

    def _reclaim(self, minute: int, pace: Pace) -> None:
        """Vacate the youngest jobs of groups that use too much where others wait for that."""
        running, idle = self._counts()
        demand = self._observed(running, idle).demand
        runtime = {each.name: each.runtime["cpus"] for each in compute(self.quotas, demand).groups}
        full = sum(running.values()) == self.cpus
        over = {name: running[name] - runtime[name] for name in LEAVES}
        need = {name: full * min(idle[name], -over[name]) for name in LEAVES}
        ready = _ready(over, self.over_since, minute, pace.over)
        needy = _ready(need, self.need_since, minute, pace.need)
        below = {name: full * min(idle[name], self.mins[name] - running[name]) for name in needy}
        if any(amount > 0 for amount in below.values()):
            soon = _ready(over, self.over_since, minute, pace.need)
            if soon != ready:
                ready, need = soon, {name: max(0, amount) for name, amount in below.items()}
        if not (ready and needy):
            return
        recent = sum(then > minute - 60 for then in self.actions)
        most = max(1, int(self.cpus * pace.percent / 100)) * 2**recent
        left = min(most, sum(need[name] for name in needy))
        if self._vacate(minute, {name: over[name] for name in ready}, left, RUN):
            self.actions.append(minute)

    def _vacate(self, minute: int, over: dict[str, int], most: int, least_age: int) -> int:
        """Vacate up to ``most`` of the youngest jobs of groups that are over; return how many."""
        done = 0
        running = [job for job in self.jobs if job.started is not None]
        for job in sorted(running, key=lambda each: -(each.started or 0)):
            ran = minute - (job.started or 0)
            if done == most:
                break
            if over.get(job.group, 0) > 0 and ran >= least_age and not job.vacated:
                self.measured.lost += ran
                job.started, job.vacated = None, True
                over[job.group] -= 1
                done += 1
        self.measured.vacates += done
        return done

    def _preempt(self, minute: int) -> None:
        """Let groups below their min take the jobs of groups above theirs, as the negotiator can."""
        running, idle = self._counts()
        over = {name: running[name] - self.mins[name] for name in LEAVES}
        wanted = {name: max(0, min(idle[name], -over[name])) for name in LEAVES}
        freed = self._vacate(minute, over, sum(wanted.values()), 0)
        for job in self.jobs:
            if freed and job.started is None and wanted[job.group] > 0 and not job.vacated:
                job.started = minute
                wanted[job.group] -= 1
                freed -= 1

    def _match(self, minute: int) -> None:
        running, idle = self._counts()
        waiting: dict[str, list[Job]] = {name: [] for name in LEAVES}
        for job in self.jobs:
            if job.started is None:
                waiting[job.group].append(job)
        tree, _ = build_tree(self.knobs)
        free = self.cpus - sum(running.values())

        def turn(group: str, limit: int) -> Turn:
            nonlocal free
            count = max(0, min(free, limit - running[group], len(waiting.get(group, ()))))
            for job in waiting.get(group, [])[:count]:
                job.started = minute
            waiting[group] = waiting.get(group, [])[count:]
            running[group] += count
            free -= count
            return Turn({group: float(running[group])}, through=not waiting[group])

        requested = {name: float(running[name] + idle[name]) for name in LEAVES}
        usage = {name: float(running[name]) for name in LEAVES}
        asking = [name for name in LEAVES if idle[name]]
        settings, _ = read_settings({"NEGOTIATOR_CONSIDER_PREEMPTION": "False", **self.knobs})
        compute_quotas(Inputs(tree, float(self.cpus), requested, usage, asking, settings), turn)

    def _measure(self, minute: int) -> None:
        running, idle = self._counts()
        free = self.cpus - sum(running.values())
        wanted = 0
        for top in ("A", "B", "C"):
            has, waits = _below(running, top), _below(idle, top)
            self.measured.above_max += max(0, has - self.maxes[top])
            wanted += min(waits, max(0, self.maxes[top] - has))
            if waits and has < self.mins[top]:
                self.measured.below_min += 1
                self.measured.withheld += free > 0
                self.since.setdefault(top, minute)
            elif top in self.since:
                self.measured.to_min.append(minute - self.since.pop(top))
        self.measured.wasted += min(free, wanted)

    def _observed(self, running: Mapping[str, int], idle: Mapping[str, int]) -> ElasticObservation:
        """Return what the writer sees of the pool."""
        one = {"cpus": 1, WEIGHT: PARTS}
        claims: list[GroupClaim] = []
        for name in LEAVES:
            claim = GroupClaim(name, f"{name}.ann@x", "ap", "1.0", "slot1_1@n", "n", one)
            claims.extend([claim] * running[name])
        waiting = [
            IdleJobs(name, f"{name}.ann@x", "ap", "2.0", idle[name], one)
            for name in LEAVES
            if idle[name]
        ]
        demand = ElasticDemand(
            total={"cpus": self.cpus},
            request={name: {"cpus": running[name] + idle[name]} for name in LEAVES},
            used={name: {"cpus": running[name]} for name in LEAVES},
        )
        return ElasticObservation(
            0.0, "cm", demand, float(self.cpus), tuple(claims), tuple(waiting),
            weights={name: float(running[name]) for name in LEAVES},
            unit_weights={"cpus": float(PARTS), WEIGHT: 1.0},
        )  # fmt: skip


def _ready(
    amounts: Mapping[str, int], since: dict[str, int], minute: int, least: int
) -> frozenset[str]:
    """Return the groups whose amounts have been above 0 for ``least`` minutes."""
    for name, amount in amounts.items():
        if amount > 0:
            since.setdefault(name, minute)
        else:
            since.pop(name, None)
    return frozenset(name for name, then in since.items() if minute - then >= least)


def _below(counts: Mapping[str, int], top: str) -> int:
    return sum(count for name, count in counts.items() if name.partition(".")[0] == top)


POLICIES = {
    "static": Policy(),
    "static, preemption": Policy(preempts=True),
    "elastic": Policy(elastic=True),
    "elastic, reclaim": Policy(elastic=True, pace=Pace(1, 10, 2, 20)),
}
HEADINGS = (
    "cpus | demand | policy | below min, h/day | of that with free cpus | longest, min "
    "| free and wanted, cpu-h/day | above max, cpu-h/day | writes/day | vacates/day | lost, cpu-h/day"
)


def main() -> None:
    """Print a row for each demand and policy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=7, help="simulated days of each (7)")
    parser.add_argument("--seed", type=int, default=18, help="seed of the random numbers (18)")
    parser.add_argument("--times", type=int, default=1, help="so many times 24 cpus (1)")
    arguments = parser.parse_args()
    print(f"| {HEADINGS} |")
    print("|---" * len(HEADINGS.split(" | ")) + "|")
    for demand in DEMANDS:
        for name, policy in POLICIES.items():
            days = Days(policy, arguments.times)
            found = days.run(demand, arguments.days, arguments.seed)
            cells = _cells(found, arguments.days)
            print(f"| {days.cpus} | {demand} | {name} | {' | '.join(cells)} |", flush=True)


def _cells(found: Measured, days: int) -> Iterator[str]:
    per_hour = 60 * days
    yield f"{found.below_min / per_hour:.1f}"
    yield f"{found.withheld / per_hour:.1f}"
    yield str(max(found.to_min, default=0))
    yield f"{found.wasted / per_hour:.1f}"
    yield f"{found.above_max / per_hour:.1f}"
    yield f"{found.writes / days:.0f}"
    yield f"{found.vacates / days:.0f}"
    yield f"{found.lost / per_hour:.1f}"


if __name__ == "__main__":
    main()
