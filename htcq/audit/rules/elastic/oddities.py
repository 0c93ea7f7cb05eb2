"""Quotas that may be and are seldom meant, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-max-above-parent",
        Severity.INFO,
        "A max is above that of the group above",
        "It does no harm and holds nobody back: the max above is what counts.",
        "Lower it to what the group can really have, unless it is meant to stay when the one above changes.",
        OURS,
    ),
    manual(
        "elastic-weight-left-behind",
        Severity.WARNING,
        "A weight is what the max was before it changed",
        "The group borrows as if its max had stayed.",
        "Take the weight away: max is the default.",
        "koordinator-sh/koordinator pkg/webhook/elasticquota/quota_topology.go, commit a7a1b76",
    ),
    manual(
        "elastic-weight-zero",
        Severity.WARNING,
        "A weight is 0 and the max is above the min",
        "The group never comes to more than its min, whatever its max and whoever else is idle.",
        "Give it a weight, or a max that is its min.",
        COMPUTED,
    ),
    manual(
        "elastic-nothing-elastic",
        Severity.INFO,
        "The min of a group is its max, of everything",
        "It can lend and never borrow.",
        "Raise the max if it is to have what others leave.",
        OURS,
    ),
    manual(
        "elastic-may-starve",
        Severity.INFO,
        "A group is guaranteed nothing, and its weight is less than a hundredth of its siblings'",
        "While they are busy it gets next to nothing.",
        "Give it a min or a weight.",
        OURS,
    ),
    manual(
        "elastic-idle-min-kept",
        Severity.WARNING,
        "Top-level groups that do not lend keep more than half of what there is",
        "What they do not use is idle while others wait.",
        "Let them lend, or lower their mins.",
        OURS,
    ),
    manual(
        "elastic-gpus-without-cpus",
        Severity.WARNING,
        "A group is guaranteed GPUs and no cpus or memory to use them with",
        "Every dimension is shared by itself: the GPUs may be there, and no job can start on them.",
        "Give it mins of cpus and memory that suffice for the GPUs.",
        COMPUTED,
    ),
)
