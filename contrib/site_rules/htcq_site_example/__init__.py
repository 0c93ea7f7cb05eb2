"""The rules of an example site."""

from htcq_site_example import jobs_without_group

RULES = (jobs_without_group.RULE,)
