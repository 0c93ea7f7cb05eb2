"""Who has what of a pool as time goes by: slots with what they have left, and the claims on them.

Amounts are in HTCondor's units, times in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.pool.job import Job
from htcq.pool.slot import PARTITIONABLE, Number, Slot


@dataclass(eq=False)
class Claim:
    """A claim on ``amounts`` of the slot ``of``, of all of it where there are none.

    ``job`` runs there until ``ends``.

    Nobody knows which job runs in a claim that was there at the capture, only whose it is
    (``user``).
    """

    of: str
    slot: Slot
    amounts: Mapping[str, Number]
    submitter: str
    schedd: str
    limits: str
    since: float
    ends: float = 0.0
    user: str = ""
    job: Job | None = None


@dataclass
class Base:
    """A slot of the captured pool without its dynamic slots.

    What it has left, and who has claims on it.
    """

    slot: Slot
    left: dict[str, Number]
    claims: dict[Claim, None] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether it is claimed whole or not at all."""
        return self.slot.type != PARTITIONABLE


def amounts_of(slot: Slot) -> dict[str, Number]:
    """Return what a slot has left; nothing of what its ad does not say."""
    return {asset: amount or 0 for asset, amount in slot.left().items()}
