"""The schema of ``htcq.toml``: structure and kinds of values.

Only htcq itself checks what the values mean together.
"""

from __future__ import annotations

from typing import Any

from htcq.audit.rule import Severity
from htcq.audit.site import THRESHOLDS
from htcq.capacity.choice import MODELS, RULES, SHARES
from htcq.capacity.presets import NAMES
from htcq.policy.consumption import SPLITTINGS
from htcq.quota.group_tree import MAX_QUOTA
from htcq.quota.settings import GREATEST_RATE, MAX_ROUNDS
from htcq.report.schemas.shape import Shape, named, record, table, text, texts, truth, whole
from htcq.settings.choices import CHOICE_KEYS
from htcq.settings.drift import DRIFT_KEYS
from htcq.settings.durations import PATTERN
from htcq.settings.groups import GROUP_KEYS
from htcq.settings.quota_knobs import QUOTA_KEYS, QUOTA_KNOBS
from htcq.settings.rules import AUDIT_KEYS, RULE_KEYS
from htcq.settings.site import NODE_KEYS, SLOT_KEYS, TOP_KEYS

#: Amounts are numbers, or texts with a unit such as "2GiB".
_AMOUNT: Shape = {"type": ["number", "string"]}
_GROUP = {"$ref": "#/definitions/group"}


def site_file() -> Shape:
    """Return the schema."""
    jobs = "Kinds of job, each as for --job: cpus=1,memory=2GiB,count=10."
    keys = {
        "capacity": _open("The model of the whole node, as one partitionable slot.", _model()),
        "slot_types": _slot_types(
            "Several slot types instead: slot_types.1 is SLOT_TYPE_1, up to 9."
        ),
        "nodes": table(
            "Kinds of node, by a name for each.",
            _open("A kind of node.", named(NODE_KEYS, _node())),
        ),
        "jobs": texts(jobs),
        "templates": text("A directory with the site's own templates."),
        "literal": truth(
            "Whether to write the numbers of this node instead of portable expressions."
        ),
        "audit": _open("What the audit does with its rules.", named(AUDIT_KEYS, _audit())),
        "groups": table(
            "The accounting groups of the pool; nested tables are the groups below a group.", _GROUP
        ),
        "quotas": _open("What holds for all groups together.", named(QUOTA_KEYS, _quotas())),
        "drift": _open(
            "Where 'htcq drift' keeps its history, and for how long.", named(DRIFT_KEYS, _drift())
        ),
    }
    shape = _open("The site file of htcq; htcq.toml(5) explains it.", named(TOP_KEYS, keys))
    group = {**_open("A group.", named(GROUP_KEYS, _group())), "additionalProperties": _GROUP}
    group["not"] = {"required": ["quota", "share"]}
    return {
        **shape,
        "not": {"required": ["capacity", "slot_types"]},
        "definitions": {"group": group},
    }


def _open(about: str, keys: Any) -> Shape:
    """Return the shape of a table of which every key may be missing."""
    return record(about, keys, keys)


def _bounded(about: str, least: float, most: float, kind: str = "number") -> Shape:
    return {"description": about, "type": kind, "minimum": least, "maximum": most}


def _model() -> dict[str, Shape]:
    keys = {
        "model": text("The model; linear unless another key belongs to another model.", *MODELS),
        "preset": text("A named policy instead of a model.", *NAMES),
        "claims": whole("Fixed: the number of claims."),
        "share": text("Fixed: what a claim takes; even by default.", *SHARES),
        "assets": texts("Fixed: the assets that 'even' divides."),
        "level": table("Quantized: the levels of each asset.", {"type": ["integer", "string"]}),
        "rule": text("Quantized: which level counts; min by default.", *RULES),
        "charge": table(
            'Minimum-charge: the least charge of each asset, such as memory = "2GiB".', _AMOUNT
        ),
        "whole_charges": truth(
            "Minimum-charge: whether consumption is rounded up to multiples of the charge."
        ),
        "weights": table(
            'Linear: the weight of one unit of each asset, such as memory = "0.25/GiB".', _AMOUNT
        ),
        "scale": {
            "description": "Linear: what all weights are multiplied by; 1 by default.",
            **_AMOUNT,
        },
        "optional_assets": texts(
            "Linear: custom resources with a weight that only some nodes have."
        ),
        "cpu_shares": whole("Each core counts as so many cpus."),
        "splitting": text("Who splits slots; negotiator by default.", *SPLITTINGS),
    }
    return dict(named(CHOICE_KEYS, keys))


def _slot_types(about: str) -> Shape:
    part = (
        "What each of these slots gets of the cpus, memory, disk and gpus of the machine, such "
        "as 25%."
    )
    keys = {
        **_model(),
        "count": {**whole("How many such slots there are; 1 by default."), "minimum": 1},
        "part": {"description": part, **_AMOUNT},
        "parts": table("The same asset by asset: a share such as 25%, or an amount.", _AMOUNT),
    }
    slot_type = _open("A slot type.", named(SLOT_KEYS, keys))
    shape: Shape = {
        "description": about,
        "type": "object",
        "patternProperties": {"^[1-9]$": slot_type},
    }
    return {**shape, "additionalProperties": False}


def _node() -> dict[str, Shape]:
    return {
        **_model(),
        "match": text("Which nodes these are: a ClassAd expression such as TotalGPUs > 0."),
        "slot_types": _slot_types("Several slot types instead of one model."),
    }


def _audit() -> dict[str, Shape]:
    rule = {
        "disable": truth("Whether never to check the rule, unless --only asks for it."),
        "severity": text(
            "The severity instead of the rule's own.", *(each.word for each in Severity)
        ),
        "only": texts("Report only findings with these subjects; shell patterns."),
        "ignore": texts("Report no findings with these subjects; shell patterns."),
    }
    rules = table(
        "What the site thinks of single rules, by id.", _open("A rule.", named(RULE_KEYS, rule))
    )
    return {
        "fail_on": text("The severity from which on the exit status is 1.", *THRESHOLDS),
        "rules": rules,
    }


def _group() -> dict[str, Shape]:
    return {
        "quota": _bounded("An amount of slot weight (GROUP_QUOTA_NAME).", 0, MAX_QUOTA),
        "share": _bounded(
            "A share of what the group above has left (GROUP_QUOTA_DYNAMIC_NAME).", 0, 1
        ),
        "accept_surplus": truth(
            "Whether the group may use what others leave (GROUP_ACCEPT_SURPLUS_NAME)."
        ),
        "autoregroup": truth("Whether its submitters have another turn with those of no group."),
        "owner": text("Who answers for the quota."),
        "contact": text("How to reach the owner."),
        "expires": {**text("The last day of the quota, such as 2027-03-31."), "format": "date"},
    }


def _quotas() -> dict[str, Shape]:
    keys = {
        "accept_surplus": truth("Whether groups that do not say may use what others leave"),
        "autoregroup": truth(
            "Whether submitters of groups that do not say have another turn with those of no group"
        ),
        "oversubscription": truth(
            "Whether a group keeps its quota beside what it hands to groups below it"
        ),
        "strict": truth("Whether a group that accepts no surplus limits all groups below it"),
        "use_slot_weights": truth("Whether slots count what they weigh, or one each"),
        "weighted_demand": truth("Whether jobs count what they weigh, or one each"),
        "max_allocation_rounds": _bounded(
            "How many rounds of allocation there may be", 1, MAX_ROUNDS, "integer"
        ),
        "round_robin_rate": _bounded(
            "How much a group may add before all others had a turn", 1, GREATEST_RATE
        ),
        "sort_expression": text(
            "A ClassAd expression: the group for which it is smallest has the first turn"
        ),
    }
    for key, shape in keys.items():
        shape["description"] += f" ({QUOTA_KNOBS[key]})."
    return keys


def _drift() -> dict[str, Shape]:
    span = f"^{PATTERN}$"
    return {
        "store": text("The file of the history, on a local file system."),
        "keep_fine": {
            **text("For how long every observation is kept; 14d by default."),
            "pattern": span,
        },
        "keep_hours": {**text("For how long hours are kept; 90d by default."), "pattern": span},
        "keep_days": {**text("For how long anything is kept; 5y by default."), "pattern": span},
        "quotas": text("The file of the elastic quotas whose ledger is kept."),
    }
