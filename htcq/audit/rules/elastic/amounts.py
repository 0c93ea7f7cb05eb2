"""Amounts of a group that cannot be, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-amount-malformed",
        Severity.ERROR,
        "An amount is not a whole number, or the amounts are not a table",
        "Nothing can be computed: shares are exact whole numbers, so that half a GPU or true is not possible.",
        "Write whole numbers by dimension, such as min = { cpus = 10, gpus = 1 }.",
    ),
    manual(
        "elastic-max-negative",
        Severity.ERROR,
        "A max is below 0",
        "A negative limit cannot be enforced.",
        "Set a max of 0 or more; leave the dimension out if no quota should apply to it.",
    ),
    manual(
        "elastic-min-negative",
        Severity.ERROR,
        "A min is below 0",
        "The group would have a negative guarantee.",
        "Set a min of 0 or more, or leave the dimension out.",
    ),
    manual(
        "elastic-weight-negative",
        Severity.ERROR,
        "A weight is below 0",
        "The shares of all other groups would exceed the available amount.",
        "Set a weight of 0 or more, or leave it out: the default is max.",
    ),
    manual(
        "elastic-min-without-max",
        Severity.ERROR,
        "A group has a min in a dimension but no max",
        "A dimension without a max is not managed in that group, so that the guarantee has no effect.",
        'Set the max too; max = { cpus = "unlimited" } means that there is no limit.',
    ),
    manual(
        "elastic-min-above-max",
        Severity.ERROR,
        "A min is above the max of the same group",
        "The group is guaranteed an amount that it must not use.",
        "Lower the min or raise the max.",
    ),
    manual(
        "elastic-unlimited-without-weight",
        Severity.ERROR,
        "A max is unlimited and no weight is set",
        "The default of weight is max, which is unlimited here.",
        "Set a weight in that dimension.",
        OURS,
    ),
    manual(
        "elastic-kinds-above-whole",
        Severity.ERROR,
        "The mins of GPU models, such as gpus:a100, add up to more than the min of gpus",
        "GPUs of each model are guaranteed, but not as many GPUs in total: both cannot be satisfied.",
        "Raise the min of gpus, or lower those of the models.",
        OURS,
    ),
    manual(
        "elastic-used-without-max",
        Severity.ERROR,
        "A dimension of strict is in use and has no max",
        "The usage would no longer be limited.",
        "Keep the max while the group uses the dimension, or remove the dimension from strict.",
    ),
    manual(
        "elastic-max-below-used",
        Severity.ERROR,
        "The max of a dimension of strict is below the current usage",
        "The group would exceed its max immediately.",
        "Wait until jobs end, or remove the dimension from strict.",
    ),
    manual(
        "elastic-guarantee-not-covered",
        Severity.ERROR,
        "A min exceeds what the groups above it have in reserve",
        "With guarantee_usage it could be satisfied only by taking away amounts that others use.",
        "Lower the min, or raise the min of a group above it first.",
    ),
    manual(
        "elastic-children-min-above-parent",
        Severity.ERROR,
        "The mins of child groups add up to more than the min of their parent",
        "Their guarantees are not covered by the parent's guarantee, and shrink when other groups are busy.",
        "Raise the min of the parent group, or lower those of its children.",
    ),
    manual(
        "elastic-mins-above-capacity",
        Severity.WARNING,
        "The mins of the top-level groups add up to more than the available amount",
        "No group gets its min: all mins shrink in proportion or, with scale_min off, the runtimes exceed the "
        "available amount.",
        "Lower the mins, or find out why capacity is missing.",
        COMPUTED,
    ),
)
