"""A migration for people at a terminal: the pool, its groups, its submitters, and the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.elastic.migration import ElasticMove
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.migrate import GROUPS, SUBMITTERS
from htcq.report.views.migrate_steps import Step
from htcq.simulate.migration.records import Amount, Migration
from htcq.units import show_number


def show_migration(
    found: Migration,
    elastic: Sequence[ElasticMove],
    todo: Sequence[Step],
    stream: TextIO,
    wide: bool = False,
) -> None:
    """Write everything to ``stream``; ``wide`` asks for all columns on a terminal too."""
    show_lines(map(line, _pool(found)), stream)
    if found.grouped:
        show(Table(GROUPS, found.groups), stream, wide)
    if found.submitters:
        show(Table(SUBMITTERS, found.submitters), stream, wide)
    show_lines(map(line, _notes(found, elastic)), stream)
    show_lines(_steps(todo), stream)


def _pool(found: Migration) -> Iterator[str]:
    source = one_line(found.source)
    if found.taken:
        source = f"{source}, taken {one_line(found.taken)}"
    yield source
    yield f"slot weight now: {one_line('; '.join(found.weights))}"
    yield f"slot weight new: {one_line('; '.join(found.new_weights))}"
    yield (
        f"the pool weighs {_pair(found.empty_weight)} without claims, {_pair(found.pool_weight)} "
        "as captured"
    )
    yield (
        f"an amount of the old unit is {show_number(found.factor)} of the new one, as a share of "
        "the pool"
    )


def _pair(amounts: Amount) -> str:
    return f"{show_number(amounts.before)} -> {show_number(amounts.after)}"


def _notes(found: Migration, elastic: Sequence[ElasticMove]) -> Iterator[str]:
    yield ""
    if found.done:
        yield "the pool has this model already: there is nothing to switch"
    if not found.reweighs:
        more = sum(max(0.0, group.usage.after - group.charged) for group in found.groups)
        yield (
            f"this negotiator ({found.version}) charges running claims in the old unit until they "
            "end (from 25.10.1 on it weighs them anew): usage is "
            f"{show_number(more)} too low at first, and groups can exceed quotas by it"
        )
    for sentence in found.stay:
        yield f"{one_line(sentence)}: the pool would have two units"
    if found.round_robin_rate is not None:
        yield f"GROUP_QUOTA_ROUND_ROBIN_RATE: {_pair(found.round_robin_rate)}"
    for move in elastic:
        yield (
            f"elastic quotas: groups.{one_line(move.group)}.{move.key}.weight: {move.before} -> "
            f"{move.after}"
        )
    yield (
        "accumulated usage (condor_userprio -usage) and the drift history have numbers of both "
        "units across the switch: note its time"
    )
    for sentence in found.missing:
        yield f"not computed: {sentence}"


def _steps(todo: Sequence[Step]) -> Iterator[Line]:
    for number, step in enumerate(todo, 1):
        yield Line()
        yield Line(((f"{number}. On {step.where}: ", "strong"), (step.what, "")))
        for command in step.commands:
            yield Line(((command, ""),), indent=4, verbatim=True)
