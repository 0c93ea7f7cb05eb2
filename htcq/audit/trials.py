"""Jobs tried on the slots' consumption policies, once for all rules: the pool's own jobs, then made-up requests.

A match is reckoned as the negotiator does it (src/condor_utils/consumption_policy.cpp, HTCondor 25.14). Jobs that the
policies cannot tell apart are tried once, and a policy that looks at nothing of its slot is tried once for all slots.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.classads import Ad, literal
from htcq.policy.safety import job_grid
from htcq.pool.job import OWN as JOB_OWN
from htcq.pool.jobclass import JobClass, made_up
from htcq.pool.kind import Kind
from htcq.pool.slot import OWN as SLOT_OWN
from htcq.pool.slot import Number
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, attribute

#: Most different requests of the pool's own jobs that are tried on a policy that looks at its slot.
MOST_OWN = 100
_JOB_OWN = {name.lower(): place for place, name in enumerate(JOB_OWN, 1)}
_SLOT_OWN = frozenset(name.lower() for name in SLOT_OWN)


@dataclass(frozen=True)
class Trial:
    """One job on a full slot: ``taken`` is what it takes of each asset by the slot's policy; None: no number.

    ``own`` tells a job of the pool from a made-up one.
    """

    jobs: JobClass
    own: bool
    taken: Mapping[str, Number | None]

    @property
    def job(self) -> str:
        """What a person calls the job."""
        return f"job {self.jobs.name}" if self.own else f"a job that asks for {self.jobs.name}"

    def ad(self) -> Ad:
        """Return the job's ad; valid until the next call."""
        return self.jobs.ad()

    def asks(self, asset: str) -> bool:
        """Tell whether the job says how much of ``asset`` it wants."""
        return f"request{asset}" in self.jobs.frame

    def asks_in_vain(self, asset: str) -> bool:
        """Tell whether what it says of ``asset`` is no number: then the job is wrong, not the policy."""
        return self.asks(asset) and self.jobs.request.get(asset) is None

    @property
    def amounts(self) -> dict[str, Number] | None:
        """What it takes; None where the negotiator matches nothing: no number, below zero, or nothing at all."""
        amounts = {asset: amount for asset, amount in self.taken.items() if amount is not None and amount >= 0}
        return amounts if len(amounts) == len(self.taken) and any(amounts.values()) else None

    def fits(self, kind: Kind) -> int:
        """Return how many such claims a full slot of ``kind`` has room for; 0 where none matches at all."""
        return fits(kind.total, self.amounts or {})


def fits(total: Mapping[str, Number], amounts: Mapping[str, Number]) -> int:
    """Return how often ``amounts`` can be taken of ``total``."""
    return min((int(total[asset] // amount) for asset, amount in amounts.items() if amount > 0), default=0)


class _Looks(NamedTuple):
    """Which attributes of jobs a policy looks at, and whether it looks at anything of its slot."""

    of_jobs: frozenset[str]
    of_slot: bool


class Trials:
    """The trials of one pool; ``classes`` brings its jobs."""

    def __init__(self, classes: Callable[[], Sequence[JobClass]]) -> None:
        self._classes = classes
        self._known: dict[int, tuple[Trial, ...]] = {}
        self._shared: dict[Hashable, tuple[Trial, ...]] = {}
        self._looks: dict[int, _Looks] = {}
        self._made: dict[tuple[tuple[str, Number], ...], JobClass] = {}

    def of(self, kind: Kind) -> tuple[Trial, ...]:
        """Return what the pool's own jobs take of ``kind``, those with most jobs first, and then ordinary ones."""
        found = self._known.get(id(kind))
        if found is None:
            ordinary = (self.made_up(kind, shape) for shape in ordinary_requests(kind.total))
            found = self._known[id(kind)] = (*self.own(kind), *ordinary)
        return found

    def own(self, kind: Kind) -> tuple[Trial, ...]:
        """Return what the pool's own jobs take of ``kind``."""
        looks = self._looks_of(kind)
        key: Hashable = id(kind) if looks.of_slot else tuple(kind.consumption.items())
        found = self._shared.get(key)
        if found is None:
            classes = _distinct(self._classes(), looks.of_jobs)
            chosen = classes[:MOST_OWN] if looks.of_slot else classes
            found = tuple(Trial(each, True, kind.consumed(each.ad())) for each in chosen)
            self._shared[key] = found
        return found

    def looks_at_slot(self, kind: Kind) -> bool:
        """Tell whether the policy of ``kind`` looks at anything of its slot."""
        return self._looks_of(kind).of_slot

    def _looks_of(self, kind: Kind) -> _Looks:
        if id(kind) not in self._looks:
            self._looks[id(kind)] = _looks(kind)
        return self._looks[id(kind)]

    def made_up(self, kind: Kind, shape: Mapping[str, Number]) -> Trial:
        """Return what a job that asks for ``shape`` takes of ``kind``."""
        key = tuple(shape.items())
        jobs = self._made.get(key)
        if jobs is None:
            asked = ", ".join(f"{asset}={amount:g}" for asset, amount in key) or "nothing"
            jobs = self._made[key] = made_up(asked, shape)
        return Trial(jobs, False, kind.consumed(jobs.ad()))


def ordinary_requests(total: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Yield requests as condor_submit writes them: some of cpus, memory and disk each, and whole numbers."""
    whole = {asset: int(amount) for asset, amount in total.items()}
    yield {CPUS: 1, MEMORY: 1024, DISK: 1048576}
    for shape in job_grid({**dict.fromkeys(BUILT_IN_ASSETS, 1), **whole}):
        if all(shape.get(asset, 0) >= 1 for asset in BUILT_IN_ASSETS) and all(
            amount == int(amount) for amount in shape.values()
        ):
            yield shape


def _distinct(classes: Sequence[JobClass], names: frozenset[str]) -> list[JobClass]:
    """Return one of the classes that have equal attributes of these names, those with most jobs first."""
    found: dict[Hashable, JobClass] = {}
    for each in sorted(classes, key=lambda one: -sum(one.idle.values()) - sum(one.running.values())):
        found.setdefault(_looked_at(each, names), each)
    return list(found.values())


def _looked_at(jobs: JobClass, names: frozenset[str]) -> Hashable:
    values: list[Hashable] = []
    for name in sorted(names):
        text = jobs.frame.text(name)
        if text and literal(text) is None:
            # What an expression depends on is not looked into: the class stands for itself.
            return id(jobs)
        values.append(text or (jobs.first[_JOB_OWN[name]] if name in _JOB_OWN else ""))
    return tuple(values)


def _looks(kind: Kind) -> _Looks:
    frame, of_jobs, of_slot = kind.first.frame, set[str](), False
    names, seen = [f"consumption{asset}" for asset in kind.consumption], set[str]()
    assets = {attribute(asset).lower() for asset in kind.assets}
    while names:
        name = names.pop()
        expression = frame.expression(name)
        if name in seen or expression is None:
            continue
        seen.add(name)
        references = expression.references()
        of_jobs |= references.target
        for each in references.own:
            if each in frame or each in _SLOT_OWN or each in assets:
                of_slot = True
                names.append(each)
            else:
                of_jobs.add(each)
    return _Looks(frozenset(of_jobs), of_slot)
