"""The schema of what should have happened in a pool and did not."""

from __future__ import annotations

from htcq.expected.unmet import ERROR, IDS, INFO, WARNING
from htcq.report.schemas.shape import Shape, listing, record, text, texts, whole


def unmet() -> Shape:
    """Return the schema of a list of unmet expectations."""
    observed = {
        "name": text("An attribute, or a knob that no simulation follows."),
        "value": text("Its value."),
        "place": text("File and line of the knob; empty where they are not known."),
    }
    keys = {
        "id": text("The id of the expectation, which never changes.", *IDS),
        "severity": text("How bad it is.", ERROR, WARNING, INFO),
        "subject": text("What failed."),
        "text": text("A sentence with the amounts."),
        "cure": text("What to do."),
        "observed": listing("The evidence, and what is set there.", record("One.", observed)),
        "jobs": whole("How many jobs it keeps from running."),
        "count": whole("How many jobs, slots or machines it concerns."),
        "examples": texts("Some of them."),
    }
    return listing(
        "What should have happened in the last cycles and did not.", record("One thing.", keys)
    )
