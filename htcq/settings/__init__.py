"""The site file ``htcq.toml`` and the words of the command line that mean the same.

A name is imported from its module when it is first asked for: ``htcq emit`` runs whenever a
daemon reads its configuration, and needs the capacity settings alone.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from htcq.settings.amounts import check_shapes as check_shapes
    from htcq.settings.amounts import parse_part as parse_part
    from htcq.settings.amounts import parse_shape as parse_shape
    from htcq.settings.choices import CHOICE_KEYS as CHOICE_KEYS
    from htcq.settings.choices import Given as Given
    from htcq.settings.drift import DRIFT_KEYS as DRIFT_KEYS
    from htcq.settings.drift import DriftSettings as DriftSettings
    from htcq.settings.durations import parse_duration as parse_duration
    from htcq.settings.groups import GROUP_KEYS as GROUP_KEYS
    from htcq.settings.groups import DeclaredGroup as DeclaredGroup
    from htcq.settings.groups import GroupSettings as GroupSettings
    from htcq.settings.quota_knobs import QUOTA_KEYS as QUOTA_KEYS
    from htcq.settings.rules import AUDIT_KEYS as AUDIT_KEYS
    from htcq.settings.rules import RULE_KEYS as RULE_KEYS
    from htcq.settings.rules import AuditSettings as AuditSettings
    from htcq.settings.rules import RuleSettings as RuleSettings
    from htcq.settings.site import NODE_KEYS as NODE_KEYS
    from htcq.settings.site import SLOT_KEYS as SLOT_KEYS
    from htcq.settings.site import TOP_KEYS as TOP_KEYS
    from htcq.settings.site import Settings as Settings
    from htcq.settings.site import settings_from as settings_from
    from htcq.settings.site import types_for as types_for

_MODULES = {
    "amounts": ("check_shapes", "parse_part", "parse_shape"),
    "choices": ("CHOICE_KEYS", "Given"),
    "drift": ("DRIFT_KEYS", "DriftSettings"),
    "durations": ("parse_duration",),
    "groups": ("GROUP_KEYS", "DeclaredGroup", "GroupSettings"),
    "quota_knobs": ("QUOTA_KEYS",),
    "rules": ("AUDIT_KEYS", "RULE_KEYS", "AuditSettings", "RuleSettings"),
    "site": ("NODE_KEYS", "SLOT_KEYS", "TOP_KEYS", "Settings", "settings_from", "types_for"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
