"""Jobs on hold, and those that are not made, in one line each and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.htcondor.hold_codes import hold_code
from htcq.report.formats.json import finite
from htcq.report.printable import one_line
from htcq.units import counted, plain_number, shortened, show_number
from htcq.why.factories import StuckFactory
from htcq.why.held import HeldJobs, HoldReason

#: How many reasons the line has, and how much of each.
_NAMED, _LETTERS = 3, 80


def held_lines(held: HeldJobs | None) -> Iterator[str]:
    """Yield one line where jobs are on hold, and one where clusters make no more of theirs."""
    if held is None:
        return
    # What no user can resolve is an expectation that is not met, and told there.
    factories = [each for each in held.factories if not each.is_invalid]
    if factories:
        yield one_line(_not_made(factories))
    if not held.jobs:
        return
    named = [_shown(each) for each in held.by[:_NAMED]]
    if len(held.by) > _NAMED:
        named.append(counted(len(held.by) - _NAMED, "more reason"))
    verb = "is" if held.jobs == 1 else "are"
    yield one_line(
        f"{counted(held.jobs, 'job')} of weight {show_number(held.weight)} {verb} on hold: "
        f"{'; '.join(named)}"
    )


def _not_made(factories: Sequence[StuckFactory]) -> str:
    first, number = factories[0], sum(each.jobs for each in factories)
    jobs, verb = counted(number, "job"), "is" if number == 1 else "are"
    why = shortened(first.why, 2 * _LETTERS)
    if len(factories) == 1:
        return f"{jobs} of cluster {first.name} {verb} not materialized: {why} ({first.cure})"
    clusters = f"{len(factories)} clusters, such as {first.name}"
    return f"{jobs} of {clusters}, {verb} not materialized: {why} ({first.cure})"


def _shown(each: HoldReason) -> str:
    code = "without HoldReasonCode"
    if each.code is not None:
        words = hold_code(each.code).words
        code = f"with HoldReasonCode {plain_number(each.code)}{f': {words}' if words else ''}"
    reason = f' ("{shortened(each.reason, _LETTERS)}")' if each.reason else ""
    name = f"{each.access_point}#{each.first.id}" if each.access_point else each.first.id
    return f"{each.jobs} {code}{reason}, such as {name}"


def held_json(held: HeldJobs | None) -> dict[str, Any] | None:
    """Return what ``json.dumps`` takes; None where the queues are not known."""
    if held is None:
        return None
    by = [
        {
            "hold_reason_code": each.code,
            "hold_reason": each.reason,
            "jobs": each.jobs,
            "weight": each.weight,
            "example": each.first.id,
            "access_point": each.access_point,
        }
        for each in held.by
    ]
    factories = [
        {
            "cluster": each.cluster,
            "access_point": each.access_point,
            "jobs": each.jobs,
            "why": each.why,
            "cure": each.cure,
        }
        for each in held.factories
    ]
    keys = {"jobs": held.jobs, "weight": held.weight, "by": by, "not_materialized": factories}
    return finite(keys)  # type: ignore[no-any-return]
