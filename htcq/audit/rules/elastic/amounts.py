"""Amounts of a group that cannot be, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-amount-malformed",
        Severity.ERROR,
        "An amount is no whole number, or amounts are no table",
        "Nothing can be computed: shares are exact, so half a GPU or true cannot be one.",
        "Write whole numbers by dimension, such as min = { cpus = 10, gpus = 1 }.",
    ),
    manual(
        "elastic-max-negative",
        Severity.ERROR,
        "A max is below 0",
        "Nobody can be held to it.",
        "Give a max of 0 or more; leave the dimension out where no quota is to bind it.",
    ),
    manual(
        "elastic-min-negative",
        Severity.ERROR,
        "A min is below 0",
        "The group would owe others something.",
        "Give a min of 0 or more, or leave the dimension out.",
    ),
    manual(
        "elastic-weight-negative",
        Severity.ERROR,
        "A weight is below 0",
        "The shares of all others would come to more than there is.",
        "Give a weight of 0 or more, or leave it out: max is the default.",
    ),
    manual(
        "elastic-min-without-max",
        Severity.ERROR,
        "A group has a min of something and no max of it",
        "A dimension without a max is not managed in that group, so the guarantee would be nothing.",
        'Give the max too; max = { cpus = "unlimited" } says that there is none.',
    ),
    manual(
        "elastic-min-above-max",
        Severity.ERROR,
        "A min is above the max of the same group",
        "The group is guaranteed what it may not use.",
        "Lower the min or raise the max.",
    ),
    manual(
        "elastic-unlimited-without-weight",
        Severity.ERROR,
        "A max is unlimited and there is no weight",
        "A weight is the max unless it is given, and there is none to take.",
        "Give the group a weight in that dimension.",
        OURS,
    ),
    manual(
        "elastic-kinds-above-whole",
        Severity.ERROR,
        "The mins of kinds, such as gpus:a100, come to more than the min of all of them",
        "Cards of each kind are guaranteed, and not so many cards in all: both cannot be kept.",
        "Raise the min of all kinds together, or lower those of the kinds.",
        OURS,
    ),
    manual(
        "elastic-used-without-max",
        Severity.ERROR,
        "A dimension of strict is used and has no max",
        "What is used would be bound by nothing from now on.",
        "Keep the max while the group uses any of it, or take the dimension out of strict.",
    ),
    manual(
        "elastic-max-below-used",
        Severity.ERROR,
        "The max of a dimension of strict is below what is used",
        "The group would be over its max at once.",
        "Wait until jobs end, or take the dimension out of strict.",
    ),
    manual(
        "elastic-guarantee-not-covered",
        Severity.ERROR,
        "A min is more than any group above it has kept for those below it",
        "With guarantee_usage it could only be kept by taking away what others use.",
        "Lower the min, or raise the min of a group above it first.",
    ),
    manual(
        "elastic-children-min-above-parent",
        Severity.ERROR,
        "The mins of the groups below a group come to more than its own",
        "They are guaranteed what nobody guarantees the group above them, and shrink when it is busy elsewhere.",
        "Raise the min of the group above, or lower those below it.",
    ),
    manual(
        "elastic-mins-above-capacity",
        Severity.WARNING,
        "The mins of the top-level groups come to more than there is",
        "No group has its min: all shrink in proportion, or, with scale_min off, more is promised than there is.",
        "Lower the mins, or find out what became of the capacity.",
        COMPUTED,
    ),
)
