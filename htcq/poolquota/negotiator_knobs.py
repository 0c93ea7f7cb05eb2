"""The knobs of a pool's negotiator, as its version reads them."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.pool.knobs.table import NEGOTIATOR, TABLE
from htcq.pool.pool import Pool
from htcq.pool.versions import version

#: Knobs of the negotiator that older ones do not know, and the first versions that do.
_NEW_KNOBS = {knob.name: knob.since for knob in TABLE[NEGOTIATOR] if knob.since}


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
    unknown = {knob for knob, first in _NEW_KNOBS.items() if () < written < first}
    knobs = {}
    for knob in pool.central or ():
        if knob.bare.upper() not in unknown:
            knobs[knob.bare] = knob.value
    return knobs
