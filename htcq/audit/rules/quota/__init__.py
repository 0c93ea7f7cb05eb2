"""Rules on group quotas, priorities and negotiation."""

from htcq.audit.rule import Rule

RULES: tuple[Rule, ...] = ()
