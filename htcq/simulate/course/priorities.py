"""Priorities of submitters as time goes by.

They follow usage, and halve their distance to it in a halflife.

Follows src/condor_negotiator.V6/Accountant.cpp (UpdatePriorities), HTCondor 25.14. Less is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from htcq.classads import Value
from htcq.pool.pool import Pool
from htcq.pool.record import ACCOUNTING, NEGOTIATOR, Record
from htcq.pool.weights import Weights
from htcq.poolquota.factors import BEST_PRIORITY
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.poolquota.supply import DECIMALS

#: With this attribute of the negotiator's ad priorities would age once more from the last cycle on.
_LAST_CYCLE = "lastnegotiationcycletime0"


class Priorities:
    """The real priorities and factors of the submitters of ``pool``."""

    def __init__(self, pool: Pool) -> None:
        self._quotas = quotas = PoolQuotas(pool, Weights(), pool.negotiator)
        self._negotiator = quotas.published.negotiator
        self._others = tuple(
            each for each in pool.accounting if each.value("IsAccountingGroup") is True
        )
        self._records = {
            name: each for name, each in quotas.accounts.items() if each not in self._others
        }
        self._real: dict[str, float] = {}
        self._factors: dict[str, float] = {}
        self._advanced = False
        for submitter in quotas.submitters:
            self._begin(submitter.name)

    def _begin(self, name: str) -> None:
        self._factors[name] = self._quotas.factor(name)
        self._real[name] = max(BEST_PRIORITY, self._quotas.priority(name) / self._factors[name])

    def advance(self, seconds: float, usage: Mapping[str, float]) -> None:
        """Let time go by in which each submitter used so much.

        Some of them may have come meanwhile.
        """
        self._advanced = True
        for name in usage:
            if name not in self._real:
                self._begin(name)
        kept = 0.5 ** (seconds / self._quotas.halflife)
        for name, real in self._real.items():
            now = real * kept + usage.get(name, 0.0) * (1 - kept)
            self._real[name] = max(BEST_PRIORITY, round(now, DECIMALS))

    def shown(self, pool: Pool) -> Pool:
        """Return ``pool`` with these priorities, as it is before any time has gone by."""
        if not self._advanced:
            return pool
        records = [*self._others]
        for name, real in self._real.items():
            known = self._records.get(name)
            values: dict[str, Value] = {
                "name": name,
                "isaccountinggroup": False,
                "negotiatorname": self._negotiator,
            }
            now = {"priority": real * self._factors[name], "priorityfactor": self._factors[name]}
            records.append(
                Record(ACCOUNTING, {**values, **(known.values if known is not None else {}), **now})
            )
        negotiators = tuple(_without_last_cycle(each) for each in pool.negotiators)
        changed = {ACCOUNTING: tuple(records), NEGOTIATOR: negotiators}
        return replace(pool, records={**(pool.records or {}), **changed}, priorities=())


def _without_last_cycle(negotiator: Record) -> Record:
    values = {name: value for name, value in negotiator.values.items() if name != _LAST_CYCLE}
    return replace(negotiator, values=values)
