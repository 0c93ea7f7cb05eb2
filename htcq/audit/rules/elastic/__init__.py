"""Rules on elastic quotas: their files, not pools, break them, and 'htcq elastic compute' alone checks them."""

from __future__ import annotations

from htcq.audit.rule import Rule
from htcq.audit.rules.elastic import amounts, demand, oddities, places

RULES: tuple[Rule, ...] = (*amounts.RULES, *places.RULES, *demand.RULES, *oddities.RULES)
