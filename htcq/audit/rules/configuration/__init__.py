"""Rules on where configuration comes from, and on knobs without effect."""

from htcq.audit.rule import Rule
from htcq.audit.rules.configuration import (
    config_file_ignored,
    custom_resource_dropped,
    include_command_everywhere,
    include_command_unchecked,
    quota_for_unknown_group,
    reserved_memory_subtracted,
    runtime_configuration_off,
    slot_type_beyond_max,
    unknown_knob,
)

RULES: tuple[Rule, ...] = (
    unknown_knob.RULE,
    quota_for_unknown_group.RULE,
    config_file_ignored.RULE,
    include_command_unchecked.RULE,
    include_command_everywhere.RULE,
    reserved_memory_subtracted.RULE,
    custom_resource_dropped.RULE,
    slot_type_beyond_max.RULE,
    runtime_configuration_off.RULE,
)
