"""The kinds of data that rules need."""

from __future__ import annotations

import enum


class Input(enum.Enum):
    """A kind of data that a rule needs; the value is the words for what is missing without it."""

    #: Slots and daemons that run, not what a configuration would make of a node.
    POOL = "a running pool (collector.ads)"
    SLOTS = "slot ads (collector.ads)"
    #: Slots, or a configuration of which a node of usual size shows what slots would be like.
    SHAPES = "slot ads or an execution point's configuration"
    JOBS = "job ads (jobs.ads)"
    SUBMITTERS = "submitter ads (collector.ads)"
    ACCOUNTING = "accounting ads (collector.ads)"
    SCHEDDS = "schedd ads (collector.ads)"
    CENTRAL = "the central manager's configuration (config.txt)"
    ACCESS = "an access point's configuration (access/NAME.txt)"
    EXECUTE = "an execution point's configuration (execute/NAME.txt)"
    #: What the next cycle starts and leaves; trials of root causes do without it.
    BALANCE = "the balance of the pool"
    DECLARED = "declared groups (htcq.toml)"
    ELASTIC = "elastic quotas (htcq elastic compute --quotas)"
