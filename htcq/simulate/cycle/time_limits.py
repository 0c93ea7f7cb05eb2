"""Time limits of the negotiator that leave it no time for any submitter.

A submitter is left as soon as what remains of one of these limits is not above 0
(negotiateWithGroup of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14): with a limit of 0
nothing is matched. Limits above 0 are not followed: how long a negotiation takes is not simulated.
"""

from __future__ import annotations

from collections.abc import Mapping

from htcq.htcondor.defaults import expanded_default
from htcq.quota.knobs import Knobs

#: The limits, in seconds.
TIME_LIMITS = (
    "NEGOTIATOR_MAX_TIME_PER_CYCLE",
    "NEGOTIATOR_MAX_TIME_PER_SUBMITTER",
    "NEGOTIATOR_MAX_TIME_PER_SCHEDD",
    "NEGOTIATOR_MAX_TIME_PER_PIESPIN",
)
#: What HTCondor takes for an integer.
_LEAST, _MOST = -(2.0**31), 2.0**31 - 1


def default_limit(name: str) -> int:
    """Return HTCondor's default of one of the limits, in seconds."""
    return int(expanded_default(name))


def expired_limits(knobs: Knobs) -> Mapping[str, int]:
    """Return the limits that are not above 0, in seconds: with any of them nothing is matched."""
    values = {
        name: int(knobs.number(name, default_limit(name), _LEAST, _MOST)) for name in TIME_LIMITS
    }
    return {name: value for name, value in values.items() if value <= 0}
