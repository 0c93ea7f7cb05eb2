"""A simulated negotiation cycle as JSON; the names, which htcq-simulate(1) lists, are a contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.formats.json import finite
from htcq.simulate.course.single import Single
from htcq.simulate.cycle.outcome import compare_cycles

SCHEMA = 1


def cycle_json(single: Single, pool: Pool) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    trace = {
        **asdict(replace(single.trace, matches=())),
        "matches": [each._asdict() for each in single.trace.matches],
    }
    health = health_json(ailments(pool))
    told = {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health,
        **trace,
    }
    fill = {"before": asdict(single.before), "after": asdict(single.after)}
    printed: dict[str, Any] = finite({**told, "fill": fill, "incomplete": list(pool.incomplete)})
    return printed


def what_if_cycle_json(
    before: Single, after: Single, pool: Pool, changes: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Return both cycles, the knobs that make the difference, and what it is for groups and submitters."""
    return {
        "schema": SCHEMA,
        "health": health_json(ailments(pool)),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "before": cycle_json(before, pool),
        "after": cycle_json(after, pool),
        "differences": finite([asdict(each) for each in compare_cycles(before.trace, after.trace)]),
    }
