"""Who wants what: access points, submitters, and the classes of jobs in their queues.

Submitters of this pool have their jobs on its access points. Others come from elsewhere: they
have submitter ads and claims here, but their access points and jobs are in another pool. So a
pool can have more claims than jobs to look at."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tests.invented.ads import DOMAIN
from tests.invented.groups import Group
from tests.invented.kinds import SYSTEMS
from tests.invented.policies import Shape

FOREIGN_DOMAIN = "campus.example"
_SCHEDDS = 40
_FOREIGN_SCHEDDS = 12
#: The share of submitters who come from elsewhere, of those in a group, and of those who use two
#: access points.
_FOREIGN, _GROUPED, _TWICE = 0.3, 0.9, 0.05
_MB_PER_CPU = (500, 1000, 1000, 1500, 2000, 2000, 2048, 3000, 4000, 6000)
_DISKS_KB = (100_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
_CPUS = (1,) * 26 + (2,) * 3 + (4,) * 2 + (8, 16)
_GPU_CPUS = (1, 2, 4, 8)
#: The number of the oldest job of a cluster that has not ended yet.
_FIRST_PROCS = (0, 0, 120, 4711)
#: What users write into their requirements; every machine of this pool fulfils it.
_WISHES = (
    "",
    "",
    "",
    "",
    "TARGET.CpuFamily >= 6",
    "TARGET.has_avx2",
    'regexp("^gpu",Machine) == false',
)
_TRANSFERS = {
    "IF_NEEDED": "((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))",
    "YES": "(TARGET.HasFileTransfer)",
}
_RANKS = ("0.0", "0.0", "0.0", "Memory", "TARGET.TotalCpus")


class Autocluster(NamedTuple):
    """Jobs that are the same to the negotiator; ``system`` is the only one they run on, or empty."""

    request: Shape
    system: str
    requirements: str
    rank: str
    transfer: str


@dataclass(eq=False)
class Schedd:
    """One access point; ``local`` where its ad and its jobs are in this pool."""

    number: int
    local: bool
    clusters: int = 0
    autoclusters: dict[int, int] = field(default_factory=dict)

    @property
    def domain(self) -> str:
        """Its UID_DOMAIN."""
        return DOMAIN if self.local else FOREIGN_DOMAIN

    @property
    def name(self) -> str:
        """Its host."""
        return f"ap{self.number:02d}.{self.domain}"


@dataclass(eq=False)
class Queue:
    """The jobs of one submitter on one access point, counted; weights are numbers of slot weights."""

    schedd: Schedd
    owner: str
    group: Group | None
    running: int = 0
    idle: int = 0
    held: int = 0
    weighted_running: int = 0
    weighted_idle: int = 0

    @property
    def user(self) -> str:
        """The account behind it."""
        return f"{self.owner}@{self.schedd.domain}"

    @property
    def submitter(self) -> str:
        """What the negotiator charges."""
        return f"{self.group.name}.{self.user}" if self.group else self.user


@dataclass(eq=False)
class Work:
    """The jobs of one cluster: one autocluster in one queue."""

    queue: Queue
    autocluster: Autocluster
    autocluster_id: int
    cluster: int
    next_proc: int

    def proc(self) -> int:
        """Return the number of the next job."""
        self.next_proc += 1
        return self.next_proc - 1


class Choice:
    """Some works to choose from, the popular ones more often."""

    def __init__(self, works: Sequence[Work], popularity: Iterable[float]) -> None:
        self.works = works
        self._sums = list(itertools.accumulate(popularity))

    def pick(self, rng: Random) -> Work:
        """Return one of them."""
        return self.works[bisect(self._sums, rng.random() * self._sums[-1])]


class Demand:
    """All queues of the pool, and what is in them."""

    def __init__(
        self, rng: Random, groups: Sequence[Group], submitters: int, autoclusters: int
    ) -> None:
        self.schedds = [Schedd(number, True) for number in range(min(_SCHEDDS, submitters))]
        foreign = [Schedd(number, False) for number in range(_FOREIGN_SCHEDDS)]
        self.queues: list[Queue] = []
        for number in range(submitters):
            local = number == 0 or rng.random() >= _FOREIGN
            group = rng.choice(groups) if groups and rng.random() < _GROUPED else None
            schedds = rng.sample(
                self.schedds if local else foreign, 2 if len(self.schedds) > 1 else 1
            )
            for schedd in schedds if rng.random() < _TWICE else schedds[:1]:
                self.queues.append(Queue(schedd, f"user{number:04d}", group))
        self.autoclusters = distinct_autoclusters(rng, autoclusters)
        self.works = self._clusters(rng)
        popularity = [min(rng.paretovariate(1.1), 200.0) for _ in self.works]
        self.local = self._choice(popularity, [work.queue.schedd.local for work in self.works])
        self._choices = {
            (system.name, gpus, local): self._choice(
                popularity,
                [
                    work.queue.schedd.local is local
                    and (work.autocluster.request.gpus > 0) is gpus
                    and work.autocluster.system in ("", system.version)
                    for work in self.works
                ],
            )
            for system in SYSTEMS
            for gpus in (False, True)
            for local in (False, True)
        }

    def _clusters(self, rng: Random) -> list[Work]:
        """Give every queue some clusters, so that each autocluster is found in a local one."""
        local = sum(queue.schedd.local for queue in self.queues)
        least = -(-len(self.autoclusters) // local)
        works, turn = [], itertools.cycle(range(len(self.autoclusters)))
        for queue in self.queues:
            for _ in range(max(least, rng.randint(1, 4))):
                number = next(turn) if queue.schedd.local else rng.randrange(len(self.autoclusters))
                schedd = queue.schedd
                schedd.clusters += rng.randint(1, 30)
                known = schedd.autoclusters.setdefault(number, len(schedd.autoclusters) + 1)
                first = rng.choice(_FIRST_PROCS)
                works.append(Work(queue, self.autoclusters[number], known, schedd.clusters, first))
        return works

    def _choice(self, popularity: Sequence[float], wanted: Sequence[bool]) -> Choice | None:
        works = [work for work, take in zip(self.works, wanted) if take]
        return Choice(works, itertools.compress(popularity, wanted)) if works else None

    def pick(self, rng: Random, system: str, gpus: bool, local: bool) -> Work | None:
        """Return work for a machine of ``system``, local or foreign as asked; None where there is none."""
        choice = self._choices[system, gpus, local]
        return choice.pick(rng) if choice else None


def distinct_autoclusters(rng: Random, count: int) -> list[Autocluster]:
    """Return ``count`` autoclusters, no two alike; one in twelve asks for GPUs."""
    found: dict[Autocluster, None] = {}
    while len(found) < count:
        gpus = rng.choice((1, 1, 2, 4)) if len(found) % 12 == 11 else 0
        cpus = rng.choice(_GPU_CPUS if gpus else _CPUS)
        request = Shape(cpus, cpus * rng.choice(_MB_PER_CPU), rng.choice(_DISKS_KB) * cpus, gpus)
        system = rng.choice(("", "", "", "", SYSTEMS[0].version, SYSTEMS[1].version))
        wish, transfer = rng.choice(_WISHES), rng.choice(tuple(_TRANSFERS))
        text = requirements(request, system, wish, transfer)
        found.setdefault(Autocluster(request, system, text, rng.choice(_RANKS), transfer))
    return list(found)


def requirements(request: Shape, system: str, wish: str, transfer: str) -> str:
    """Return Requirements as condor_submit of 25.14 completes them.

    A user's own clause comes first. OpSys is left out where that clause names a system, and the
    cpus for one of 1."""
    own = [f'TARGET.OpSysAndVer == "{system}"'] if system else []
    own += [wish] if wish else []
    terms = [f"({' && '.join(own)})"] if own else []
    terms.append('(TARGET.Arch == "X86_64")')
    if not system:
        terms.append('(TARGET.OpSys == "LINUX")')
    terms.append(
        '(versionGE(split(TARGET.CondorVersion)[1],"25.12.0") || (TARGET.Disk >= RequestDisk))'
    )
    terms.append("(TARGET.Memory >= RequestMemory)")
    if request.cpus > 1:
        terms.append("(TARGET.Cpus >= RequestCpus)")
    if request.gpus:
        terms.append("(TARGET.GPUs >= RequestGPUs)")
    return " && ".join([*terms, _TRANSFERS[transfer]])
