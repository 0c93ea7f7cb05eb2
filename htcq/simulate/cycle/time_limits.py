"""Time limits of the negotiator that leave it no time for any submitter.

A submitter is left as soon as what remains of one of these limits is not above 0
(negotiateWithGroup of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14): with a limit of 0
nothing is matched. Limits above 0 are not followed: how long a negotiation takes is not simulated.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.quota.knobs import Knobs

#: The limits with HTCondor's defaults, in seconds.
TIME_LIMITS: Mapping[str, int] = {
    "NEGOTIATOR_MAX_TIME_PER_CYCLE": 1200,
    "NEGOTIATOR_MAX_TIME_PER_SUBMITTER": 60,
    "NEGOTIATOR_MAX_TIME_PER_SCHEDD": 120,
    "NEGOTIATOR_MAX_TIME_PER_PIESPIN": 120,
}
#: What HTCondor takes for an integer.
_LEAST, _MOST = -(2.0**31), 2.0**31 - 1


def expired_limits(knobs: Knobs) -> Mapping[str, int]:
    """Return the limits that are not above 0, in seconds: with any of them nothing is matched."""
    values = {
        name: int(knobs.number(name, default, _LEAST, _MOST))
        for name, default in TIME_LIMITS.items()
    }
    return {name: value for name, value in values.items() if value <= 0}
