"""The schema of ``htcq cost --json``."""

from __future__ import annotations

from htcq.report.column import described
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
from htcq.report.views.cost import (
    ACCESS_POINT,
    CHARGES,
    CONSERVATION,
    CUSTOMERS,
    EXPRESSION,
    FULL_WEIGHT,
    JOB,
    JOBS,
    KIND,
    MATCH,
    SLOT_WEIGHT,
    WEIGHTS,
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
    about = described((*KIND, SLOT_WEIGHT, FULL_WEIGHT))
    return {
        "count": whole(about["count"]),
        "examples": texts(about["examples"]),
        "type": text(about["type"]),
        "policy": truth(about["policy"]),
        "weight": text(about["weight"]),
        "consumption": table("By asset, the consumption expression.", {"type": "string"}),
        "total": table("By asset, what the full slot has.", _AMOUNT),
        "full_weight": number(about["full_weight"]),
    }


def _jobs() -> dict[str, Shape]:
    about = described((JOB, ACCESS_POINT, *JOBS))
    return {
        "job": text(about["job"]),
        "access_point": text(about["access_point"]),
        "request": table("By asset, what the job asks for.", _AMOUNT),
        "idle": whole(about["idle"]),
        "running": whole(about["running"]),
        "submitters": texts("Those who submitted its jobs."),
    }


def _charge() -> dict[str, Shape]:
    about = described((*MATCH, *CHARGES))
    return {
        "slots": whole("The place of the class in 'slots', counted from 0."),
        "job": text("The name of the autocluster."),
        "access_point": text("Its access point."),
        "matches": truth(about["matches"]),
        "why": text(about["why"]),
        "consumption": table("By asset, what a claim takes.", _AMOUNT),
        "match_cost": maybe(number(about["match_cost"])),
        "standing_charge": maybe(number(about["standing_charge"])),
        "gap": maybe(number(about["gap"])),
        "claims": whole(about["claims"]),
        "held": maybe(number(about["held"])),
    }


def _conservation() -> dict[str, Shape]:
    about = described(CONSERVATION)
    place = whole("The place of the class in 'slots', counted from 0.")
    return {
        "slots": place,
        **{name: number(about[name]) for name in ("full", "left", "charged", "gap")},
        "broken": whole(about["broken"]),
        "worst": number(about["worst"]),
        "examples": texts(about["examples"]),
    }


def _weights() -> dict[str, Shape]:
    about = described((EXPRESSION, *WEIGHTS))
    return {
        "expression": text(about["expression"]),
        "slots": whole(about["slots"]),
        "weight": number(about["weight"]),
        "share": number(about["share"]),
    }


def _customers() -> dict[str, Shape]:
    about = described(CUSTOMERS)
    return {
        "name": text(about["name"]),
        "published": maybe(number(about["published"])),
        "claimed": number(about["claimed"]),
    }
