"""Weight of a schedd's idle jobs, as it reports it to the negotiator.

Follows src/condor_schedd.V6/schedd.cpp (init, count_a_job, guessJobSlotWeight), HTCondor 25.14;
the result of a weight of 0 was measured on 25.14.1. Weights are in the unit of the expression:
cpus, as long as nobody changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from htcq.classads import Ad, Expr, as_number, parsed
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import Number

OWN_KNOB, POOL_KNOB, SWITCH = "SCHEDD_SLOT_WEIGHT", "SLOT_WEIGHT", "SCHEDD_USE_SLOT_WEIGHT"
#: Where SLOT_WEIGHT is literally one of these the schedd knows what a job asks of it.
_PLAIN = {"cpus": "RequestCpus", "memory": "RequestMemory"}
#: Attributes of the made-up slot ad; MB and KiB for each cpu where a job does not ask.
_GUESSED = ("cpus", "memory", "disk")
_GUESSED_PER_CPU = 1024
#: Attributes of slots, not of jobs, that a weight is likely to name.
_NOT_IN_A_JOB = frozenset({"cpus", "memory", "disk", "gpus"})


class ScheddWeight:
    """How the schedd of an access point with this configuration weighs an idle job."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._own = parsed(self.text(OWN_KNOB))
        self._pool = parsed(self.text(POOL_KNOB))

    def knob(self, name: str) -> Knob | None:
        """Return the knob ``name`` as the schedd sees it."""
        return self.configuration.knob(name)

    def text(self, name: str) -> str:
        """Return the value of ``name`` as the schedd sees it, HTCondor's default included.

        Empty where it has none.
        """
        return self.configuration.value(name).strip()

    @cached_property
    def weighs(self) -> bool:
        """Whether the schedd evaluates any weight; otherwise a job weighs its cpus."""
        return self.configuration.truth(SWITCH, True)

    @cached_property
    def own_is_broken(self) -> bool:
        """Whether SCHEDD_SLOT_WEIGHT is set and no ClassAd expression.

        The schedd then ignores it.
        """
        return bool(self.text(OWN_KNOB)) and self._own is None

    @cached_property
    def guesses(self) -> bool:
        """Whether the schedd evaluates SLOT_WEIGHT in a made-up slot ad.

        That slot has just what the job asks for.
        """
        if not self.weighs or self._own is not None:
            return False
        return bool(self.text(OWN_KNOB)) or self.text(POOL_KNOB).lower() not in _PLAIN

    @property
    def decides(self) -> str:
        """The knob that decides."""
        if not self.weighs:
            return SWITCH
        if self._own is not None:
            return OWN_KNOB
        return POOL_KNOB

    @property
    def expression(self) -> str:
        """The text of the knob that decides."""
        return self.text(self.decides)

    @cached_property
    def names_of_slots(self) -> tuple[str, ...]:
        """Names in SCHEDD_SLOT_WEIGHT that no job has: attributes of slots, and TARGET."""
        if self._own is None:
            return ()
        found = self._own.references()
        names = sorted(found.own & _NOT_IN_A_JOB)
        if found.target or "target" in found.own:
            names.append("TARGET")
        return tuple(names)

    @cached_property
    def names_unknown_to_guess(self) -> tuple[str, ...]:
        """Names in SLOT_WEIGHT that the made-up slot ad does not have."""
        if not self.guesses or self._pool is None:
            return ()
        found = self._pool.references()
        return tuple(sorted((found.own | found.target) - frozenset(_GUESSED)))

    def evaluated(self, job: Ad) -> Number | None:
        """Return the value of the deciding expression for ``job``; None where it is no number."""
        if not self.weighs:
            return None
        if self._own is not None:
            return as_number(self._own.evaluate(job))
        if not self.guesses:
            return as_number(Expr(_PLAIN[self.text(POOL_KNOB).lower()]).evaluate(job))
        if self._pool is None:
            return None
        return as_number(self._pool.evaluate(_guessed_slot(job)))

    def of(self, job: Ad) -> Number:
        """Return the weight of one idle ``job``: its cpus where the expression is no number."""
        weight = self.evaluated(job)
        if weight is not None:
            return weight
        cpus = requested(job, "RequestCpus", 1)
        if self.guesses:
            return cpus
        return max(1, cpus)

    def idle(self, job: Ad, wanted: int) -> int:
        """Return how much ``job`` adds to WeightedIdleJobs while it wants ``wanted`` slots.

        The sum is truncated, not rounded.
        """
        return int(self.of(job) * wanted)


def schedd_weight(configuration: Configuration, job: Ad) -> Number:
    """Return the weight of one idle ``job`` at an access point with ``configuration``."""
    return ScheddWeight(configuration).of(job)


def weighted_idle(configuration: Configuration, jobs: Iterable[tuple[Ad, int]]) -> int:
    """Return WeightedIdleJobs of idle ``jobs``, each with the number of slots that it wants."""
    weight = ScheddWeight(configuration)
    return sum(weight.idle(job, wanted) for job, wanted in jobs)


def _guessed_slot(job: Ad) -> Ad:
    cpus = requested(job, "RequestCpus", 1)
    share = cpus * _GUESSED_PER_CPU
    return Ad({
        "Cpus": cpus,
        "Memory": requested(job, "RequestMemory", share),
        "Disk": requested(job, "RequestDisk", share),
    })  # fmt: skip


def requested(job: Ad, name: str, otherwise: int) -> int:
    """Return a request as the schedd reads it, a whole number.

    ``otherwise`` where it is no number.
    """
    number = as_number(job.value(name))
    if number is None:
        return otherwise
    return int(number)


class JobWeights:
    """What the schedds of ``pool`` weigh idle jobs."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._schedds: dict[str, ScheddWeight] = {}
        self._known: dict[tuple[int, str], Number] = {}

    def __call__(self, job: Job, access_point: str) -> Number:
        """Return what ``job`` adds to the demand: its weight for each slot that it still wants."""
        if not job.wanted:
            return 0
        key = (id(job.frame), access_point)
        weight = self._known.get(key)
        if weight is None:
            weight = self._known[key] = self._schedd(access_point).of(job.ad())
        return weight * job.wanted

    def _schedd(self, name: str) -> ScheddWeight:
        known = self._schedds.get(name)
        if known is None:
            configuration = self._pool.schedd_configuration(name) or Configuration("none")
            known = self._schedds[name] = ScheddWeight(configuration)
        return known
