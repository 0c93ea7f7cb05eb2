"""The knobs of a pool's negotiator, as its version reads them."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.htcondor.matching import NEGOTIATOR, knobs_of
from htcq.pool.pool import Pool
from htcq.pool.versions import version


def negotiator_version(pool: Pool, name: str) -> tuple[int, ...]:
    """Return the version of the negotiator of this name, or of the only one.

    It is empty where it is not known.
    """
    found = [record for record in pool.negotiators if not name or record.name == name]
    if len(found) != 1:
        return ()
    return version(found[0].value("CondorVersion"))


def negotiator_knobs(pool: Pool, written: tuple[int, ...]) -> Mapping[str, str]:
    """Return the knobs that a negotiator of the version ``written`` knows; all if it is empty."""
    unknown = {knob.name for knob in knobs_of(NEGOTIATOR) if () < written < knob.since}
    knobs = {}
    for knob in pool.central or ():
        if knob.bare.upper() not in unknown:
            knobs[knob.bare] = knob.value
    return knobs
