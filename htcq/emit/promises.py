"""What a site's own words about its groups must keep: rules on what is declared, before any pool has seen it.

They are run like the audit's rules, which no pool can break as declarations. Those that a pool can break too may be
stricter here: what is only a pity in a pool is an error in a site file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Union

from htcq.audit.catalog import rule
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Rule, Severity, Unchecked
from htcq.audit.rules.quota.static_quotas_exceed_parent import exceeded, exceeded_text
from htcq.emit.declared import Declared
from htcq.settings import DeclaredGroup

#: Sums of decimal fractions miss by less than this part.
_DUST = 1e-9
WEIGHT = "the pool's slot weight (--snapshot or --pool)"
UNOWNED = "group-without-owner"


Finder = Callable[[Declared], Iterator[Union[Found, Unchecked]]]


def rules_on(declared: Declared) -> tuple[Rule, ...]:
    """Return the rules on what is declared; they look at nothing else."""
    return tuple(replace(one, find=_bound(find, declared)) for one, find in _RULES)


def _bound(find: Finder, declared: Declared) -> Callable[[object], Iterator[Found | Unchecked]]:
    def found(_: object) -> Iterator[Found | Unchecked]:
        return find(declared)

    return found


def _fact(group: DeclaredGroup) -> Fact:
    key = "quota" if group.static else "share"
    value = f"{group.config_quota:g}" if group.configured else "(not given)"
    return Fact(f"groups.{group.name}.{key}", value, "htcq.toml")


def _missing(declared: Declared) -> Iterator[Found]:
    for group in declared.groups:
        if not group.configured:
            below = declared.below(group.name)
            many = "and those of all groups below it are" if below else "is"
            yield Found(
                cause="a parent without a quota" if below else "no quota",
                subject=f"group {group.name}",
                message=f"group {group.name} has neither quota nor share: its quota {many} 0",
                facts=(_fact(group),),
                advice=f"Give [groups.{group.name}] a quota (an amount of slot weight) or a share (from 0 to 1).",
                examples=(group.name,),
                severity=Severity.ERROR if below else None,
            )


def _shares(declared: Declared) -> Iterator[Found]:
    for name in ("", *(group.name for group in declared.groups)):
        total = declared.share_sum(name)
        if total > 1 + _DUST:
            shared = [group for group in declared.below(name) if not group.static and group.config_quota]
            yield Found(
                cause=name or "top level",
                subject=f"group {name}" if name else "the top-level groups",
                message=f"the shares of {_those_below(name)} add up to {total:g}: each counts as less than it says",
                facts=tuple(_fact(group) for group in shared),
                examples=tuple(group.name for group in shared),
            )


def _statics(declared: Declared) -> Iterator[Found | Unchecked]:
    unknown = []
    for parent in declared.groups:
        total, amount = declared.static_sum(parent.name), declared.amounts[parent.name]
        if amount is None:
            unknown += [parent.name] if total > 0 else []
        elif parent.configured and exceeded(total, amount):
            statics = [group for group in declared.below(parent.name) if group.static]
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=exceeded_text(parent.name, total, amount),
                facts=(_fact(parent), *(_fact(group) for group in statics)),
                examples=tuple(group.name for group in statics),
            )
    if unknown:
        yield Unchecked(f"{WEIGHT}: whether quotas below {', '.join(unknown)} fit its share")


def _leftovers(declared: Declared) -> Iterator[Found]:
    for parent in declared.groups:
        shared = [group for group in declared.below(parent.name) if not group.static and group.config_quota]
        amount, total = declared.amounts[parent.name], declared.static_sum(parent.name)
        if shared and amount and amount * (1 - _DUST) <= total <= amount * (1 + _DUST):
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=f"the quotas of {_those_below(parent.name)} take all of its {amount:g}: "
                f"{counted(len(shared), 'share')} there, such as that of {shared[0].name}, count for nothing",
                facts=(_fact(parent), *(_fact(group) for group in declared.below(parent.name))),
                examples=tuple(group.name for group in shared),
            )


def _expired(declared: Declared) -> Iterator[Found]:
    for group in declared.groups:
        if group.expires is not None and group.expired(declared.today):
            whose = f" Its contact is {group.contact}." if group.contact else ""
            last = group.expires.isoformat()
            yield Found(
                cause=group.name,
                subject=f"group {group.name}",
                message=f"the quota of {group.name} was granted until {last} and is still declared",
                facts=(_fact(group), Fact(f"groups.{group.name}.expires", last, "htcq.toml")),
                advice=f"Give [groups.{group.name}] a later date, or another quota, or remove it.{whose}",
                examples=(group.name,),
            )


def _unowned(declared: Declared) -> Iterator[Found]:
    owned: set[str] = set()
    for group in declared.groups:
        if group.owner or group.contact or group.parent in owned:
            owned.add(group.name)
        else:
            yield Found(
                cause="no owner",
                subject=f"group {group.name}",
                message=f"nobody answers for {group.name}: neither it nor a group above it has an owner or a contact",
                examples=(group.name,),
            )


def _those_below(name: str) -> str:
    return f"the groups right below {name}" if name else "the top-level groups"


def _stricter(id_: str, severity: Severity | None = None) -> Rule:
    """Return a rule as it holds for declared groups, which are there."""
    known = rule(id_)
    return replace(known, needs=(), severity=known.severity if severity is None else severity)


_RULES: tuple[tuple[Rule, Finder], ...] = (
    (_stricter("group-without-quota"), _missing),
    (_stricter("dynamic-quotas-exceed-one", Severity.ERROR), _shares),
    (_stricter("static-quotas-exceed-parent", Severity.ERROR), _statics),
    (_stricter("nothing-left-to-share"), _leftovers),
    (_stricter("quota-expired"), _expired),
    (_stricter(UNOWNED), _unowned),
)
