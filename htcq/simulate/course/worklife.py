"""For how long a claim is used again: CLAIM_WORKLIFE.

Follows claimWorklifeExpired of src/condor_startd.V6/Resource.cpp, HTCondor 23.9 and 25.14: the
startd evaluates it in the ad of the slot, and a negative one never ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from htcq.classads import Expr, as_number, parsed
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.slot import Number, Slot
from htcq.simulate.course.claims import Claim

_KNOB = "CLAIM_WORKLIFE"
#: What it is that nobody configured, in seconds (param_info.in).
_DEFAULT = "1200"
_NOTHING: Mapping[str, Number] = {}


class Worklife:
    """CLAIM_WORKLIFE of the slots of ``pool``.

    Where the configuration of a startd is not known, that of the central manager stands for it.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[tuple[str, int], Expr | float] = {}

    def is_over(self, claim: Claim, now: float) -> bool:
        """Return whether no further job starts in a claim."""
        return now - claim.since >= self.seconds(claim.slot, claim.has)

    def seconds(self, slot: Slot, has: Mapping[str, Number] = _NOTHING) -> float:
        """Return for how long a claim on ``slot`` with the amounts ``has`` is used again."""
        key = (slot.startd, slot.type_id)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._read(slot)
        if not isinstance(found, Expr):
            return found
        return _lasts(as_number(found.evaluate(slot.ad(dict(has)))))

    def _read(self, slot: Slot) -> Expr | float:
        configuration = self._pool.startd_configuration(slot)
        text = _DEFAULT
        if configuration is not None:
            text = _text(configuration, slot.type_id)
        expression = parsed(text)
        if expression is None:
            return math.inf
        if expression.words():
            return expression
        return _lasts(as_number(expression.evaluate()))


def _text(configuration: Configuration, type_id: int) -> str:
    for name in (f"SLOT_TYPE_{type_id}_{_KNOB}", _KNOB):
        knob = configuration.knob(name)
        if knob is None:
            continue
        # The value of a knob of numbers is a number. The startd takes the text as it is.
        return knob.value if "$(" in knob.raw else knob.raw
    return _DEFAULT


def _lasts(seconds: float | None) -> float:
    """Return for how long a claim lasts: what is no number, or negative, never ends it."""
    if seconds is None or seconds < 0:
        return math.inf
    return float(seconds)
