"""The schema of ``htcq cost --json``."""

from __future__ import annotations

from htcq.report.schemas.pool import about_pool, incomplete
from htcq.report.schemas.shape import (
    Shape,
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

_AMOUNT: Shape = {"type": "number"}


def cost() -> Shape:
    """Return the schema."""
    keys = {
        **about_pool(),
        "incomplete": incomplete(),
        "slots": listing(
            "The classes of slots that are alike.", record("A class of slots.", _slots())
        ),
        "jobs": listing("The autoclusters.", record("An autocluster.", _jobs())),
        "charges": listing("One charge for each pair of classes.", record("A charge.", _charge())),
        "conservation": listing(
            "How the claims of partitionable slots add up.",
            record("The sums of a class of slots.", _conservation()),
        ),
        "weights": listing(
            "The weight expressions of the pool.", record("A weight expression.", _weights())
        ),
        "customers": listing("The submitters with claims.", record("A submitter.", _customers())),
    }
    return record("What 'htcq cost --json' prints; memory is in MB, disk in KiB.", keys)


def _slots() -> dict[str, Shape]:
    return {
        "count": whole("How many slots there are of this class."),
        "examples": texts("The names of up to three of them."),
        "type": text("The type of the slots, such as Partitionable or Static."),
        "policy": truth("Whether the negotiator matches by consumption policy."),
        "weight": text("The expression SlotWeight."),
        "consumption": table("By asset, the consumption expression.", {"type": "string"}),
        "total": table("By asset, what the full slot has.", _AMOUNT),
        "full_weight": number("What the accountant would charge for the full slot."),
    }


def _jobs() -> dict[str, Shape]:
    return {
        "job": text("The id of the first job, or the shape that --job gave."),
        "request": table("By asset, what the job asks for.", _AMOUNT),
        "idle": whole("How many slots the class still wants."),
        "running": whole("How many slots the class has."),
        "submitters": texts("Those who submitted its jobs."),
    }


def _charge() -> dict[str, Shape]:
    return {
        "slots": whole("The place of the class in 'slots', counted from 0."),
        "job": text("The name of the autocluster."),
        "matches": truth("Whether a job of the class matches the full slot."),
        "why": text("What keeps them apart; empty where they match."),
        "consumption": table("By asset, what a claim takes.", _AMOUNT),
        "match_cost": maybe(
            number("What the negotiator charges for the match; null where they do not match.")
        ),
        "standing_charge": maybe(
            number("What the accountant charges for the claim; null where they do not match.")
        ),
        "gap": maybe(
            number("The standing charge less the match cost; null where they do not match.")
        ),
        "claims": whole("How many running jobs of the class are on such slots."),
        "held": maybe(
            number("What each of these is charged now, on average; null where there is none.")
        ),
    }


def _conservation() -> dict[str, Shape]:
    return {
        "slots": whole("The place of the class in 'slots', counted from 0."),
        "full": number("What the full slots weigh."),
        "left": number("What is left of the slots weighs."),
        "charged": number("What the claims on the slots are charged."),
        "gap": number("What is left and charged, less what the full slots weigh."),
        "broken": whole("How many slots do not add up."),
        "worst": number("The largest gap of one slot."),
        "examples": texts("The names of up to three slots that do not add up, the worst first."),
    }


def _weights() -> dict[str, Shape]:
    return {
        "expression": text("The expression."),
        "slots": whole("How many slots have it."),
        "weight": number("What these slots weigh together."),
        "share": number("The share of the pool's weight that this is, from 0 to 1."),
    }


def _customers() -> dict[str, Shape]:
    return {
        "name": text("The name of the submitter."),
        "published": maybe(
            number("WeightedResourcesUsed, as the negotiator publishes it; null where it does not.")
        ),
        "claimed": number("What the slots that the submitter has claimed weigh."),
    }
