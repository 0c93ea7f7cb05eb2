"""Trials of jobs on consumption policies, once for all rules: the pool's jobs and made-up requests.

A match is computed as in the negotiator (src/condor_utils/consumption_policy.cpp, HTCondor
25.14). Jobs that the policies cannot tell apart are tried once. A policy that refers to nothing of
its slot is tried once for all slots. Jobs that a slot's START does not let in are not tried there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from htcq.audit.referenced_attributes import ReferencedAttributes, looks_of, values_of
from htcq.claims.claim import matched_amounts
from htcq.claims.safety import job_grid
from htcq.classads import Ad, as_number, literal, named
from htcq.policy.claim import Taken
from htcq.pool.autocluster import Autocluster, made_up
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY

#: The number of different requests of the pool's jobs to try on a policy that refers to its slot.
MAX_OWN = 100
_COMMON: Mapping[str, Number] = {CPUS: 1, MEMORY: 1024, DISK: 1048576}


@dataclass(frozen=True)
class Trial:
    """One job on a full slot.

    ``taken`` is the amount of each asset that it takes by the slot's policy; None: no number.
    ``own`` tells a job of the pool from a made-up one. ``alike`` are the autoclusters that the
    policy cannot tell from it, whether START lets them in or not.
    """

    jobs: Autocluster
    own: bool
    taken: Mapping[str, Number | None]
    alike: tuple[Autocluster, ...] = ()

    @property
    def job(self) -> str:
        """The words for the job."""
        if self.own:
            return f"job {self.jobs.name}"
        return f"a job that asks for {self.jobs.name}"

    def ad(self) -> Ad:
        """Return the job's ad; valid until the next call."""
        return self.jobs.ad()

    def asks_in_vain(self, asset: str) -> bool:
        """Return whether its request of ``asset`` is no number: the job is wrong, no policy."""
        return f"request{asset}" in self.jobs.frame and self.jobs.request.get(asset) is None

    @cached_property
    def amounts(self) -> Mapping[str, Number]:
        """The amounts that it takes.

        They are empty where the negotiator matches nothing: an amount is no number or below zero,
        or all are 0.
        """
        return matched_amounts(self.taken)

    @property
    def whole(self) -> bool:
        """Whether it takes whole units: the startd refuses a claim of fractions at any cost."""
        return all(amount == int(amount) for amount in self.amounts.values())

    def fits(self, slot_class: SlotClass) -> int:
        """Return the number of such claims that fit on a full slot; 0 where none matches at all."""
        return fits(slot_class.total, self.amounts)


def fits(total: Mapping[str, Number], amounts: Mapping[str, Number]) -> int:
    """Return how often ``amounts`` fit into ``total``; 0 where all amounts are 0."""
    counts = [int(total.get(asset, 0) // amount) for asset, amount in amounts.items() if amount > 0]
    return min(counts, default=0)


@dataclass(frozen=True)
class _Alike:
    """Jobs that a policy cannot tell apart, and what each of them takes."""

    classes: tuple[Autocluster, ...]
    taken: Mapping[str, Number | None]


class Trials:
    """The trials of one pool; ``classes`` returns its jobs, ``taken`` what they consume."""

    def __init__(
        self,
        classes: Callable[[], Sequence[Autocluster]],
        taken: Callable[[SlotClass, Autocluster], Taken],
    ) -> None:
        self._classes, self._taken = classes, taken
        self._of: dict[SlotClass, tuple[Trial, ...]] = {}
        self._own: dict[SlotClass, tuple[Trial, ...]] = {}
        self._looks: dict[SlotClass, ReferencedAttributes] = {}
        self._alike: dict[Hashable, tuple[_Alike, ...]] = {}
        self._made: dict[tuple[tuple[str, Number], ...], Autocluster] = {}

    def of(self, slot_class: SlotClass) -> tuple[Trial, ...]:
        """Return the trials of the pool's own jobs, the largest classes first, then ordinary ones.

        Where START lets nobody in, as while a slot drains, all made-up jobs are tried.
        """
        if slot_class not in self._of:
            shapes = ordinary_requests(slot_class.total)
            ordinary = [self.made_up(slot_class, shape) for shape in shapes]
            welcome = [trial for trial in ordinary if self.lets_in(slot_class, trial)]
            self._of[slot_class] = (*self.own(slot_class), *welcome) or tuple(ordinary)
        return self._of[slot_class]

    def own(self, slot_class: SlotClass) -> tuple[Trial, ...]:
        """Return the trials of the pool's own jobs that START of ``slot_class`` lets in."""
        if slot_class not in self._own:
            self._own[slot_class] = tuple(self._welcome(slot_class))
        return self._own[slot_class]

    def typical(self, slot_class: SlotClass) -> tuple[Trial, ...]:
        """Return the trials of the pool's own jobs; without any, the trial of one common job."""
        return self.own(slot_class) or (self.made_up(slot_class, _COMMON),)

    def made_up(self, slot_class: SlotClass, shape: Mapping[str, Number]) -> Trial:
        """Return the trial of a job that asks for ``shape`` on ``slot_class``."""
        key = tuple(shape.items())
        if key not in self._made:
            asked = ", ".join(f"{asset}={amount:g}" for asset, amount in key) or "nothing"
            self._made[key] = made_up(asked, shape)
        jobs = self._made[key]
        return Trial(jobs, False, self._taken(slot_class, jobs))

    def looks_at_slot(self, slot_class: SlotClass) -> bool:
        """Return whether the policy of ``slot_class`` refers to its slot."""
        return self._looks_of(slot_class).of_slot

    def lets_in(self, slot_class: SlotClass, trial: Trial) -> bool:
        """Return whether START of ``slot_class`` lets the job in.

        A START that refers to attributes which made-up jobs lack lets every made-up job in.
        """
        frame = slot_class.first.frame
        if "Start" not in frame or literal(frame.text("Start")) is True:
            return True
        asked = looks_of(slot_class, ["start"]).of_jobs
        if not trial.own and any(not name.startswith("request") for name in asked):
            return True
        return bool(as_number(named("Start").evaluate(slot_class.ad(slot_class.total), trial.ad())))

    def _welcome(self, slot_class: SlotClass) -> Iterator[Trial]:
        for alike in self._alike_on(slot_class):
            for jobs in alike.classes:
                trial = Trial(jobs, True, alike.taken, alike.classes)
                if self.lets_in(slot_class, trial):
                    yield trial
                    break

    def _alike_on(self, slot_class: SlotClass) -> tuple[_Alike, ...]:
        """Return the pool's own jobs as the policy of ``slot_class`` tells them apart.

        Those with most jobs come first.
        """
        looks = self._looks_of(slot_class)
        key: Hashable = tuple(slot_class.consumption.items())
        if looks.of_slot:
            key = slot_class
        if key not in self._alike:
            groups = _told_apart(self._classes(), looks.of_jobs)
            if looks.of_slot:
                groups = groups[:MAX_OWN]
            self._alike[key] = tuple(
                _Alike(classes, self._taken(slot_class, classes[0])) for classes in groups
            )
        return self._alike[key]

    def _looks_of(self, slot_class: SlotClass) -> ReferencedAttributes:
        if slot_class not in self._looks:
            names = [f"consumption{asset}" for asset in slot_class.consumption]
            self._looks[slot_class] = looks_of(slot_class, names)
        return self._looks[slot_class]


def ordinary_requests(total: Mapping[str, Number]) -> Iterator[Mapping[str, Number]]:
    """Yield requests as of condor_submit: whole numbers, and some cpus, memory and disk."""
    whole = {asset: int(amount) for asset, amount in total.items()}
    yield _COMMON
    for shape in job_grid({**dict.fromkeys(BUILT_IN_ASSETS, 1), **whole}):
        has_all = all(shape.get(asset, 0) >= 1 for asset in BUILT_IN_ASSETS)
        if has_all and all(amount == int(amount) for amount in shape.values()):
            yield shape


def _told_apart(
    classes: Sequence[Autocluster], names: frozenset[str]
) -> list[tuple[Autocluster, ...]]:
    """Return ``classes`` grouped by their attributes of these names, the largest class first."""

    def size(one: Autocluster) -> int:
        return sum(one.idle.values()) + sum(one.running.values())

    found: dict[Hashable, list[Autocluster]] = {}
    for each in sorted(classes, key=size, reverse=True):
        found.setdefault(values_of(each, names), []).append(each)
    return [tuple(group) for group in found.values()]
