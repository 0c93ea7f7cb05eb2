"""The schema of ``htcq why --json``."""

from __future__ import annotations

from htcq.report.schemas.held import held
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
from htcq.report.schemas.simulate import UNMODELLED
from htcq.report.schemas.unmet import unmet
from htcq.why.match_failure import WALLS


def why() -> Shape:
    """Return the schema."""
    wall = {
        "wall": text("The id of the reason.", *WALLS),
        "text": text("A sentence with the amounts."),
        "amounts": table(
            "The numbers and names of the sentence.",
            {"type": ["number", "string", "boolean", "null"]},
        ),
        "lifted_by": text("What makes the reason go."),
    }
    job = {
        "job": text("The id of the job."),
        "access_point": text("Its access point; empty where the pool does not say."),
        "submitter": text("Its submitter."),
        "starts": truth("Whether the next cycle starts it."),
        "starts_by": text(
            "How it starts; empty where it does not.", "match", "leftover", "claim reused", ""
        ),
        "fits_nowhere": truth(
            "Whether no slot of the pool would take it even with no job on it, or its schedd, "
            "where that starts it itself."
        ),
        "equals": whole(
            "How many submitters are equal to the negotiator where the snapshot does not have the "
            "collector's order, which decides between them; else 0."
        ),
        "unmet": texts("The ids of unmet expectations that concern the job."),
        "walls": listing(
            "Why it does not start, in the order of HTCondor.", record("A reason.", wall)
        ),
        "negotiator_reason": maybe(
            record("HTCondor's own last reason; null where there is none.", _reason())
        ),
        "starts_at": maybe(
            whole("With --cycles: the cycle with which it starts, from 1; null where none does.")
        ),
    }
    keys = {
        **about_pool(),
        "jobs": listing("The jobs that were asked about.", record("A job.", job, ("starts_at",))),
        "held": held("null unless all jobs were asked about"),
        "unmet": unmet(),
        "unmodelled": texts(UNMODELLED),
        "incomplete": incomplete(),
    }
    return record("What 'htcq why --json' prints.", keys)


def _reason() -> dict[str, Shape]:
    return {
        "reason": text("The text of the reason."),
        "negotiator": text("The negotiator that gave it (since HTCondor 24.4); else empty."),
        "time": maybe(
            number("When it was given, in seconds since 1970; null where that is not known.")
        ),
        "latest": truth("Whether it is of the last negotiation cycle."),
        "agrees": maybe(
            truth("Whether one of 'walls' may be what it means; null where the job starts.")
        ),
    }
