"""The schema of ``htcq plan --json``: one node, or a fleet."""

from __future__ import annotations

from htcq.report.column import described
from htcq.report.schemas.pool import health, version
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
from htcq.report.views.mix import ASSETS
from htcq.report.views.plan import CHARGES, GAPS

_AMOUNT: Shape = {"type": "number"}


def plan() -> Shape:
    """Return the schema; of several nodes it has no slot types."""
    keys = {
        "schema": version(),
        "weight": number("The weight W of the empty node, or of all nodes together."),
        "claims": _claims(),
        "asset_weights": _asset_weights(),
        "limiting": _limiting(),
        "jobs": listing(
            "The job shapes, each on the first slot type that takes it.", record("A job.", _job())
        ),
        "slot_types": listing("The slot types of the node.", record("A slot type.", _slot_type())),
        "fleet": record("All nodes together, even where there is one.", _fleet()),
        "mix": maybe(record("The mix of jobs; null where no counts were given.", _mix())),
        "notes": texts("What to know of the plan, one sentence each."),
        "health": health(),
    }
    one = ("claims", "asset_weights", "limiting", "jobs", "slot_types", "health")
    return record("What 'htcq plan --json' prints; memory is in MB, disk in KiB.", keys, one)


def _claims() -> Shape:
    return table(
        "By asset, how many claims it would carry alone; empty for the linear model.", _AMOUNT
    )


def _asset_weights() -> Shape:
    return table("By asset, what the slots' amount of it weighs; empty for other models.", _AMOUNT)


def _limiting() -> Shape:
    return text("The asset that limits the first slot type; empty where the weight is a sum.")


def _charges() -> dict[str, Shape]:
    charges = {name: number(about) for name, about in described(CHARGES).items()}
    gap = {name: number(about) for name, about in described(GAPS).items()}
    return {
        "fits": whole("How many of these jobs run side by side."),
        **charges,
        "gap": record("How far the other weights are from the match cost.", gap),
        "problems": texts("What is wrong with this job on this slot, one sentence each."),
    }


def _job() -> dict[str, Shape]:
    return {
        "shape": table("By asset, what the job asks for.", _AMOUNT),
        "consumption": table("By asset, what the job consumes.", _AMOUNT),
        "carved": table(
            "By asset, what its dynamic slot has; empty where the job never matches.", _AMOUNT
        ),
        **_charges(),
    }


def _slot_type() -> dict[str, Shape]:
    together = {
        "running": listing("How many of each job run.", {"type": "integer"}),
        "match_cost": number("The sum of their match costs."),
        "standing_charge": number("The sum of their standing charges."),
        "weight_left": number("The slot weight that is left."),
        "demand": number("The sum of the schedd weights of all jobs, running or not."),
    }
    change = {"what": text("What was changed."), "why": text("Why it was changed.")}
    return {
        "number": whole("The N of SLOT_TYPE_N."),
        "count": whole("How many such slots there are."),
        "model": text("The model with its settings."),
        "splitting": text("Who splits the slot.", "negotiator", "scheduler", "none"),
        "amounts": table("By asset, what one such slot has.", _AMOUNT),
        "weight": number("The weight of one empty slot."),
        "claims": _claims(),
        "asset_weights": _asset_weights(),
        "limiting": _limiting(),
        "num_claims": whole("NUM_CLAIMS on this node."),
        "jobs": listing("The job shapes, each alone on the empty slot.", record("A job.", _job())),
        "together": maybe(record("All jobs at once on one slot.", together)),
        "changes": listing("What a preset changed.", record("A change.", change)),
    }


def _range(about: str) -> Shape:
    return record(
        about, {"min": number("The least weight."), "max": number("The greatest weight.")}
    )


def _fleet() -> dict[str, Shape]:
    quotas = {
        "hold": truth("Whether every standing charge equals its match cost."),
        "words": texts("What the gaps mean for quotas, one sentence each."),
        "max_factor": _factor("The largest quotient of standing charges and match costs."),
        "min_factor": _factor("The smallest such quotient on full slots."),
    }
    job = {
        "shape": table("By asset, what the job asks for.", _AMOUNT),
        "count": whole("How many such jobs there are."),
        "fits": whole("How many of them run side by side on all nodes."),
    }
    left_out = {
        "why": text("Why they were left out."),
        "count": whole("How many machines they are."),
        "nodes": texts("The names of a few of them."),
    }
    return {
        "nodes": whole("How many nodes there are."),
        "weight_busy": _range("The weight of all nodes while they are busy."),
        "quotas": record("What the gaps between the weights mean for quotas.", quotas),
        "jobs": listing("The job shapes.", record("A job shape.", job)),
        "kinds": listing("The kinds of node.", record("A kind of node.", _kind())),
        "left_out": listing(
            "The machines that were left out.",
            record("Machines left out for one reason.", left_out),
        ),
    }


def _factor(about: str) -> Shape:
    keys = {
        "factor": maybe(number("The quotient; null where it has no bound.")),
        "job": maybe(whole("The number of the job; null for all jobs in turn.")),
        "kind": text("The kind of node."),
    }
    return maybe(record(f"{about[:-1]}; null where no job fits.", keys))


def _kind() -> dict[str, Shape]:
    job = {
        **_charges(),
        "max_factor": maybe(
            number("The largest quotient of standing charges and match costs; null without bound.")
        ),
        "full_factor": maybe(number("The quotient on full slots; null where it has no bound.")),
    }
    full = {
        "running": listing("How many of each job run.", {"type": "integer"}),
        "stranded": table("By asset, what is left for none of the jobs.", _AMOUNT),
        "stranded_weight": number("What is left for none of the jobs, in slot weight."),
    }
    return {
        "name": text("What the nodes have, or the name of the kind in htcq.toml."),
        "count": whole("How many nodes there are of this kind."),
        "nodes": texts("The names of a few of them."),
        "amounts": table("By asset, what the smallest node has.", _AMOUNT),
        "model": text("The model with its settings."),
        "weight": number("The weight of all empty nodes of this kind."),
        "weight_busy": _range("The weight of all nodes of this kind while they are busy."),
        "jobs": listing("The job shapes on these nodes.", record("A job shape.", job)),
        "full": record("All nodes of this kind, full of the jobs in turn.", full),
    }


def _mix() -> dict[str, Shape]:
    about = described(ASSETS)
    asset = {
        "asset": text(about["asset"]),
        "asked": number(about["asked"]),
        "there": number(about["there"]),
        "ratio": maybe(number(about["ratio"])),
    }
    return {
        "jobs": whole("How many jobs the mix has."),
        "shapes": whole("How many different requests they make."),
        "left_out": whole("How many jobs were left out because a request is no number."),
        "unfit": whole("How many jobs fit on no node."),
        "scarcest": maybe(text("The asset that binds first; null where no job fits.")),
        "assets": listing("The assets that the jobs ask for.", record("An asset.", asset)),
        "weights": table(
            "By asset, a weight that says how scarce it is, as htcq.toml takes it.",
            {"type": "string"},
        ),
    }
