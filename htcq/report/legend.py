"""Lines under tables: what the heads of charges mean, once for all commands.

A match costs what the negotiator charges for it in its cycle; from the next cycle on the
accountant charges the weight of the claimed slot; the schedd reports a weight of its own for an
idle job.
"""

from __future__ import annotations

_CHARGES = "match cost: charged at the match; standing charge: charged while the job runs"

#: Under a table with the heads MATCH COST and STANDING CHARGE.
CHARGES = f"{_CHARGES}."

#: Under one that has GAP as well.
CHARGES_AND_GAP = f"{_CHARGES}; gap: standing charge minus match cost."

#: Under one with SCHEDD WEIGHT and two gaps.
CHARGES_AND_DEMAND = (
    f"{_CHARGES}; schedd weight: demand of the idle job; gap: each of these two minus match cost."
)

#: Under one that compares the weight of slots before and after jobs were matched.
CONSERVATION = "gap: weight that is left and charged, minus that of the full slots."
