"""The groups of a pool in the new unit as tables of htcq.toml, for ``htcq quota emit``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from htcq.errors import InputError
from htcq.pool.configuration import Configuration
from htcq.quota.group_tree import name_key
from htcq.report.views.migrate_sentences import amount
from htcq.settings import DeclaredGroup, GroupSettings
from htcq.simulate.migration.records import GroupMove, Migration

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DECLARABLE = re.compile(r"[A-Za-z0-9_/]+(\.[A-Za-z0-9_/]+)*")


def groups_toml(found: Migration, central: Configuration | None, declared: GroupSettings) -> str:
    """Return the tables.

    Owner, contact and last day are those that ``declared`` has for a group of the same name.

    Raises:
        InputError: there are no groups, or one has a name that no site file can declare.
    """
    if not found.grouped:
        raise InputError(
            f"{found.source} has no groups: there are no quotas to write",
            "leave out --write-groups",
        )
    known = {name_key(group.name): group for group in declared.groups}
    lines = [
        "# The groups of the pool in the new unit of slot weight: put them in the place of "
        "[groups] in htcq.toml.",
        f"# An amount is {amount(found.factor)} of the old unit, rounded to whole numbers; "
        "shares stay as they are.",
    ]
    if found.round_robin_rate is not None:
        lines += ["", "[quotas]", f"round_robin_rate = {amount(found.round_robin_rate.after)}"]
    for group in found.groups:
        if group.parent is not None:
            lines += ["", *_table(group, central, known)]
    return "\n".join(lines) + "\n"


def _table(
    group: GroupMove, central: Configuration | None, known: Mapping[bytes, DeclaredGroup]
) -> Iterator[str]:
    if not _DECLARABLE.fullmatch(group.name):
        raise InputError(
            f"group {group.name!r} cannot be declared in a site file",
            "only letters, digits, '_' and '/' make a group's name; rename it first",
        )
    yield f"[groups.{'.'.join(map(_key, group.name.split('.')))}]"
    if group.config_quota is not None:
        kind = "share"
        if group.static:
            kind = "quota"
        yield f"{kind} = {_exact(group.config_quota.after)}"
    for key, knob, value in (
        ("accept_surplus", "GROUP_ACCEPT_SURPLUS", group.accept_surplus),
        ("autoregroup", "GROUP_AUTOREGROUP", group.autoregroup),
    ):
        if central is not None and f"{knob}_{group.name}" in central:
            yield f"{key} = {str(value).lower()}"
    declared = known.get(name_key(group.name))
    if declared is not None:
        yield from _owner(declared)


def _owner(group: DeclaredGroup) -> Iterator[str]:
    for key, text in (("owner", group.owner), ("contact", group.contact)):
        if text:
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            yield f'{key} = "{escaped}"'
    if group.expires is not None:
        yield f"expires = {group.expires.isoformat()}"


def _key(part: str) -> str:
    if _BARE.fullmatch(part):
        return part
    return f'"{part}"'


def _exact(value: float) -> str:
    """Return a number that TOML reads back as the same."""
    if float(value).is_integer():
        return str(int(value))
    return repr(float(value))
