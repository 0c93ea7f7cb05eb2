"""Elastic quotas in slot weight when the unit of slot weights changes: the same share of the pool.

Only the dimension ``weight`` is in slot weight (in thousandths); cpus, memory and all other
assets stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.elastic.records import WEIGHT
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas


@dataclass(frozen=True)
class ElasticMove:
    """One amount of one group: ``key`` is min or max, amounts are in thousandths of slot weight."""

    group: str
    key: str
    before: int
    after: int


def elastic_moves(quotas: ElasticQuotas, factor: float) -> tuple[ElasticMove, ...]:
    """Return every amount of slot weight in ``quotas``, times ``factor``."""
    return tuple(move for group in quotas.groups for move in _of(group, factor))


def _of(group: ElasticGroup, factor: float) -> Iterator[ElasticMove]:
    for key, amounts in (("min", group.min), ("max", group.max)):
        amount = amounts.get(WEIGHT)
        if amount is not None:
            yield ElasticMove(group.name, key, amount, round(amount * factor))
