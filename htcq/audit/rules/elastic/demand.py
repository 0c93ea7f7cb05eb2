"""Demand that quotas have no place for, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-unknown-group",
        Severity.ERROR,
        "There is demand of a group that is not there",
        "Its jobs would count for nobody: neither what they ask for nor what they use.",
        "Declare the group, correct its name, or count what it uses as default_used.",
    ),
    manual(
        "elastic-submitter-in-unknown-group",
        Severity.WARNING,
        "A submitter names a group that is not there",
        "Its jobs fall to the default group: no quota binds them, and what they use is taken from all.",
        "Declare the group, or have the users name one that there is.",
        "koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/pod_handler.go, commit a7a1b76",
    ),
    manual(
        "elastic-unknown-dimension",
        Severity.WARNING,
        "There is a quota of something that is not in the total",
        "There is nothing of it to share: whoever asks for any waits.",
        "Correct the name, or add it to the total.",
        COMPUTED,
    ),
    manual(
        "elastic-demand-not-managed",
        Severity.WARNING,
        "A group asks for something of which it has no max",
        "No quota binds that demand and no runtime counts it.",
        "Give the group a max of it, or correct the name.",
        COMPUTED,
    ),
    manual(
        "elastic-parent-with-jobs",
        Severity.INFO,
        "A group has jobs of its own and groups below it",
        "Its jobs share with those as a group <self>, guaranteed what they leave of its min.",
        "Nothing need be done; a group for these jobs says it more clearly.",
        OURS,
    ),
    manual(
        "elastic-group-unused",
        Severity.INFO,
        "A group asks for nothing and uses nothing",
        "Its min is lent, or idle where it does not lend.",
        "Find out whether anybody still needs it.",
        OURS,
    ),
)
