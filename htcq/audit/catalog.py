"""Every rule: the modules of the packages in :mod:`htcq.audit.rules`, in the order of their names.

A module of a family has one rule, ``RULE``; where that can be seen in declared groups as well,
it has it a second time as ``DECLARED``. Rules are imported when a family is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from htcq.audit import rules as _families
from htcq.audit.rule import AnyRule
from htcq.errors import InputError
from htcq.spelling import did_you_mean

#: The families of rules in the order of the manual; no pool can break those of the last two.
OF_POOLS = ("consumption", "weight", "quota", "matching", "nodes", "configuration")
DECLARATION, ELASTIC = "declaration", "elastic"
FAMILIES = (*OF_POOLS, DECLARATION, ELASTIC)


@cache
def _modules(name: str) -> tuple[ModuleType, ...]:
    package = import_module(f"{_families.__name__}.{name}")
    modules = sorted(each.name for each in iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{module}") for module in modules)


def family(name: str) -> tuple[AnyRule, ...]:
    """Return the rules of one family."""
    return tuple(module.RULE for module in _modules(name))


def rules_on_declared_groups() -> tuple[AnyRule, ...]:
    """Return the rules on declared groups.

    They are the rules of the family ``declaration``, and ``DECLARED`` of the rules on quotas that
    pools can break as well.
    """
    shared = [module.DECLARED for module in _modules("quota") if hasattr(module, "DECLARED")]
    return (*shared, *family(DECLARATION))


def rules_of_pools() -> tuple[AnyRule, ...]:
    """Return the rules that an audit of a pool checks."""
    return _rules_of(OF_POOLS)


def all_rules() -> tuple[AnyRule, ...]:
    """Return every rule."""
    return _rules_of(FAMILIES)


def _rules_of(families: Iterable[str]) -> tuple[AnyRule, ...]:
    rules: list[AnyRule] = []
    for name in families:
        rules += family(name)
    return tuple(rules)


def by_family() -> dict[str, tuple[AnyRule, ...]]:
    """Return every rule by the name of its family."""
    return {name: family(name) for name in FAMILIES}


def rule(id_: str, own: Sequence[AnyRule] = ()) -> AnyRule:
    """Return the rule ``id_``; ``own`` are those that the site adds.

    Raises:
        InputError: there is none of that name; the hint names the nearest.
    """
    known = {each.id: each for each in (*own, *all_rules())}
    if id_ in known:
        return known[id_]
    raise InputError(
        f"there is no rule '{id_}'", did_you_mean(id_, known, "'htcq explain' lists all rules")
    )
