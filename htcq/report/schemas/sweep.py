"""The schema of ``htcq simulate --sweep --json``."""

from __future__ import annotations

from htcq.report.schemas.pool import source, version
from htcq.report.schemas.shape import (
    Shape,
    keys_of,
    listing,
    maybe,
    record,
    table,
    text,
    texts,
    whole,
)
from htcq.report.views.sweep_summary import Summary
from htcq.simulate.sweep import SCHEMA


def sweep() -> Shape:
    """Return the schema; what each item printed has a schema of its own."""
    result: Shape = {
        "description": (
            "All that the simulation printed, as 'htcq simulate --json' does; null where it failed."
        ),
        "type": ["object", "null"],
    }
    item = {
        "name": text("The values that this item has of the grid."),
        "key": text("A digest of everything that the result depends on."),
        "arguments": texts("The arguments of 'htcq simulate' that come to the same."),
        "options": table("By option, the values of this item.", texts("The values.")),
        "exit_status": maybe(whole("The exit status; null where the process died.")),
        "reason": text("Why there is no result; empty where there is one."),
        "warnings": texts("What was said on standard error, one sentence each."),
        "tries": whole("How often it was tried."),
        "summary": maybe(record("The summary; null where it failed.", _summary())),
        "result": result,
    }
    keys = {
        "schema": version(SCHEMA),
        "sweep": text("The file of the sweep."),
        "source": source(),
        "snapshot": text("A digest of the snapshot."),
        "htcq": text("The version of htcq."),
        "items": listing("The items of the grid.", record("An item.", item)),
    }
    return record("What 'htcq simulate --sweep --json' prints.", keys)


def _summary() -> dict[str, Shape]:
    return keys_of(
        Summary,
        matches="How many matches there are.",
        used="What all submitters use at the end.",
        unit="What amounts are counted in: slot weight or slots.",
        groups="What each group uses at the end.",
        waiting="How many jobs wait at the end.",
        starved="The submitters that use nothing though their jobs wait.",
        several="Whether it is about several cycles.",
        full_at=(
            "The seconds until the pool was full first; null where it never is, or for one cycle."
        ),
        mean_wait="The mean wait of jobs in seconds; null where none started, or for one cycle.",
        crash="What makes the negotiator crash; empty where nothing does.",
    )
