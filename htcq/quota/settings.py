"""The knobs of group quotas that are no group's own, with HTCondor's defaults.

Names, defaults and ranges as in GroupEntry.cpp, matchmaker.cpp and param_info.in, HTCondor
25.14. The older HFS_MAX_ALLOCATION_ROUNDS and HFS_ROUND_ROBIN_RATE are never looked at, because
the newer knobs have a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.classads import Expr
from htcq.errors import PolicyError
from htcq.htcondor.defaults import expanded_default
from htcq.quota.knobs import Knobs, TreeProblem

#: Those who use the smallest part of their quota first, then those without a quota, the root last.
SORT_EXPR = expanded_default("GROUP_SORT_EXPR")
MAX_ROUNDS, GREATEST_RATE = 10**9, 1e100


@dataclass(frozen=True)
class Settings:
    """How the negotiator deals with groups."""

    oversubscription: bool = True
    strict_enforce: bool = True
    use_slot_weights: bool = True
    consider_preemption: bool = True
    max_rounds: int = 3
    round_robin_rate: float = GREATEST_RATE
    sort_expr: str = SORT_EXPR


def read_settings(knobs: Mapping[str, str]) -> tuple[Settings, tuple[TreeProblem, ...]]:
    """Return the settings in ``knobs``, and what is wrong with them.

    Where the negotiator would exit on a value, the nearest legal one stands in for it, or the
    default.
    """
    reader, default = Knobs(knobs), Settings()
    sort_expr = reader.text("GROUP_SORT_EXPR") or default.sort_expr
    try:
        Expr(sort_expr)
    except PolicyError:
        reader.report("not-an-expression", "", "GROUP_SORT_EXPR", sort_expr)
        sort_expr = default.sort_expr
    rounds = reader.number("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", default.max_rounds, 1, MAX_ROUNDS)
    settings = Settings(
        reader.boolean("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", default.oversubscription),
        reader.boolean("NEGOTIATOR_STRICT_ENFORCE_QUOTA", default.strict_enforce),
        reader.boolean("NEGOTIATOR_USE_SLOT_WEIGHTS", default.use_slot_weights),
        reader.boolean("NEGOTIATOR_CONSIDER_PREEMPTION", default.consider_preemption),
        int(rounds),
        reader.number("GROUP_QUOTA_ROUND_ROBIN_RATE", default.round_robin_rate, 1.0, GREATEST_RATE),
        sort_expr,
    )
    return settings, tuple(reader.problems)
