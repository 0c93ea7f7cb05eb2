"""Assets that jobs may or may not ask for: GPUs and other custom ones.

condor_submit always asks for the built-in ones. The negotiator takes a missing request for 0, but
the slot's own Requirements do not: there it is undefined
(src/condor_utils/consumption_policy.cpp:cp_compute_consumption,
src/condor_startd.V6/ResAttributes.cpp, 25.14).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.audit.evidence import Evidence
from htcq.classads import Expr, as_number
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, attribute

_DOES_NOT_ASK: dict[str, Number] = {CPUS: 1, MEMORY: 1024, DISK: 1048576}


class Unasked(NamedTuple):
    """The amount of ``asset`` that a job takes which does not ask for it.

    ``matched`` is the amount in the negotiator, ``within_limits`` the one in the slot's
    Requirements; None: no number.
    """

    kind: SlotClass
    asset: str
    matched: Number | None
    within_limits: Number | None
    taken: dict[str, Number | None]

    @property
    def whole_slot(self) -> bool:
        """Whether the policy gives each claim the whole slot with everything in it."""
        for asset in (CPUS, MEMORY):
            total = self.kind.total.get(asset, 0)
            taken = self.taken.get(asset) or 0
            if total <= 1 or taken < total:
                return False
        return True


def unasked(evidence: Evidence) -> Iterator[Unasked]:
    """Yield the amounts of optional assets for a job that does not ask for them, by policy."""
    for kind in evidence.with_policy:
        trial = evidence.trials.made_up(kind, _DOES_NOT_ASK)
        if not evidence.trials.lets_in(kind, trial):
            # Only jobs that ask are wanted there.
            continue
        for asset in kind.consumption:
            if asset in BUILT_IN_ASSETS:
                continue
            consumption = Expr(f"Consumption{attribute(asset)}")
            bare = as_number(consumption.evaluate(kind.ad(kind.total), trial.ad()))
            yield Unasked(kind, asset, trial.taken[asset], bare, dict(trial.taken))
