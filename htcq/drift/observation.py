"""One observation of the quotas of a pool's groups, and what is kept of many.

Five things are compared: what the site file declares, what the central manager has configured, what
the negotiator published as in effect, what htcq computes, and what the groups use and request.
Times are in seconds since 1970, quotas and usage in the pool's unit, demand in the unit of the
schedds' slot weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.drift.ledger import LedgerEntry

#: Time between two observations counts as observed if it is no longer than this, in seconds.
MAX_GAP = 3600


@dataclass(frozen=True)
class QuotaSetting:
    """A group's quota as declared or configured.

    It is an amount where ``static``, otherwise a share of the parent's quota.
    """

    quota: float
    static: bool
    accept_surplus: bool
    autoregroup: bool


@dataclass(frozen=True)
class GroupObservation:
    """One group.

    ``declared`` is None where the site file does not have it, ``configured`` where the central
    manager does not, then with nothing computed. ``effective`` and ``effective_subtree`` are
    None where the negotiator published none that is a number. ``computed`` is what it should
    have published.
    """

    name: str
    declared: QuotaSetting | None = None
    configured: QuotaSetting | None = None
    effective: float | None = None
    effective_subtree: float | None = None
    computed: float | None = None
    computed_subtree: float | None = None
    usage: float = 0.0
    idle: float = 0.0
    running: float = 0.0
    requested: float = 0.0
    allocated: float = 0.0


@dataclass(frozen=True)
class WeightUse:
    """A SlotWeight expression in use, with the number and the weight of its slots."""

    expression: str
    slots: int
    weight: float


@dataclass(frozen=True)
class DriftObservation:
    """One pool at one moment.

    ``settings`` are the knobs of group quotas for all groups, by name; ``doubts`` are sentences
    about incomplete or uncertain data. ``ledger`` is empty where no elastic
    quotas are declared.
    """

    pool: str
    negotiator: str
    time: int
    pool_weight: float
    groups: tuple[GroupObservation, ...]
    weights: tuple[WeightUse, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    unit: str = "slot weight"
    doubts: tuple[str, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()


@dataclass(frozen=True)
class QuotaSample:
    """A group over the ``span`` seconds that end at ``time``: means, maxima and durations.

    ``looks`` is how many observations are in it. ``starved``, ``over`` and ``lending`` are
    seconds: below its quota while its jobs waited, above its quota, below its quota while
    another was above its own.
    """

    group: str
    time: int
    span: int
    looks: int
    effective: float | None
    computed: float | None
    usage: float
    max_usage: float
    idle: float
    requested: float
    allocated: float
    starved: float = 0.0
    over: float = 0.0
    lending: float = 0.0


@dataclass(frozen=True)
class Kept:
    """A text that held from ``since`` to ``until`` (None: it still holds).

    Both are times of observations.

    ``kind`` is one of :data:`KINDS`, ``name`` the group, the expression or the knob, ``text``
    the value.
    """

    kind: str
    name: str
    text: str
    since: int
    until: int | None = None

    def holds_after(self, moment: int) -> bool:
        """Return whether the text still holds just after ``moment``."""
        return self.until is None or moment < self.until


#: What is kept as texts with the time for which they held: quotas as declared and configured, the
#: weight expressions, the settings, doubts, and former files that were set aside.
KINDS = ("declared", "configured", "weight", "setting", "doubt", "damage")
