"""Every rule, in the order in which the manual lists them."""

from __future__ import annotations

from collections.abc import Sequence

from htcq.audit.rule import Rule
from htcq.audit.rules import configuration, consumption, declaration, elastic, matching, nodes, quota, weight
from htcq.errors import InputError
from htcq.spelling import did_you_mean

_OF_POOLS = {
    "consumption": consumption,
    "weight": weight,
    "quota": quota,
    "matching": matching,
    "nodes": nodes,
    "configuration": configuration,
}
FAMILIES = {**_OF_POOLS, "declaration": declaration, "elastic": elastic}
#: Those that an audit checks: no pool can break the others.
RULES: tuple[Rule, ...] = tuple(rule for family in _OF_POOLS.values() for rule in family.RULES)
ALL: tuple[Rule, ...] = (*RULES, *declaration.RULES, *elastic.RULES)
_BY_ID = {rule.id: rule for rule in ALL}


def rule(id_: str, own: Sequence[Rule] = ()) -> Rule:
    """Return the rule ``id_``; ``own`` are those that the site adds.

    Raises:
        InputError: there is none of that name; the hint names the nearest.
    """
    known = {**{each.id: each for each in own}, **_BY_ID}
    if id_ in known:
        return known[id_]
    raise InputError(f"there is no rule '{id_}'", did_you_mean(id_, known, "'htcq explain' lists all rules"))
