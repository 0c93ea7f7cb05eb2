"""Idle claims that an access point keeps by its own knobs.

The dedicated scheduler gives back what it has not used for UNUSED_CLAIM_TIMEOUT seconds, and where
that is 0 nothing (checkSanity of src/condor_schedd.V6/dedicated_scheduler.cpp); its idle claims
have the name of the user whose job they had last. Other claims stay for KeepClaimIdle seconds of
that job (src/condor_schedd.V6/schedd.cpp, HTCondor 25.14; both seen on 25.14.1).
"""

from __future__ import annotations

from functools import cached_property

from htcq.classads import as_number, parsed
from htcq.expected.unmet import Observed, observed_knobs
from htcq.pool.configuration import Knob
from htcq.pool.job import IDLE, Job
from htcq.pool.pool import Pool
from htcq.pool.set_by_access_point import assigned
from htcq.pool.slot import Slot
from htcq.pool.slot_types import integer

_TIMEOUT, _USUAL, _KEEP = "UNUSED_CLAIM_TIMEOUT", 600, "KeepClaimIdle"
_DEDICATED = "DedicatedScheduler"
#: Claims that a transform lets a job keep for longer stand idle for nothing.
_LONG = 600
#: Seconds that a schedd and its startds may take to act.
_SLACK = 60


class KeptClaims:
    """What the access point ``name`` does with claims in which no job runs."""

    def __init__(self, pool: Pool, name: str) -> None:
        self._pool, self.name = pool, name
        self._own = pool.schedd_configuration(name)

    @cached_property
    def is_dedicated(self) -> bool:
        """Whether its dedicated scheduler has claims: it has an ad as a submitter."""
        return any(
            each.text("ScheddName") == self.name and each.name.startswith(_DEDICATED)
            for each in self._pool.submitters
        )

    @cached_property
    def timeout(self) -> int:
        """After how many seconds the dedicated scheduler gives a claim back; 0: never."""
        return _USUAL if self._own is None else integer(self._own, _TIMEOUT, _USUAL)

    @cached_property
    def knobs(self) -> tuple[Knob, ...]:
        """The knobs by which it keeps idle claims for long."""
        sets = assigned(self._own, _KEEP, self._pool.schedd_version(self.name))
        found = dict.fromkeys(knob for knob, seconds in sets if _keeps_long(seconds))
        never = self._own.knob(_TIMEOUT) if self._own is not None and not self.timeout else None
        return (*found, never) if self.is_dedicated and never is not None else tuple(found)

    @cached_property
    def is_certain(self) -> bool:
        """Whether such claims stay: a knob keeps them, and no job of it waits for one."""
        return bool(self.knobs) and not any(job.wanted for job in self._jobs)

    @property
    def why(self) -> str:
        """What keeps them, in words; empty where no knob does."""
        if not self.knobs:
            return ""
        named = " and ".join(f"{each.name} = {each.value}" for each in self.knobs)
        return f"; {self.name} keeps them by {named}"

    @property
    def cure(self) -> str:
        """What lifts that; empty where no knob does."""
        if not self.knobs:
            return ""
        never = " (0 is for ever)" if any(each.bare == _TIMEOUT for each in self.knobs) else ""
        named = " and ".join(each.name for each in self.knobs)
        return (
            f"{named} of {self.name}{never}, then condor_reconfig there; condor_vacate of the "
            "slots gives these back."
        )

    @property
    def observed(self) -> tuple[Observed, ...]:
        """The knobs with their places."""
        return observed_knobs(self.knobs)

    def is_meant(self, slot: Slot, seconds: float) -> bool:
        """Return whether a claim that has been idle for so long is kept on purpose."""
        if slot.frame.value("OCU") is True or self._gathers:
            return True
        if slot.customer.startswith(_DEDICATED) and self.timeout:
            return True
        return self.is_dedicated and seconds < self.timeout + _SLACK and bool(self.timeout)

    @cached_property
    def _gathers(self) -> bool:
        """Whether its dedicated scheduler gathers claims for a parallel job."""
        return any(job.status == IDLE and job.parallel for job in self._jobs)

    @cached_property
    def _jobs(self) -> tuple[Job, ...]:
        return tuple(each for each in self._pool.jobs or () if each.access_point == self.name)


def _keeps_long(expression: str) -> bool:
    """Return whether claims are kept for long: for a number of seconds, or as a job decides."""
    found = parsed(expression)
    seconds = None if found is None else as_number(found.evaluate())
    return seconds is None or seconds >= _LONG
