"""The schema of the file of elastic quotas, which ``--quotas`` names."""

from __future__ import annotations

from htcq.quota.elastic.declaration import Rounding
from htcq.report.schemas.shape import Shape, named, record, table, text, texts, truth
from htcq.settings.durations import PATTERN
from htcq.settings.elastic import (
    ELASTIC_GROUP_KEYS,
    ELASTIC_KEYS,
    MAX_PRIORITY,
    QUOTA_FILE_KEYS,
    UNLIMITED,
)
from htcq.settings.elastic_window import DAYS, MOMENT, TIME, WINDOW_GROUP_KEYS, WINDOW_KEYS
from htcq.settings.elastic_write import WRITE_KEYS
from htcq.settings.pool_share import limit_shape
from htcq.settings.reclaim import GROUP_KEYS, MOST_COST, RECLAIM_KEYS

_PERCENTAGE: Shape = {
    "description": "A percentage of the pool, rounded down.",
    "type": "string",
    "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$",
}
_SIZE: Shape = {
    "description": "Memory or disk with a unit.",
    "type": "string",
    "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([KMGTkmgt][Ii]?[Bb]?|[Bb])\s*$",
}


def quota_file() -> Shape:
    """Return the schema."""
    tree = _tree()
    trees = table(
        "By the name of a negotiator, its own elastic and groups.", record("A tree.", tree, tree)
    )
    keys = {**tree, "trees": trees}
    return record(
        "Elastic quotas; htcq-elastic(1) explains them.", named(QUOTA_FILE_KEYS, keys), keys
    )


def _tree() -> dict[str, Shape]:
    elastic = {
        "scale_min": truth(
            "Whether the mins of siblings shrink where they exceed what there is; true by default."
        ),
        "guarantee_usage": truth(
            "Whether what a group uses is kept for it, and none lends; false by default."
        ),
        "rounding": text("How parts of a unit are rounded.", *(each.value for each in Rounding)),
        "same_dimensions": truth(
            "Whether a group must name all dimensions of the group above it; false by default."
        ),
        "write": record(
            "How the quotas are written for the negotiator.",
            named(WRITE_KEYS, _write()),
            WRITE_KEYS,
        ),
        "reclaim": record(
            "How much may be taken back.", named(RECLAIM_KEYS, _reclaim()), RECLAIM_KEYS
        ),
    }
    elastic["window"] = _list(
        record("A planned window.", named(WINDOW_KEYS, _window()), WINDOW_KEYS)
    )
    groups = record("A group.", named(ELASTIC_GROUP_KEYS, _group()), ELASTIC_GROUP_KEYS)
    return {
        "elastic": record("What holds for all groups.", named(ELASTIC_KEYS, elastic), ELASTIC_KEYS),
        "groups": table(
            "The groups by name; a dot stands between a group and the one below it.", groups
        ),
    }


def _group() -> dict[str, Shape]:
    amount: Shape = {"anyOf": [{"type": "integer"}, _PERCENTAGE, _SIZE]}
    most: Shape = {"anyOf": [amount, {"const": UNLIMITED}]}
    return {
        "min": table("By dimension, what the group is guaranteed.", amount),
        "max": table("By dimension, the most that it may use, or unlimited.", most),
        "weight": table(
            "By dimension, its part of what is left in proportion to others; max by default.",
            amount,
        ),
        "lend": {
            "description": "Whether others may use what it leaves of its min; or by dimension, how "
            "much of that. True by default.",
            "anyOf": [{"type": "boolean"}, table("By dimension.", amount)],
        },
        "parent": text(
            "The group above it; empty for none; by default what is before the last dot of its "
            "name."
        ),
        "scale_min": truth("Whether the guarantees of groups below it shrink with its own."),
        "strict": texts("The dimensions whose max must not be below what is used."),
        "users": texts("The users whose jobs are the group's if they name no group."),
        "priority": _bounded(
            "Where mins exceed what there is, those of a higher priority come first; 0 by default.",
            -MAX_PRIORITY,
            MAX_PRIORITY,
            "integer",
        ),
        "back_within": _moments("In what time the site wants all of its min back."),
    }


def _list(shape: Shape) -> Shape:
    return {"description": "The planned windows.", "type": "array", "items": shape}


def _window() -> dict[str, Shape]:
    amounts = named(ELASTIC_GROUP_KEYS, _group())
    change = {name: amounts[name] for name in WINDOW_GROUP_KEYS}
    moment = f"^({MOMENT}|{TIME})$"
    return {
        "name": text("What the window is called."),
        "from": {**text("When it opens: a moment, or with days a time in UTC."), "pattern": moment},
        "until": {**text("When it closes."), "pattern": moment},
        "days": {
            "description": "The days on which it opens every week.",
            "type": "array",
            "items": {"type": "string", "enum": list(DAYS)},
        },
        "capacity": _part("The part of the pool that is there at least."),
        "groups": table(
            "By name, what groups have in place of their own amounts.",
            record("A group.", change, WINDOW_GROUP_KEYS),
        ),
    }


def _moments(about: str) -> Shape:
    return {**text(about), "pattern": f"^{PATTERN}$"}


def _bounded(about: str, least: float, most: float, kind: str = "number") -> Shape:
    return {"description": about, "type": kind, "minimum": least, "maximum": most}


def _part(about: str) -> Shape:
    return _bounded(about, 0, 1)


def _write() -> dict[str, Shape]:
    return {
        "directory": text("The directory that the negotiator reads (LOCAL_CONFIG_DIR)."),
        "file": text("The name of the file; it sorts after all others that set quotas."),
        "journal": text("The file with the record of what was written."),
        "interval": _moments("From step to step; 0s for 5 min, or 3 cycles if that is longer."),
        "plan_age": _moments("How old a plan may be when it is applied."),
        "ad_age": _moments("How old ads may be."),
        "cycle_age": _moments("How long ago the last negotiation cycle may have been."),
        "skew": _moments("How far clocks may differ."),
        "min_seen": _part(
            "The part of the slots and schedds of the last accepted look that must be there."
        ),
        "capacity_drop": _part("The part of the pool's weight that may have gone since that look."),
        "offer_step": _part(
            "The part of the pool that a group must gain where no min and no max needs a write."
        ),
        "verify_within": _moments("How long the negotiator may take to show what was written."),
        "central_managers": texts(
            "The machines of which one has the negotiator that serves; each has a writer."
        ),
        "max_failures": _bounded(
            "After so many failed writes in a row a person has to begin again; 0: never.",
            0,
            1000,
            "integer",
        ),
    }


def _reclaim() -> dict[str, Shape]:
    return {
        "journal": text("The file with the record of what was taken back."),
        "over_for": _moments(
            "How long a group must have used more than it may; for mins, need_for will do."
        ),
        "need_for": _moments("How long another must have waited for what is its own."),
        "max_gap": _moments(
            "Observations further apart than this tell nothing of the time between them."
        ),
        "settle_time": _moments(
            "How long a job in need is waited for on the slots of vacated jobs."
        ),
        "min_runtime": _moments("Jobs that ran for less time are left alone."),
        "grace": _moments("Jobs that end within this time are left alone."),
        "wall_time": text(
            "The attribute of jobs that has the seconds they may run; empty for none."
        ),
        "vacates": _count("Jobs that were taken back so often are left alone."),
        "pool_percent": _bounded(
            "The percentage of the pool's claims that is taken back first.", 0, 100
        ),
        "day_hours": _hours("The work that may be lost in 24 hours, in slot weight times hours."),
        "group_hours": _hours("The work of one group that may be lost in 24 hours."),
        "user_hours": _hours("The work of one user that may be lost in 24 hours."),
        "groups": table(
            "By name, what differs for the jobs of a group and of those below it.",
            record("A group.", named(GROUP_KEYS, _group_limits()), GROUP_KEYS),
        ),
        "group_jobs": _jobs("How many jobs of one group one step may take back."),
        "user_jobs": _jobs("How many jobs of one user one step may take back."),
        "day_jobs": _jobs("How many jobs may be taken back in 24 hours."),
        "batch": _count("How many jobs of one schedd are taken back at a time.", 1),
        "lease": _moments("How long a ceiling lasts."),
        "release": _part(
            "A ceiling goes when the group uses or wants no more than this part of its runtime."
        ),
        "protectors": texts("The groups, and submitters with an @, that may protect jobs."),
        "protected_jobs": _jobs("How many jobs of one group may be protected."),
        "min_cost": _bounded("What lost work of a job counts for at least.", 0, MOST_COST),
        "max_cost": _bounded("What lost work of a job counts for at most.", 0, MOST_COST),
    }


def _group_limits() -> dict[str, Shape]:
    return {
        "min_runtime": _moments("Its jobs that ran for less time are left alone."),
        "grace": _moments("Its jobs that end within this time are left alone."),
        "hours": _hours("The work that it may lose in 24 hours."),
    }


def _hours(about: str) -> Shape:
    return limit_shape(about, {"type": "number", "minimum": 0})


def _jobs(about: str) -> Shape:
    return limit_shape(about, {"type": "integer", "minimum": 0})


def _count(about: str, least: int = 0) -> Shape:
    return {"description": about, "type": "integer", "minimum": least}
