"""The schemas of ``htcq quota --json``: one pool, several, and a what-if."""

from __future__ import annotations

from htcq.poolquota.comparison import AmountDifference, GroupDifference
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.kept_back import KeptBack
from htcq.poolquota.published import Mark
from htcq.quota.cycle_quotas import GroupQuota, GroupRound, SurplusSharing
from htcq.quota.group_tree import Group
from htcq.quota.knobs import TreeProblem
from htcq.quota.shares import SubmitterShare
from htcq.report.schemas.pool import about_pool, changes, health, holders, incomplete, version
from htcq.report.schemas.shape import (
    Shape,
    any_number,
    keys_of,
    listing,
    maybe,
    record,
    same,
    text,
    texts,
    truth,
    whole,
)

_GROUP = {
    "name": "The name of the group.",
    "parent": "The group above it; null for the root.",
    "config_quota": (
        "The quota as configured: an amount where 'static' is true, else a share from 0 to 1."
    ),
    "static": "Whether the configured quota is an amount.",
    "accept_surplus": "Whether the group may use what others leave.",
    "autoregroup": "Whether its submitters have another turn with those of no group.",
}
_DEPTH = "How many groups are above it."
_QUOTAS = {
    "quota": "The group's own quota, as the negotiator computes it.",
    "subtree_quota": "The quota of the group and all groups below it.",
    "requested": "What the group asks for, running jobs included.",
    "usage": "What the group uses.",
}


def quota() -> Shape:
    """Return the schema for one pool."""
    keys = {
        **about_pool(),
        "unit": text("What amounts are counted in: slot weight or slots."),
        "demand_unit": text("What demand is counted in."),
        "pool_weight": any_number("What there is to share."),
        "published_pool_weight": maybe(
            any_number("What the negotiator shared in its last cycle; null if unknown.")
        ),
        "groups": listing("The groups, breadth first.", record("A group.", _quota())),
        "rounds": listing("The rounds of allocation.", record("A round.", _round())),
        "standings": listing(
            "The groups, depth first, as the table shows them.", record("A group.", _standing())
        ),
        "sharings": listing(
            "For each round, how surplus was divided.", listing("A round.", _sharing())
        ),
        "problems": listing(
            "What is wrong with groups' knobs, and other knobs that crash the negotiator.",
            record("A problem.", _problem()),
        ),
        "doubts": texts("Why what was published cannot be taken as it is, one sentence each."),
        "incomplete": incomplete(),
        "not_offered": listing(
            "The groups with idle jobs that are not offered now.", record("A group.", _kept_back())
        ),
    }
    return record("What 'htcq quota --json' prints of one pool.", keys)


def pools() -> Shape:
    """Return the schema for several pools."""
    keys = {"pools": listing("The pools, in the order of the command line.", quota())}
    return record("What 'htcq quota --json' prints of several pools.", keys)


def what_if() -> Shape:
    """Return the schema for a pool before and after a change."""
    amounts = keys_of(
        AmountDifference, "changed",
        before="The amount before the change; null where there is none.",
        after="The amount after the change; null where there is none.",
        difference="What the amount grows by; null where one of the two is missing.",
    )  # fmt: skip
    changed = truth("Whether the two differ.")
    difference = keys_of(
        GroupDifference,
        "status",
        fate=text("What becomes of the group.", "appears", "vanishes", "stays"),
        effective=record("Its own quota.", {**amounts, "changed": changed}),
        allocated=record("What it is allocated.", {**amounts, "changed": changed}),
        limit=record("The limit that the negotiator works with.", {**amounts, "changed": changed}),
    )
    group = {
        "name": text(_GROUP["name"]),
        "parent": maybe(text(_GROUP["parent"])),
        "depth": whole(_DEPTH),
        **difference,
    }
    keys = {
        "schema": version(),
        "health": health(),
        "changes": changes(),
        "before": same("The pool as it is.", "pool"),
        "after": same("The pool with the change.", "pool"),
        "differences": listing("The groups, with what is different.", record("A group.", group)),
    }
    return {
        **record("What 'htcq quota --set --json' prints.", keys),
        "definitions": {"pool": quota()},
    }


def _round() -> dict[str, Shape]:
    group = keys_of(
        GroupRound,
        name=_GROUP["name"],
        quota=_QUOTAS["quota"],
        requested="What it asked for before the allocation.",
        unallocated="What it asked for and was not allocated.",
        allocated="What it was allocated.",
        sort_key="The value of GROUP_SORT_EXPR: the smallest has the first turn.",
    )
    limit = {
        "group": text(_GROUP["name"]),
        "limit": any_number(
            "The limit in the first pass of the round robin, before it is truncated."
        ),
    }
    return {
        "surplus": any_number("What no group took of the surplus."),
        "max_delta": any_number(
            "The most that any group may still take of its allocation or quota."
        ),
        "groups": listing("The groups, breadth first.", record("A group.", group)),
        "order": texts("The names of the groups in the order of their turns."),
        "limits": listing("The limits of the first turns.", record("A limit.", limit)),
    }


def _standing() -> dict[str, Shape]:
    mark = keys_of(
        Mark,
        attribute="The attribute of the Accounting ad.",
        published={"description": "What the negotiator published.", "type": ["number", "string"]},
        computed={"description": "What it should have published.", "type": ["number", "string"]},
    )
    own = keys_of(
        GroupStatus,
        "computed",
        depth=_DEPTH,
        submitters="How many submitters it has.",
        idle="What its own submitters still want.",
        running="What its own submitters have.",
        subtree_usage="What the group and all groups below it use.",
        allocated="What it is allocated; where groups regroup, the root has the whole pool.",
        own_allocated="What it is allocated for its own jobs.",
        borrowed="What it is allocated beyond its quota.",
        lent="What others are allocated of its quota.",
        limit=(
            "The usage that the negotiator lets it come to; null where it is not negotiated in "
            "this cycle."
        ),
        headroom="What it may still take of its limit, or of its quota without a turn.",
        obtainable=(
            "How much of the head-room is free in the pool; all of it where "
            "PREEMPTION_REQUIREMENTS may be true."
        ),
        below="How much less than the lesser of quota and demand it uses; 0 within the slack.",
        held_by=holders(),
        turn="The number of its turn, from 1; null where it has none.",
        sort_key="The value of GROUP_SORT_EXPR: the smallest has the first turn.",
        marks=listing(
            "What the negotiator published otherwise than computed.", record("A mark.", mark)
        ),
        shares=listing(
            "What each submitter with idle jobs may take in the first turn.",
            record("A share.", _share()),
        ),
    )
    return {**_quota(), "configured": truth("Whether it has a quota in the configuration."), **own}


def _quota() -> dict[str, Shape]:
    return {
        **keys_of(Group, "children", "configured", **_GROUP),
        **keys_of(GroupQuota, "group", **_QUOTAS),
    }


def _share() -> dict[str, Shape]:
    return keys_of(
        SubmitterShare,
        name="The name of the submitter.",
        share="Its share of the base, from 0 to 1, by its priority.",
        base="What the submitters of the group share.",
        limit="What it may still be given of that.",
        headroom="What its ceiling leaves it; null where it has none.",
        floor="What it may be given before all others, because it uses less than its floor.",
    )


def _sharing() -> Shape:
    pair: Shape = {
        "type": "array",
        "items": {"type": ["string", "number"]},
        "minItems": 2,
        "maxItems": 2,
    }
    keys = keys_of(
        SurplusSharing,
        group="The group that divides it among itself and the groups right below it.",
        surplus="What there was to divide.",
        wanted="What they wanted together.",
        shares=listing("What each got: pairs of a name and an amount.", pair),
        left="What was left.",
        enough="Whether there was enough for all.",
        handed_down="Whether it came from the level above.",
        remainders="Whether it was made of fractions of slots.",
    )
    return record("One division of surplus.", keys)


def _problem() -> dict[str, Shape]:
    found = keys_of(
        TreeProblem,
        kind=text("The kind of problem."),
        group="The group; empty where the knob is for all groups.",
        knob="The name of the knob.",
        value="The value of the knob, or the name of the other group.",
    )
    return {
        **found,
        "fatal": truth("Whether the negotiator exits on it."),
        "message": text("What is wrong."),
    }


def _kept_back() -> dict[str, Shape]:
    found = keys_of(
        KeptBack,
        group=_GROUP["name"],
        idle="How many slots its idle jobs want.",
        reasons="How many of them are not offered, by the reason.",
    )
    return {**found, "jobs": whole("How many of them are not offered.")}
