"""Rules on consumption policies."""

from htcq.audit.rules.consumption import weight_not_a_number

RULES = (weight_not_a_number.RULE,)
