"""The schema of jobs on hold, which several results have."""

from __future__ import annotations

from htcq.report.schemas.shape import Shape, listing, maybe, number, record, text, whole


def held(null: str) -> Shape:
    """Return the schema; ``null`` says where there is none."""
    reason = {
        "hold_reason_code": maybe(number("HoldReasonCode; null where their ads have none.")),
        "hold_reason": text("HoldReason of the first of them; empty where its ad has none."),
        "jobs": whole("How many jobs."),
        "weight": number("What they would weigh as idle jobs, as their access points count it."),
        "example": text("The id of the first of them."),
        "access_point": text("Its access point; empty where no ad says."),
    }
    factory = {
        "cluster": text("Its ClusterId."),
        "access_point": text("Its access point; empty where no ad says."),
        "jobs": whole("How many of its jobs are still to be materialized."),
        "why": text("What keeps its schedd from making them."),
        "cure": text("What resolves that."),
    }
    keys = {
        "jobs": whole("The number of jobs on hold."),
        "weight": number("What they would weigh as idle jobs, as their access points count it."),
        "by": listing("By HoldReasonCode, those with most jobs first.", record("One.", reason)),
        "not_materialized": listing(
            "Clusters that make no more of their jobs until somebody acts.",
            record("One.", factory),
        ),
    }
    return maybe(record(f"The jobs on hold, which no negotiator sees; {null}.", keys))
