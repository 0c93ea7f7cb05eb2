"""What most results say of the pool that they are about."""

from __future__ import annotations

from htcq.poolquota.ailment import Ailment
from htcq.report.schemas.shape import Shape, keys_of, listing, record, text, texts


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
        Ailment, "certain",
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
