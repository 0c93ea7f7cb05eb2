"""Rules on configuration as such."""

from htcq.audit.rule import Rule

RULES: tuple[Rule, ...] = ()
