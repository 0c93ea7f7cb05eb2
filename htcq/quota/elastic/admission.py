"""Whether one more job fits into the runtime of its group and of those above it.

Follows PreFilter in pkg/scheduler/plugins/elasticquota/plugin.go of koordinator-sh/koordinator,
commit a7a1b76. As in its releases before 1.6, only the dimensions that the job asks for are
checked; a min that lacks a dimension guarantees nothing of it, where Koordinator takes
that for no limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.quota.elastic.declaration import Amounts, Caps

RUNTIME, MIN = "runtime", "min(non-preemptible)"


@dataclass(frozen=True)
class AdmissionLimit:
    """One group at a job's admission: its limit, which is its runtime, and its usage."""

    name: str
    limit: Amounts
    used: Amounts = field(default_factory=dict)


@dataclass(frozen=True)
class Admission:
    """Whether a job may start; if not, the dimensions that are short, and by whose limit.

    ``by`` is runtime, min(non-preemptible), or the word parent with the name of the group above.
    """

    admit: bool
    exceeded: tuple[str, ...] = ()
    by: str | None = None


def admit(
    request: Amounts,
    place: AdmissionLimit,
    cap: Caps,
    protected: tuple[Amounts, Amounts] | None = None,
    parents: Iterable[AdmissionLimit] = (),
) -> Admission:
    """Return whether a job that asks for ``request`` may start in ``place``.

    Only the dimensions of ``cap``, the group's max, are managed. ``protected`` is given for a
    job that will not be evicted: the group's min and what such jobs use of it. ``parents`` are
    those to be looked at, the nearest first.
    """
    asked = {name: amount for name, amount in request.items() if name in cap and amount > 0}
    exceeded = _exceeded(asked, place.used, place.limit, everywhere=False)
    if exceeded:
        return Admission(False, exceeded, RUNTIME)
    if protected is not None:
        guaranteed, used = protected
        exceeded = _exceeded(asked, used, guaranteed, everywhere=True)
        if exceeded:
            return Admission(False, exceeded, MIN)
    for parent in parents:
        exceeded = _exceeded(asked, parent.used, parent.limit, everywhere=False)
        if exceeded:
            return Admission(False, exceeded, f"parent {parent.name}")
    return Admission(True)


def _exceeded(asked: Amounts, used: Amounts, limit: Amounts, everywhere: bool) -> tuple[str, ...]:
    """Return the dimensions that are short.

    One that ``limit`` lacks is short only if it is managed ``everywhere``.
    """
    short = []
    for name, amount in asked.items():
        managed = everywhere or name in limit
        if managed and used.get(name, 0) + amount > limit.get(name, 0):
            short.append(name)
    return tuple(sorted(short))
