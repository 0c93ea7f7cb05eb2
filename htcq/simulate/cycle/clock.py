"""Expressions that look at the clock, with the time of a cycle in its place.

The library would answer with the time of whoever reads a pool, hours or years after it was
captured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from htcq.classad.clock import CLOCK_WORDS, CURRENT_TIME, at_time
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes, frames_of
from htcq.pool.slot import Slot

#: Knobs whose expressions the negotiator evaluates with ads.
NEGOTIATORS_EXPRESSIONS = (
    "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK",
    "NEGOTIATOR_POST_JOB_RANK", "NEGOTIATOR_JOB_CONSTRAINT", "NEGOTIATOR_SLOT_CONSTRAINT",
    "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "NEGOTIATOR_SUBMITTER_CONSTRAINT",
)  # fmt: skip
Ad = TypeVar("Ad", Job, Slot)


def at_moment(pool: Pool, moment: float | None) -> Pool:
    """Return ``pool`` with the clock of its expressions at ``moment`` (seconds since 1970).

    As it is where the time is not known, or no expression looks at the clock.
    """
    if moment is None:
        return pool
    clock = clock_of(pool, moment)
    for ads in (pool.slots or (), pool.jobs or ()):
        for frame in frames_of(ads):
            clock.frame(frame)
    central = clock.configuration(pool.central)
    if not clock.looked_at:
        return pool
    slots = None if pool.slots is None else clock.set(pool.slots)
    jobs = None if pool.jobs is None else clock.set(pool.jobs)
    return replace(pool, slots=slots, jobs=jobs, central=central)


def clock_of(pool: Pool, moment: float | None) -> Clock:
    """Return the clock of the expressions of ``pool``."""
    jobs = [*(pool.jobs or ()), *(each.job for each in pool.arriving)]
    frames = frames_of(pool.slots or ()) | frames_of(jobs)
    return Clock(moment, any(CURRENT_TIME in frame for frame in frames))


class Clock:
    """The clock of all expressions at ``moment``; None leaves them as they are.

    ``owned`` tells whether any ad has an attribute CurrentTime: what expressions look up in other
    ads is then left to the library.
    """

    def __init__(self, moment: float | None, owned: bool = False) -> None:
        self._owned = owned
        self._seconds = "" if moment is None else str(int(moment))
        self._expressions = Expressions()
        self._frames: dict[int, SharedAttributes] = {}
        self.looked_at = False

    def move(self, moment: float) -> bool:
        """Set the clock to ``moment``; return whether anything so far looks different then."""
        seconds = str(int(moment))
        if not self.looked_at or seconds == self._seconds:
            self._seconds = seconds
            return False
        self._seconds, self.looked_at = seconds, False
        self._expressions = Expressions()
        self._frames.clear()
        return True

    def set(self, ads: Iterable[Ad]) -> tuple[Ad, ...]:
        """Return ``ads`` with their frames at this time."""
        return tuple(self.ad(ad) for ad in ads)

    def ad(self, ad: Ad) -> Ad:
        """Return one ad at this time."""
        frame = self.frame(ad.frame)
        return ad if frame is ad.frame else ad._replace(frame=frame)

    def frame(self, frame: SharedAttributes) -> SharedAttributes:
        """Return what ads share at this time."""
        if not self._seconds:
            return frame
        found = self._frames.get(id(frame))
        if found is None:
            found = self._frames[id(frame)] = self._changed(frame)
        return found

    def configuration(self, central: Configuration | None) -> Configuration | None:
        """Return a configuration with the negotiator's expressions at this time."""
        if central is None:
            return None
        changed = {}
        for name in NEGOTIATORS_EXPRESSIONS:
            knob = central.knob(name)
            if knob is not None:
                timed = replace(knob, value=self._text(knob.value), raw=self._text(knob.raw))
                if timed != knob:
                    changed[name] = timed
        if not changed:
            return central
        self.looked_at = True
        return replace(central, knobs={**central.knobs, **changed})

    def _changed(self, frame: SharedAttributes) -> SharedAttributes:
        if CLOCK_WORDS.isdisjoint(frame.words()):
            return frame
        own = CURRENT_TIME in frame
        texts = {}
        for name, text in frame.texts.items():
            changed = self._text(text, own)
            if changed != text:
                texts[frame.names[name]] = changed
        if not texts:
            return frame
        self.looked_at = True
        return frame.changed(texts, self._expressions)

    def _text(self, text: str, own: bool = False) -> str:
        """Return an expression at this time; ``own``: of an ad that has a CurrentTime itself."""
        return at_time(text, self._seconds, own, self._owned)
