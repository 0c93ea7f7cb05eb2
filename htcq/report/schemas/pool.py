"""What most results say of the pool that they are about."""

from __future__ import annotations

from htcq.poolquota.ailment import Ailment
from htcq.report.schemas.shape import (
    Shape,
    keys_of,
    listing,
    maybe,
    number,
    record,
    text,
    texts,
    truth,
)


def version(number: int = 1) -> Shape:
    """Return the shape of the key ``schema``."""
    return {
        "description": (
            "The version of these names; it grows when a name changes its meaning or goes."
        ),
        "type": "integer",
        "const": number,
    }


def source() -> Shape:
    """Return the shape of the name of a pool."""
    return text("The snapshot or the host of the collector, as it was named on the command line.")


def taken() -> Shape:
    """Return the shape of the time of a capture."""
    return text("When the pool was captured (ISO 8601); empty where that is not known.")


def incomplete() -> Shape:
    """Return the shape of what could not be read."""
    return texts("What of the pool could not be read, one sentence each.")


def health() -> Shape:
    """Return the shape of what is wrong with the daemons of a pool."""
    ailment = keys_of(
        Ailment, "certain", "schedd",
        id="The name of the problem, which never changes, such as negotiator-late.",
        text="A sentence with the amounts.",
    )  # fmt: skip
    return listing(
        "What is wrong with the daemons of the pool; empty where nothing is.",
        record("A problem.", ailment),
    )


def about_pool() -> dict[str, Shape]:
    """Return the keys with which most results begin."""
    return {"schema": version(), "source": source(), "taken": taken(), "health": health()}


def changes() -> Shape:
    """Return the shape of the knobs of a what-if."""
    knob = {
        "knob": text("The name of the knob."),
        "value": text("The value that the central manager would have."),
    }
    return listing(
        "The knobs that make the difference, as --set gave them.", record("A knob.", knob)
    )


_RETURNS = (
    "When so much may be back that the group has its due (ISO 8601); null where not estimated."
)


def holders() -> Shape:
    """Return the shape of those that have what a group is due."""
    holder = {
        "name": text(
            "A group that uses more than its quota, the id of a cause, or free for what no job has."
        ),
        "is_group": truth("Whether it is a group."),
        "amount": number("How much more than its quota it uses, or what the cause holds."),
        "since": maybe(text("When it began (ISO 8601); null where no ad says.")),
        "returns": text("By what it comes back."),
        "returns_at": maybe(text(_RETURNS)),
    }
    return listing("Who or what has it instead.", record("A holder.", holder))
