"""Demand that quotas have no place for, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-unknown-group",
        Severity.ERROR,
        "There is demand of a group that does not exist",
        "Its jobs would count for no group: neither their requests nor their usage.",
        "Declare the group, correct its name, or count its usage as default_used.",
    ),
    manual(
        "elastic-submitter-in-unknown-group",
        Severity.WARNING,
        "A submitter names a group that does not exist",
        "Its jobs belong to the default group: no quota limits them, and their usage reduces the amount for all "
        "groups.",
        "Declare the group, or let the users name an existing one.",
        "koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/pod_handler.go, commit a7a1b76",
    ),
    manual(
        "elastic-unknown-dimension",
        Severity.WARNING,
        "There is a quota for a dimension that is missing from the total",
        "The available amount is 0: all requests for it wait.",
        "Correct the name, or add it to the total.",
        COMPUTED,
    ),
    manual(
        "elastic-demand-not-managed",
        Severity.WARNING,
        "A group requests a dimension for which it has no max",
        "No quota limits that demand, and the runtime does not include it.",
        "Set a max for it, or correct the name.",
        COMPUTED,
    ),
    manual(
        "elastic-parent-with-jobs",
        Severity.INFO,
        "A group has jobs of its own and child groups",
        "Its jobs are treated as a child group <self>, with the part of its min that the other children leave.",
        "Nothing needs to be done; a separate group for these jobs is clearer.",
        OURS,
    ),
    manual(
        "elastic-group-unused",
        Severity.INFO,
        "A group requests nothing and uses nothing",
        "Its min is lent, or unused if the group does not lend.",
        "Find out whether the group is still needed.",
        OURS,
    ),
)
