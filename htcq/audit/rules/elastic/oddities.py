"""Quotas that may be and are seldom meant, as the manual tells it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from htcq.audit.rules.elastic.manual import COMPUTED, OURS, manual

RULES = (
    manual(
        "elastic-max-above-parent",
        Severity.INFO,
        "A max exceeds that of the parent group",
        "It has no effect: the parent's max applies.",
        "Lower it to what the group can really get, unless it should stay when the parent's max changes.",
        OURS,
    ),
    manual(
        "elastic-weight-left-behind",
        Severity.WARNING,
        "A weight equals the max before its change",
        "The group borrows as if its max had not changed.",
        "Remove the weight: the default is max.",
        "koordinator-sh/koordinator pkg/webhook/elasticquota/quota_topology.go, commit a7a1b76",
    ),
    manual(
        "elastic-weight-zero",
        Severity.WARNING,
        "A weight is 0 and the max exceeds the min",
        "The group never gets more than its min, whatever its max and however much is free.",
        "Set a weight, or a max equal to the min.",
        COMPUTED,
    ),
    manual(
        "elastic-nothing-elastic",
        Severity.INFO,
        "The min of a group equals its max in all dimensions",
        "It can lend but never borrow.",
        "Raise the max if the group should borrow.",
        OURS,
    ),
    manual(
        "elastic-may-starve",
        Severity.INFO,
        "A group has no guarantee, and its weight is less than a hundredth of its siblings' weight",
        "While the siblings are busy it gets almost nothing.",
        "Set a min or a larger weight.",
        OURS,
    ),
    manual(
        "elastic-idle-min-kept",
        Severity.WARNING,
        "Top-level groups that do not lend are guaranteed more than half of the total",
        "What they do not use is idle while others wait.",
        "Let them lend, or lower their mins.",
        OURS,
    ),
    manual(
        "elastic-gpus-without-cpus",
        Severity.WARNING,
        "A group is guaranteed GPUs, but no cpus or no memory",
        "Every dimension is shared independently: the GPUs may be available, but no job can start on them.",
        "Set mins of cpus and memory that are sufficient for the GPUs.",
        COMPUTED,
    ),
)
