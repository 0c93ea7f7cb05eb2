"""Groups that are where they cannot be, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import OURS, UPSTREAM, manual

_CONDOR = "src/condor_utils/config.cpp:is_valid_param_name, HTCondor 25.14"

RULES = (
    manual(
        "elastic-group-twice",
        Severity.ERROR,
        "Two groups have the same name, letters of different case apart",
        "HTCondor takes them for one group.",
        "Give every group one name and one spelling.",
    ),
    manual(
        "elastic-name-reserved",
        Severity.ERROR,
        "A group has the name of the root, the system group, the default group or a group's own jobs",
        "Those are there already, and no quota binds them.",
        "Choose another name.",
    ),
    manual(
        "elastic-name-illegal",
        Severity.WARNING,
        "A group has a name that HTCondor refuses",
        "Its quota can be computed, and no negotiator can have it: the name is a part of knobs.",
        "Use letters, digits, '_' and '/', with dots between a group and those below it.",
        _CONDOR,
    ),
    manual(
        "elastic-orphan",
        Severity.ERROR,
        "A group is below one that is not there",
        "Nothing is shared with it.",
        "Declare the group above, or put the group elsewhere.",
    ),
    manual(
        "elastic-cycle",
        Severity.ERROR,
        "A group is below itself",
        "It is below no root, so that nothing is shared with it; a way up would never end.",
        "Put one of the groups elsewhere.",
        "Koordinator lets it pass (pkg/webhook/elasticquota, commit a7a1b76)",
    ),
    manual(
        "elastic-dimension-not-of-parent",
        Severity.ERROR,
        "A group manages other dimensions than the group above it",
        "It would get nothing of what the group above has no runtime of.",
        "Give the group above a max of it; with same_dimensions, give both the same.",
    ),
    manual(
        "elastic-min-not-of-parent",
        Severity.ERROR,
        "A group is guaranteed something of which the group above is guaranteed nothing",
        "The guarantee holds only while nobody else wants any.",
        "Give the group above a min of it.",
    ),
    manual(
        "elastic-user-in-two-groups",
        Severity.ERROR,
        "A user without a group of its own belongs to two groups",
        "It cannot be said whose quota its jobs count for.",
        "Name the user in one group.",
        UPSTREAM,
    ),
    manual(
        "elastic-nothing-managed",
        Severity.WARNING,
        "A group has no max of anything",
        "No quota binds it, and it gets no runtime.",
        'Give it a max; max = { cpus = "unlimited" } says that there is none.',
        OURS,
    ),
)
