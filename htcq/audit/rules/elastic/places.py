"""Groups that are where they cannot be, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import OURS, UPSTREAM, manual

_CONDOR = "src/condor_utils/config.cpp:is_valid_param_name, HTCondor 25.14"

RULES = (
    manual(
        "elastic-group-twice",
        Severity.ERROR,
        "Two groups have the same name, apart from upper and lower case",
        "HTCondor treats them as one group.",
        "Use one name and one spelling for every group.",
    ),
    manual(
        "elastic-name-reserved",
        Severity.ERROR,
        "A group has the reserved name of the root, the system group, the default group or a group's own jobs",
        "These groups exist already, and no quota applies to them.",
        "Choose another name.",
    ),
    manual(
        "elastic-name-illegal",
        Severity.WARNING,
        "A group has a name that HTCondor refuses",
        "Its quota can be computed, but no negotiator can use it: the name is part of knobs.",
        "Use letters, digits, '_' and '/', with dots between parent and child groups.",
        _CONDOR,
    ),
    manual(
        "elastic-orphan",
        Severity.ERROR,
        "The parent of a group does not exist",
        "The group gets nothing.",
        "Declare the parent group, or change the parent.",
    ),
    manual(
        "elastic-cycle",
        Severity.ERROR,
        "A group is its own descendant",
        "It is not connected to the root, so that it gets nothing.",
        "Change the parent of one of the groups.",
        "Koordinator accepts it (pkg/webhook/elasticquota, commit a7a1b76)",
    ),
    manual(
        "elastic-dimension-not-of-parent",
        Severity.ERROR,
        "A group manages a dimension that its parent group does not",
        "It would get nothing in dimensions for which the parent has no runtime.",
        "Set a max for the parent group; with same_dimensions, use the same dimensions in both.",
    ),
    manual(
        "elastic-min-not-of-parent",
        Severity.ERROR,
        "A group has a min in a dimension in which its parent group has none",
        "The guarantee holds only while no other group requests the dimension.",
        "Set a min for the parent group.",
    ),
    manual(
        "elastic-user-in-two-groups",
        Severity.ERROR,
        "A user without a group of its own belongs to two groups",
        "It is not defined which group's quota applies to the user's jobs.",
        "List the user in one group only.",
        UPSTREAM,
    ),
    manual(
        "elastic-nothing-managed",
        Severity.WARNING,
        "A group has no max in any dimension",
        "No quota applies to it, and it gets no runtime.",
        'Set a max; max = { cpus = "unlimited" } means that there is no limit.',
        OURS,
    ),
)
