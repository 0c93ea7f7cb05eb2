"""Rules on the groups that htcq.toml declares; no pool can break them, and 'htcq quota lint' alone checks them."""

from __future__ import annotations

from htcq.audit.rules.declaration import groups

RULES = groups.RULES
