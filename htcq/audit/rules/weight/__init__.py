"""Rules on slot weights and demand."""

from htcq.audit.rule import Rule
from htcq.audit.rules.weight import (
    access_point_lacks_slot_weight,
    advertised_demand_differs,
    attribute_nobody_defines,
    demand_truncated_to_zero,
    idle_hardware_in_pool,
    pool_constraint_matches_nothing,
    pool_constraint_unparsable,
    schedd_guesses_weight,
    schedd_weight_misspelt,
    schedd_weight_names_slot,
    slot_constraint_hides_claims,
    stranded_weight,
    weight_counted_as_one,
    weight_ignores_scarce_asset,
    weights_off_with_partitionable,
)

RULES: tuple[Rule, ...] = (
    demand_truncated_to_zero.RULE,
    advertised_demand_differs.RULE,
    schedd_guesses_weight.RULE,
    schedd_weight_names_slot.RULE,
    schedd_weight_misspelt.RULE,
    access_point_lacks_slot_weight.RULE,
    pool_constraint_matches_nothing.RULE,
    pool_constraint_unparsable.RULE,
    slot_constraint_hides_claims.RULE,
    weight_counted_as_one.RULE,
    weights_off_with_partitionable.RULE,
    weight_ignores_scarce_asset.RULE,
    stranded_weight.RULE,
    idle_hardware_in_pool.RULE,
    attribute_nobody_defines.RULE,
)
