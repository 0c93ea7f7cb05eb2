"""How fast a pool changes hands: the time between cycles, and how long claims are used on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from htcq.pool.daemons import STARTD
from htcq.pool.pool import Pool
from htcq.poolquota.published import Published

_CYCLE_LENGTHS = ("LastNegotiationCyclePeriod0", "LastNegotiationCycleDuration0")
_INTERVAL = "NEGOTIATOR_INTERVAL"
#: Its default, in seconds (src/condor_utils/param_info.in).
USUAL_CYCLE = 60.0
#: A claim is kept for so many seconds for more jobs of its user (CLAIM_WORKLIFE of
#: src/condor_utils/param_info.in).
WORKLIFE = 1200
_WORKLIFE_KNOB = "CLAIM_WORKLIFE"


@dataclass(frozen=True)
class CyclePace:
    """Seconds from cycle to cycle, and CLAIM_WORKLIFE (less than 0: claims are used on forever)."""

    cycle: float = USUAL_CYCLE
    worklife: float = WORKLIFE


def pace_of(pool: Pool, negotiator: str = "") -> CyclePace:
    """Return the pace of ``pool``, as ``negotiator`` sees it."""
    return CyclePace(_cycle_seconds(pool, Published(pool, negotiator)), _worklife(pool))


def _cycle_seconds(pool: Pool, published: Published) -> float:
    """Return the seconds from cycle to cycle: as configured, or the length of the last cycle."""
    found = [USUAL_CYCLE]
    if pool.central is not None:
        found = [_number_of(pool.central.value(_INTERVAL, str(USUAL_CYCLE)))]
    for record in pool.negotiators:
        if record.name == published.negotiator:
            found += [float(record.number(name) or 0) for name in _CYCLE_LENGTHS]
    return max(1.0, *(each for each in found if math.isfinite(each)))


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return USUAL_CYCLE


def _worklife(pool: Pool) -> float:
    """Return CLAIM_WORKLIFE of the first known execution point, or of the central manager."""
    configurations = list(pool.execute.values())
    if pool.central is not None:
        configurations.append(pool.central.of(STARTD))
    for configuration in configurations:
        knob = configuration.knob(_WORKLIFE_KNOB)
        if knob is None:
            continue
        try:
            return float(knob.value)
        except ValueError:
            continue
    return float(WORKLIFE)
