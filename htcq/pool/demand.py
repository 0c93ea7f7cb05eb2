"""What a schedd tells the negotiator that its idle jobs weigh.

Follows src/condor_schedd.V6/schedd.cpp (init, count_a_job, guessJobSlotWeight), HTCondor 25.14;
the outcome of a weight that comes to nothing was measured on 25.14.1. Weights are in the unit of
the expression: cpus, as long as nobody changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from htcq.classads import Ad, Expr, as_number, parsed
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.slot import Number

OWN_KNOB, POOL_KNOB, SWITCH = "SCHEDD_SLOT_WEIGHT", "SLOT_WEIGHT", "SCHEDD_USE_SLOT_WEIGHT"
#: Where SLOT_WEIGHT is literally one of these the schedd knows what a job asks of it.
_PLAIN = {"cpus": "RequestCpus", "memory": "RequestMemory"}
#: What the ad in which the schedd guesses has; MB and KiB for each cpu where a job does not ask.
_GUESSED = ("cpus", "memory", "disk")
_GUESSED_PER_CPU = 1024
#: What a job has no part of: attributes of slots that a weight is likely to name.
_NOT_IN_A_JOB = frozenset({"cpus", "memory", "disk", "gpus"})


class ScheddWeight:
    """How the schedd of an access point with this configuration weighs an idle job."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._own = parsed(self.text(OWN_KNOB))
        self._pool = parsed(self.text(POOL_KNOB))

    def knob(self, name: str) -> Knob | None:
        """Return the knob ``name`` as the schedd sees it: one with its prefix comes first."""
        return self.configuration.knob(f"SCHEDD.{name}") or self.configuration.knob(name)

    def text(self, name: str) -> str:
        """Return the value of ``name`` as the schedd sees it, HTCondor's default included.

        Empty where it has none.
        """
        knob = self.knob(name)
        return (self.configuration.value(name) if knob is None else knob.value).strip()

    @cached_property
    def weighs(self) -> bool:
        """Whether the schedd looks at any weight; else a job weighs its cpus."""
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
        plain = not self.text(OWN_KNOB) and self.text(POOL_KNOB).lower() in _PLAIN
        return self.weighs and self._own is None and not plain

    @property
    def decides(self) -> str:
        """The knob that decides."""
        if not self.weighs:
            return SWITCH
        return OWN_KNOB if self._own is not None else POOL_KNOB

    @property
    def expression(self) -> str:
        """The text of the knob that decides."""
        return self.text(self.decides)

    @cached_property
    def names_of_slots(self) -> tuple[str, ...]:
        """What SCHEDD_SLOT_WEIGHT names and no job has: attributes of slots, and TARGET."""
        if self._own is None:
            return ()
        found = self._own.references()
        target = ["TARGET"] if found.target or "target" in found.own else []
        return (*sorted(found.own & _NOT_IN_A_JOB), *target)

    @cached_property
    def names_unknown_to_guess(self) -> tuple[str, ...]:
        """What SLOT_WEIGHT names and the ad in which the schedd guesses does not have."""
        if not self.guesses or self._pool is None:
            return ()
        found = self._pool.references()
        return tuple(sorted((found.own | found.target) - frozenset(_GUESSED)))

    def evaluated(self, job: Ad) -> Number | None:
        """Return what the expression that decides is for ``job``; None where it is no number."""
        if not self.weighs:
            return None
        if self._own is not None:
            return as_number(self._own.evaluate(job))
        if self.guesses:
            return (
                None if self._pool is None else as_number(self._pool.evaluate(_guessed_slot(job)))
            )
        return as_number(Expr(_PLAIN[self.text(POOL_KNOB).lower()]).evaluate(job))

    def of(self, job: Ad) -> Number:
        """Return what one idle ``job`` weighs: its cpus where the expression is no number."""
        weight = self.evaluated(job)
        if weight is not None:
            return weight
        cpus = _asked(job, "RequestCpus", 1)
        return cpus if self.guesses else max(1, cpus)

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
    cpus = _asked(job, "RequestCpus", 1)
    share = cpus * _GUESSED_PER_CPU
    return Ad({
        "Cpus": cpus,
        "Memory": _asked(job, "RequestMemory", share),
        "Disk": _asked(job, "RequestDisk", share),
    })  # fmt: skip


def _asked(job: Ad, name: str, otherwise: int) -> int:
    """Return a request as the schedd reads it, a whole number.

    ``otherwise`` where it is no number.
    """
    number = as_number(job.value(name))
    return otherwise if number is None else int(number)
