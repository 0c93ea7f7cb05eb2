"""A site's settings of the audit: ``[audit]`` and ``[audit.rules.RULE]`` of htcq.toml.

This module does not know the rules: ``htcq.audit.site`` checks their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from htcq.errors import InputError
from htcq.settings.tables import check_keys, table_of

AUDIT_KEYS = ("fail_on", "rules")
RULE_KEYS = ("disable", "severity", "only", "ignore")


@dataclass(frozen=True)
class RuleSettings:
    """The settings of one rule.

    ``disable`` says that it is not checked, ``severity`` replaces the rule's own (empty: it does
    not). ``only`` and ``ignore`` are shell patterns of subjects.
    """

    disable: bool = False
    severity: str = ""
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditSettings:
    """The settings of an audit.

    ``fail_on`` is the lowest severity with which it fails (empty: not given).
    """

    fail_on: str = ""
    rules: Mapping[str, RuleSettings] = field(default_factory=dict)


def audit_settings_from(table: Mapping[str, Any]) -> AuditSettings:
    """Return the settings of the table ``[audit]``.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    check_keys("audit.", table, AUDIT_KEYS)
    rules = table_of("audit.rules", table.get("rules", {}))
    return AuditSettings(
        _text("audit.fail_on", table.get("fail_on", "")),
        {name: _rule(name, value) for name, value in rules.items()},
    )


def _rule(name: str, value: Any) -> RuleSettings:
    where = f"audit.rules.{name}"
    table = table_of(where, value)
    check_keys(f"{where}.", table, RULE_KEYS)
    disable = table.get("disable", False)
    if not isinstance(disable, bool):
        raise InputError(f"htcq.toml: {where}.disable is {disable!r}", "it must be true or false")
    return RuleSettings(
        disable,
        _text(f"{where}.severity", table.get("severity", "")),
        _patterns(f"{where}.only", table.get("only", [])),
        _patterns(f"{where}.ignore", table.get("ignore", [])),
    )


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"htcq.toml: {where} is {value!r}", "it must be text in quotes")
    return value


def _patterns(where: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(
            f"htcq.toml: {where} is {value!r}", 'it must be a list such as ["slot *@gpu*"]'
        )
    return tuple(value)
