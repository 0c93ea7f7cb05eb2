"""The runtime of elastic quotas for people: what every group may use, and the steps to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.errors import InputError
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.steps import Trace
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.elastic_compute import Computed, runtime_table
from htcq.spelling import did_you_mean

#: The kinds of steps that give or take an amount.
_GIVING = ("pass", "placed", "taken")


def show_elastic(computed: Computed, source: str, stream: TextIO, wide: bool = False) -> None:
    """Write every group in every dimension, then the totals and what the table does not show.

    ``wide`` asks for all columns on a terminal too.
    """
    show(runtime_table(computed, _title(computed, source)), stream, wide)
    show_lines(_below(computed.outcome), stream)


def _title(computed: Computed, source: str) -> str:
    tree = ""
    if computed.name:
        tree = f", tree {computed.name}"
    return one_line(f"{source}{tree}")


def _below(outcome: ElasticOutcome) -> Iterator[Line]:
    yield Line()
    for name in sorted(outcome.effective_total):
        yield _total(outcome, name)
    for group in outcome.groups:
        yield from _notes(group, outcome)


def _total(outcome: ElasticOutcome, name: str) -> Line:
    """Return how much there is of one dimension, and who has it."""
    total = outcome.total[name]
    outside = total - outcome.effective_total[name]
    left = outcome.undistributed[name]
    text = f"{name}: {total}"
    if outside:
        text += f", {outside} of it used outside of the groups"
    if left < 0:
        return line(f"{text}; guaranteed amounts exceed that by {-left}", "warning")
    if left:
        return line(f"{text}; {left} is not requested, or above a max")
    return line(f"{text}; all of it is distributed")


def _notes(group: GroupRuntime, outcome: ElasticOutcome) -> Iterator[Line]:
    """Yield the dimensions of which a group has no quota, and those that it uses too much of."""
    missing = sorted(set(outcome.total) - set(group.max))
    if missing:
        names = ", ".join(missing)
        yield line(f"{group.name}: no quota of {names}, which is not managed there", "quiet")
    for name, cap in sorted(group.max.items()):
        if cap is not None and group.used[name] > cap:
            used = f"{group.used[name]} {name}"
            yield line(f"{group.name}: uses {used}, over its max of {cap}: draining", "warning")


def show_why(computed: Computed, name: str, stream: TextIO) -> None:
    """Write the steps to the runtime of one group in every dimension.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    group = computed.outcome.find(name)
    if group is None:
        raise no_group(name, [each.name for each in computed.outcome.groups])
    show_lines(_steps(group, Trace(computed.outcome)), stream)


def show_all_steps(computed: Computed, stream: TextIO) -> None:
    """Write the steps to the runtime of every group."""
    trace = Trace(computed.outcome)
    for group in computed.outcome.groups:
        show_lines(_steps(group, trace), stream)


def no_group(name: str, known: list[str]) -> InputError:
    """Return the error that there is no group of that name."""
    groups = ", ".join(known) or "none"
    hint = did_you_mean(name, known, f"the groups are {groups}", most=3)
    return InputError(f"there is no group {name}", hint)


def _steps(group: GroupRuntime, trace: Trace) -> Iterator[Line]:
    yield line(group.name, "strong")
    for name in sorted(group.runtime):
        yield line(name, "strong", 2)
        for step in trace.steps(group.name, name):
            text = step.text
            if step.kind in _GIVING:
                text += f" -> {step.runtime}"
            yield line(text, indent=4)
