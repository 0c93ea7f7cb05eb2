"""Rules on machines: what is broken, stuck, or not there."""

from htcq.audit.rule import Rule
from htcq.audit.rules.nodes import broken_slots, claims_in_cleaning, memory_above_machine, unhealthy_nodes

RULES: tuple[Rule, ...] = (
    broken_slots.RULE,
    unhealthy_nodes.RULE,
    claims_in_cleaning.RULE,
    memory_above_machine.RULE,
)
