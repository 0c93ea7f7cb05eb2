"""How long jobs run: a distribution that somebody gives, or what the jobs themselves say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Optional, Protocol

from htcq.classads import as_number
from htcq.errors import InputError
from htcq.pool.job import Job
from htcq.pool.shared_attributes import Expressions, SharedAttributes


class Dice(Protocol):
    """What is drawn from: random.Random of the standard library is one."""

    def expovariate(self, lambd: float) -> float:
        """Return a number of the exponential distribution with this rate."""

    def uniform(self, a: float, b: float) -> float:
        """Return a number between two others."""

    def lognormvariate(self, mu: float, sigma: float) -> float:
        """Return a number whose logarithm has the normal distribution."""

    def randrange(self, below: int, /) -> int:
        """Return a whole number, from 0 on."""


#: Seconds that a job runs, given the job (None: one of which nothing is known but its claim) and
#: the dice.
RunTime = Callable[[Optional[Job], Dice], float]
_HINT = (
    "3600, exponential:3600, uniform:60..7200, lognormal:3600:1.5, attribute:ExpectedSeconds or "
    "history:FILE"
)


def run_time(text: str) -> RunTime:
    """Return what ``text`` describes; times are in seconds.

    A number is the same for all jobs, ``exponential`` has a mean, ``lognormal`` a median and the
    standard deviation of the logarithm, and ``attribute`` names one of the jobs' own.

    Raises:
        InputError: it describes nothing.
    """
    kind, _, rest = text.partition(":")
    if not rest:
        seconds = _seconds(kind, text)
        return lambda job, dice: seconds
    if kind == "exponential":
        mean = _seconds(rest, text)
        return lambda job, dice: dice.expovariate(1 / mean)
    if kind == "uniform":
        least, most = (_seconds(part, text) for part in _two(rest, "..", text))
        return lambda job, dice: dice.uniform(least, most)
    if kind == "lognormal":
        median, sigma = (_seconds(part, text) for part in _two(rest, ":", text))
        return lambda job, dice: dice.lognormvariate(math.log(median), sigma)
    if kind == "attribute" and rest.isidentifier():
        return _Said(rest)
    raise InputError(f"run time '{text}': no such distribution", _HINT)


def _two(text: str, between: str, whole: str) -> tuple[str, str]:
    one, found, other = text.partition(between)
    if not found:
        raise InputError(f"run time '{whole}': two numbers are needed", _HINT)
    return one, other


def _seconds(text: str, whole: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise InputError(f"run time '{whole}': '{text}' is not a time", _HINT)
    return seconds


class _Said:
    """The seconds that an attribute of each job says, which may name any other of it."""

    def __init__(self, name: str) -> None:
        self._name, self._expressions = name, Expressions()
        #: With what each was made of, so that no other object has its id.
        self._frames: dict[tuple[int, int], tuple[SharedAttributes, Job]] = {}

    def __call__(self, job: Job | None, dice: Dice) -> float:
        """Return the seconds of a job; of a claim whose job is not known, without an end."""
        if job is None:
            return math.inf
        key = (id(job.frame), id(job.life))
        if key not in self._frames:
            self._frames[key] = (job.frame.joined(job.life, self._expressions), job)
        frame, _ = self._frames[key]
        seconds = as_number(frame.ad(job.own()).value(self._name))
        if seconds is None or seconds <= 0:
            raise InputError(
                f"job {job.id} has no number of seconds in {self._name}",
                "give a distribution for all jobs",
            )
        return float(seconds)
