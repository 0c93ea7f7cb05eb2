"""Rules on slot weights and demand."""

from htcq.audit.rule import Rule

RULES: tuple[Rule, ...] = ()
