"""Rules on what keeps waiting jobs from slots: requests, requirements, limits, and how slots are filled."""

from htcq.audit.rule import Rule
from htcq.audit.rules.matching import (
    concurrency_limit_not_a_number,
    concurrency_limit_shut,
    concurrency_limit_without_effect,
    gpus_behind_cpu_jobs,
    jobs_fit_no_machine,
    leftovers_off,
    offer_budget_used_up,
    requirements_met_nowhere,
    significant_attribute_removed,
    start_refuses_everywhere,
    stranded_assets,
)

RULES: tuple[Rule, ...] = (
    concurrency_limit_not_a_number.RULE,
    offer_budget_used_up.RULE,
    jobs_fit_no_machine.RULE,
    requirements_met_nowhere.RULE,
    start_refuses_everywhere.RULE,
    concurrency_limit_shut.RULE,
    concurrency_limit_without_effect.RULE,
    gpus_behind_cpu_jobs.RULE,
    stranded_assets.RULE,
    leftovers_off.RULE,
    significant_attribute_removed.RULE,
)
