"""The schemas of ``htcq elastic compute --json`` and ``htcq elastic status --json``."""

from __future__ import annotations

from htcq.elastic.activity import WORDS
from htcq.elastic.reclaim.protection import ProtectedUse
from htcq.quota.elastic.declaration import Rounding
from htcq.report.schemas.pool import health, source, version
from htcq.report.schemas.shape import (
    Shape,
    keys_of,
    listing,
    maybe,
    number,
    record,
    table,
    text,
    texts,
    truth,
    whole,
)

_TREES = "By the name of a negotiator, its tree, where the file of quotas has several."
_AMOUNTS: Shape = {"type": "object", "additionalProperties": {"type": "integer"}}
#: What both have of a group by dimension, in HTCondor's units.
_OF_GROUP = {
    "runtime": "What the group may use now.",
    "min": "What the group is guaranteed.",
    "scaled_min": "The guarantee in effect: smaller than min where all guarantees exceed the pool.",
    "request": "What the group asks for; at least its min where it does not lend.",
    "lent": "How far its runtime is below its guarantee in effect.",
    "borrowed": "How far its runtime is above its guarantee in effect.",
    "waiting": "What is asked for in it and may not be used now.",
    "over": "What it uses beyond its runtime.",
    "weight": "How much of what is left it gets in proportion to others.",
    "child_request": "What its jobs and the groups below it ask for, each up to its max.",
    "limited": "The request, up to max.",
    "used": "What it uses, with the groups below it.",
}
_BY_GUARANTEE = {
    "floor": "What is kept for the group, never more than its max.",
    "allocated": "With guarantee_usage: what its running jobs keep.",
    "guaranteed": "With guarantee_usage: what it is guaranteed together with that.",
}


def computed() -> Shape:
    """Return the schema of what groups may use, computed from files."""
    step = {
        "kind": text("The kind of step."),
        "runtime": whole("The runtime after it."),
        "text": text("A sentence that says what happened."),
    }
    steps = listing("The steps.", record("A step.", step))
    group = {
        **_group({**_OF_GROUP, **_BY_GUARANTEE}),
        "not_managed": texts("The dimensions of the pool that no quota of it binds."),
        "steps": table("With --trace: by dimension, the steps to the runtime.", steps),
    }
    options = {
        "scale_min": truth(
            "Whether the mins of siblings shrink where they exceed what there is for them."
        ),
        "guarantee_usage": truth("Whether what a group uses is kept for it; no group lends then."),
        "rounding": text("How parts of a unit are rounded.", *(each.value for each in Rounding)),
        "same_dimensions": truth("Whether a group must name all dimensions of the group above it."),
    }
    default = {"request": _amounts("What they ask for."), "used": _amounts("What they use.")}
    tree = {
        "options": record("The table [elastic] of the file.", options),
        "total": _amounts("What there is."),
        "effective_total": _amounts("What of it is there for the groups."),
        "undistributed": _amounts(
            "What nobody may use; negative where more is promised than there is."
        ),
        "default": record("The jobs that no group takes.", default),
        "groups": table(
            "By name, parents before those below them.", record("A group.", group, ("steps",))
        ),
        "findings": _findings(),
    }
    head = {"schema": version(), "source": text("The file of the quotas.")}
    return _one_or_trees("What 'htcq elastic compute --json' prints.", head, tree)


MIN_BACK = {
    "missing": number("What it does not use of its min, in slot weight."),
    "free": number("What nobody uses of that."),
    "ends": maybe(
        number(
            "Seconds until the rest is back as claims end, in 95 of 100 cases; null: perhaps never."
        )
    ),
    "reclaim": maybe(
        number("Seconds until it is back by reclaim; null: its limits or the jobs forbid that.")
    ),
    "objective": maybe(number("Seconds within which the site wants it back; null: not said.")),
    "late": truth("Whether both are longer than that."),
}
PROTECTED = keys_of(
    ProtectedUse,
    group="The name of the group.",
    paid=whole("How many jobs are protected: its min pays for them."),
    unpaid=whole("How many jobs ask for it and are not protected."),
    amounts="By dimension, what these use.",
    why="Why they are not protected.",
)
_LAST_DAY = {
    "refused": whole("Steps that were refused."),
    "writes": whole("Writes that were begun."),
    "vacated": whole("Jobs that reclaim has vacated."),
    "lost_weight_hours": number("Work that these have lost, in slot weight times hours."),
}
_ACTIVITY = {
    "state": text("Whether elastic quotas are kept.", *WORDS),
    "why": text("Why not; empty where they are."),
}


#: The quota of a group, in slot weight.
_QUOTA = {
    "now": maybe(number("The configured quota; null where there is none.")),
    "target": number("What the quota should be."),
    "headroom": number("What the quota has beyond the runtime, for jobs to come."),
    "accept_surplus": truth("Whether the group may use what others leave."),
    "used": number("What its own jobs use."),
}


def status() -> Shape:
    """Return the schema of how groups stand on a pool."""
    dimension = {
        "total": whole("What there is."),
        "effective_total": whole("What is left of it without the jobs of no group."),
        "unmatchable": whole("What is free on slots that match nobody."),
        "undistributed": whole(
            "What nobody may use; negative where more is promised than there is."
        ),
        "enforcement": text(
            "How far HTCondor's quotas hold it.", "enforced", "approximated", "reported"
        ),
        "why": text("Why not further; empty where it is enforced."),
    }
    group = {
        **_group(_OF_GROUP),
        "binding": text("The dimension that keeps its jobs out; empty where none does."),
        "quota": maybe(
            record("Its quota in slot weight; null for the own jobs of a group.", _QUOTA)
        ),
        "min_back": maybe(
            record("In what time all of its min is back; null where all is in use.", MIN_BACK)
        ),
    }
    tree = {
        "taken": maybe(
            text("When the pool was captured (ISO 8601); empty where that is not known.")
        ),
        "negotiator": text("The negotiator whose configuration and accounting it is."),
        "pool_weight": number("What the pool weighs."),
        "last_day": record("What the journals have of the last 24 hours.", _LAST_DAY),
        "windows": texts("The planned windows that are open."),
        "refused_file": text(
            "Why the file of quotas is refused, if these are those of the last accepted one."
        ),
        "activity": record("The state of the writer, by its journal.", _ACTIVITY),
        "dimensions": table(
            "By name, the dimensions that quotas name.", record("A dimension.", dimension)
        ),
        "groups": table("By name, parents before those below them.", record("A group.", group)),
        "protected": listing(
            "The groups with jobs that ask for protection.", record("A group.", PROTECTED)
        ),
        "default": record("The jobs of no group.", {"used": _amounts("What they use.")}),
        "system": record("Claims outside all quotas.", {"used": _amounts("What they use.")}),
        "capacity": _amounts("What the slots have in every dimension, managed or not."),
        "claims": whole("How many claims there are."),
        "idle_jobs": whole("How many idle jobs there are."),
        "held_back": texts("What keeps idle jobs of groups out, one sentence each."),
        "problems": texts("What could not be counted, one sentence each."),
        "findings": _findings(),
    }
    head = {
        "schema": version(),
        "source": source(),
        "quotas": text("The file of the quotas."),
        "health": health(),
    }
    return _one_or_trees("What 'htcq elastic status --json' prints.", head, tree)


def _one_or_trees(about: str, head: dict[str, Shape], tree: dict[str, Shape]) -> Shape:
    """Return the shape of a file: its one tree beside the head, or several by name."""
    trees = table(_TREES, record("A tree.", tree))
    return record(about, {**head, **tree, "trees": trees}, {*tree, "trees"})


def _amounts(about: str) -> Shape:
    return {"description": f"By dimension: {about[0].lower()}{about[1:]}", **_AMOUNTS}


def _group(amounts: dict[str, str]) -> dict[str, Shape]:
    most: Shape = {"type": "object", "additionalProperties": {"type": ["integer", "null"]}}
    return {
        **{name: _amounts(about) for name, about in amounts.items()},
        "max": {
            "description": "By dimension: the most that it may use; null for no limit.",
            **most,
        },
        "parent": text("The group above it; empty for a top-level group."),
        "leaf": truth("Whether no group is below it."),
        "lends": truth("Whether others may use what it leaves."),
        "priority": whole("Where mins exceed what there is, a higher priority comes first."),
        "max_lent": _amounts("How much of its min others may use, where that is limited."),
        "own_jobs": truth("Whether it stands for the jobs of the group above it."),
        "implied": texts("The kinds of GPUs that it has without naming them."),
    }


def _findings() -> Shape:
    keys = {
        "rule": text("The id of the rule."),
        "severity": text("How bad it is.", "error", "warning", "info"),
        "subject": text("The group."),
        "message": text("What is wrong."),
    }
    return listing("What is wrong or odd about the quotas.", record("A finding.", keys))
