"""Rules on where configuration comes from, and on knobs without effect."""

from htcq.audit.rule import Rule
from htcq.audit.rules.configuration import (
    access_point_closed,
    config_file_ignored,
    custom_resource_dropped,
    cycles_far_apart,
    group_names_overridden,
    include_command_everywhere,
    include_command_unchecked,
    job_policy_ignored,
    model_out_of_date,
    negotiator_excludes_all,
    quota_for_unknown_group,
    reserved_memory_subtracted,
    runtime_configuration_off,
    slot_type_beyond_max,
    slots_closed,
    unknown_knob,
)

RULES: tuple[Rule, ...] = (
    unknown_knob.RULE,
    group_names_overridden.RULE,
    quota_for_unknown_group.RULE,
    config_file_ignored.RULE,
    include_command_unchecked.RULE,
    include_command_everywhere.RULE,
    reserved_memory_subtracted.RULE,
    custom_resource_dropped.RULE,
    slot_type_beyond_max.RULE,
    runtime_configuration_off.RULE,
    model_out_of_date.RULE,
    job_policy_ignored.RULE,
    slots_closed.RULE,
    access_point_closed.RULE,
    negotiator_excludes_all.RULE,
    cycles_far_apart.RULE,
)
