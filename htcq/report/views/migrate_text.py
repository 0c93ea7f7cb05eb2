"""A migration for people at a terminal: the pool, its groups, its submitters, and the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from htcq.elastic.migration import ElasticMove
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.report.views.migrate_sentences import priority_sentence, verdict
from htcq.report.views.migrate_steps import Step
from htcq.simulate.migration.records import Amount, GroupMove, Migration, SubmitterMove
from htcq.units import show_number

_NONE = "-"
_GROUPS = (
    "GROUP", "QUOTA\nNOW", "QUOTA\nNEW", "SHARE", "USED\nNOW", "USED\nNEW", "IDLE\nNOW", "IDLE\nNEW", "CHEAPEST\nMATCH",
    "AFTER THE SWITCH",
)  # fmt: skip
_SUBMITTERS = (
    "SUBMITTER", "USED\nNOW", "USED\nNEW", "CEILING\nNOW", "CEILING\nNEW", "FLOOR\nNOW", "FLOOR\nNEW", "PRIORITY\nNOW",
    "PRIORITY\nNEW", "STORED PRIORITY",
)  # fmt: skip


def show_migration(
    found: Migration, elastic: Sequence[ElasticMove], todo: Sequence[Step], stream: TextIO
) -> None:
    """Write everything to ``stream``."""
    show_lines(map(line, _pool(found)), stream)
    if found.grouped:
        rows = [_group(group) for group in found.groups]
        show_table("", _GROUPS, rows, stream, range(1, 9), repeat=1)
    if found.submitters:
        show_table(
            "",
            _SUBMITTERS,
            [_submitter(each) for each in found.submitters],
            stream,
            range(1, 9),
            repeat=1,
        )
    show_lines(map(line, _notes(found, elastic)), stream)
    show_lines(_steps(todo), stream)


def _pool(found: Migration) -> Iterator[str]:
    taken = f", taken {one_line(found.taken)}" if found.taken else ""
    yield f"{one_line(found.source)}{taken}"
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


def _group(group: GroupMove) -> list[str]:
    quota = [_NONE, _NONE]
    if group.config_quota is not None:
        quota = [
            _configured(group, value)
            for value in (group.config_quota.before, group.config_quota.after)
        ]
    numbers = (group.usage.before, group.usage.after, group.idle.before, group.idle.after)
    return [
        f"{'  ' * max(0, group.depth - 1)}{one_line(group.name)}",
        *quota,
        f"{group.share.before:.1%}",
        *map(show_number, numbers),
        _NONE if group.cheapest is None else show_number(group.cheapest),
        verdict(group),
    ]


def _configured(group: GroupMove, value: float) -> str:
    return show_number(value) if group.static else f"{show_number(100 * value)} %"


def _submitter(each: SubmitterMove) -> list[str]:
    cells = [one_line(each.name), show_number(each.usage.before), show_number(each.usage.after)]
    for amounts in (each.ceiling, each.floor):
        cells += (
            [_NONE, _NONE]
            if amounts is None
            else [show_number(amounts.before), show_number(amounts.after)]
        )
    if each.priority is None:
        cells += [_NONE, _NONE]
    else:
        cells += [f"{each.priority.before:.2f}", f"{each.priority.after:.2f}"]
    return [*cells, priority_sentence(each)]


def _notes(found: Migration, elastic: Sequence[ElasticMove]) -> Iterator[str]:
    yield ""
    if found.done:
        yield "the pool has this model already: there is nothing to switch"
    if not found.reweighs:
        more = sum(max(0.0, group.usage.after - group.charged) for group in found.groups)
        yield (
            f"this negotiator ({found.version}) charges running claims in the old unit until they "
            "end (from 25.10.1 on "
            f"it weighs them anew): usage is {show_number(more)} too low at first, and groups can "
            "exceed quotas by it"
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
        "units across the "
        "switch: note its time"
    )
    for sentence in found.missing:
        yield f"not computed: {sentence}"


def _steps(todo: Sequence[Step]) -> Iterator[Line]:
    for number, step in enumerate(todo, 1):
        yield Line()
        yield Line(((f"{number}. On {step.where}: ", "strong"), (step.what, "")))
        for command in step.commands:
            yield Line(((command, ""),), indent=4, verbatim=True)
