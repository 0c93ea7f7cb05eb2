"""The schema of ``htcq drift report --json``."""

from __future__ import annotations

from typing import get_args

from htcq.drift.changes import CHANGING, SettingChange
from htcq.drift.compare import QuotaDifference, What
from htcq.drift.windows import Point, Window
from htcq.report.column import described
from htcq.report.schemas.pool import version
from htcq.report.schemas.shape import Shape, keys_of, listing, maybe, number, record, text
from htcq.report.views.drift import AMOUNTS, COVERAGE, GROUP
from htcq.report.views.ledger import AMOUNTS as LEDGER_AMOUNTS

#: What both sides of a disagreement may say.
_SIDE: Shape = {"type": ["number", "boolean", "string", "null"]}


def report() -> Shape:
    """Return the schema."""
    pools = listing("The pools of which there is a history.", record("A pool.", _pool()))
    return record("What 'htcq drift report --json' prints.", {"schema": version(), "pools": pools})


def _pool() -> dict[str, Shape]:
    doubt = {"text": text("What is doubtful."), "since": _time("Since when.")}
    return {
        "pool": text("The name of the pool: the machine of its collector."),
        "unit": text("What amounts are counted in: slot weight or slots."),
        "since": _time("When the report begins."),
        "until": _time("When the report ends."),
        "last_look": maybe(_time("The last observation in this time; null where there is none.")),
        "coverage": number("The share of the time that was observed, from 0 to 1."),
        "changes": listing("What changed, in the order of time.", record("A change.", _change())),
        "disagreements": listing("What does not agree.", record("A disagreement.", _spell())),
        "doubts": listing("Why numbers may be wrong.", record("A doubt.", doubt)),
        "groups": listing(
            "The groups, the one with most trouble first.", record("A group.", _window())
        ),
        "ledger": listing(
            "The ledger of elastic quotas, by dimension.", record("A dimension.", _dimension())
        ),
    }


def _time(about: str) -> Shape:
    return {**text(about), "format": "date-time"}


def _change() -> dict[str, Shape]:
    return keys_of(
        SettingChange,
        time=_time("When it was seen first."),
        kind=text("What kind of thing changed.", *CHANGING),
        name="The group, knob or expression.",
        before="What it was; null where there was none.",
        after="What it is since; null where there is none.",
    )


def _spell() -> dict[str, Shape]:
    difference = keys_of(
        QuotaDifference,
        group="The name of the group.",
        what=text("What the two sides disagree about.", *get_args(What)),
        one={"description": "What the first side says.", **_SIDE},
        other={"description": "What the other side says.", **_SIDE},
    )
    return {
        **difference,
        "since": _time("Since when."),
        "until": maybe(_time("Until when; null where the last observation saw it still.")),
    }


def _window() -> dict[str, Shape]:
    amounts = described((GROUP, *AMOUNTS))
    of_points = {
        name: about for name, about in amounts.items() if name not in ("group", "distance", "bias")
    }
    times = {"since": _time("When the part begins."), "until": _time("When the part ends.")}
    point = keys_of(Point, **times, **of_points)
    window = keys_of(Window, "since", "until", "observed", "points", **amounts)
    series = listing("The course of time.", record("A part of it.", point))
    return {**window, "coverage": number(COVERAGE.about), "series": series}


def _hours() -> dict[str, Shape]:
    return {name: number(about) for name, about in described(LEDGER_AMOUNTS).items()}


def _dimension() -> dict[str, Shape]:
    part = {
        "since": _time("When the part begins."),
        "until": _time("When the part ends."),
        **_hours(),
    }
    series = listing(
        "The course of time, without parts in which there is nothing.",
        record("A part of it.", part),
    )
    spare = number("What was borrowed of what nobody is guaranteed.")
    group = {"group": text("The name of the group."), **_hours(), "series": series}
    return {
        "dimension": text("The dimension; amounts are hours of it."),
        "coverage": number("The share of the time for which a ledger was kept."),
        "all": record("All groups together.", {**_hours(), "spare": spare, "series": series}),
        "groups": listing("The groups one by one.", record("A group.", group)),
    }
