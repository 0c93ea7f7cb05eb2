"""Elastic quotas for people at a terminal: a table of what every group may use, and the steps to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.errors import InputError
from htcq.quota.elastic.group_runtime import GroupRuntime
from htcq.quota.elastic.steps import Trace
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.report.views.elastic_compute import Computed
from htcq.spelling import did_you_mean

_COLUMNS = (
    "MIN",
    "MAX",
    "WEIGHT",
    "REQUEST",
    "USED",
    "RUNTIME",
    "LENT",
    "BORROWED",
    "WAITING",
    "OVER",
)
_NONE = "-"


def show_elastic(computed: Computed, source: str, stream: TextIO) -> None:
    """Write every group in every dimension, then what there is in all and what the numbers do not show."""
    outcome = computed.outcome
    rows = [[one_line(cell) for cell in row] for group in outcome.groups for row in _rows(group)]
    show_table(
        _title(computed, source),
        ["GROUP", "OF", *_COLUMNS],
        rows,
        stream,
        range(2, 2 + len(_COLUMNS)),
        repeat=2,
    )
    show_lines(_below(computed), stream)


def _title(computed: Computed, source: str) -> str:
    return one_line(f"{source}, tree {computed.name}" if computed.name else source)


def _rows(group: GroupRuntime) -> Iterator[list[str]]:
    for name in sorted(group.runtime):
        cap, least, scaled = group.max[name], group.min[name], group.scaled_min[name]
        yield [
            group.name,
            name,
            str(least) if least == scaled else f"{scaled} of {least}",
            "unlimited" if cap is None else str(cap),
            str(group.weight[name]),
            str(group.request[name]),
            str(group.used[name]),
            str(group.runtime[name]),
            *(
                str(amounts[name]) if amounts[name] else _NONE
                for amounts in (group.lent, group.borrowed, group.waiting, group.over)
            ),
        ]


def _below(computed: Computed) -> Iterator[Line]:
    outcome = computed.outcome
    yield Line()
    for name, amount in sorted(outcome.effective_total.items()):
        outside = outcome.total[name] - amount
        left = outcome.undistributed[name]
        text = f"{name}: {outcome.total[name]}"
        text += f", {outside} of it used outside of the groups" if outside else ""
        if left < 0:
            yield line(f"{text}; the groups are promised {-left} more than there is", "warning")
        else:
            yield line(
                f"{text}; {left} nobody asks for or may have"
                if left
                else f"{text}; all of it is somebody's"
            )
    for group in outcome.groups:
        missing = sorted(set(outcome.total) - set(group.max))
        if missing:
            yield line(
                f"{group.name}: no quota of {', '.join(missing)}, which is not managed there",
                "quiet",
            )
        for name, cap in sorted(group.max.items()):
            if cap is not None and group.used[name] > cap:
                yield line(
                    (
                        f"{group.name}: uses {group.used[name]} {name}, over its max of {cap}: "
                        "draining"
                    ),
                    "warning",
                )


def show_why(computed: Computed, name: str, stream: TextIO) -> None:
    """Write the steps to the runtime of one group in every dimension.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    group = computed.outcome.find(name)
    if group is None:
        raise no_group(name, [each.name for each in computed.outcome.groups])
    show_lines(_told(group, Trace(computed.outcome)), stream)


def show_all_steps(computed: Computed, stream: TextIO) -> None:
    """Write the steps to the runtime of every group."""
    trace = Trace(computed.outcome)
    for group in computed.outcome.groups:
        show_lines(_told(group, trace), stream)


def no_group(name: str, known: list[str]) -> InputError:
    """Return what to say where there is no group of that name."""
    hint = did_you_mean(name, known, f"the groups are {', '.join(known) or 'none'}", most=3)
    return InputError(f"there is no group {name}", hint)


def _told(group: GroupRuntime, trace: Trace) -> Iterator[Line]:
    yield line(group.name, "strong")
    for name in sorted(group.runtime):
        yield line(name, "strong", 2)
        for step in trace.steps(group.name, name):
            reached = f" -> {step.runtime}" if step.kind in ("pass", "placed", "taken") else ""
            yield line(step.text + reached, indent=4)
