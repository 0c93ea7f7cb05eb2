"""Elastic quotas on a pool, for people: what groups may use, and what enforces it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TextIO

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.elastic.activity import ON
from htcq.elastic.enforcement import Enforcement, How
from htcq.elastic.fitted_runtime import held_back
from htcq.elastic.status import Status
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.elastic_back import back_sentence
from htcq.report.views.elastic_status import amount_of, groups_table, quotas_table
from htcq.units import counted


def show_status(status: Status, findings: Audit, stream: TextIO, wide: bool = False) -> None:
    """Write every group in every dimension of its quota, the quotas, and how they are enforced.

    ``wide`` asks for all columns on a terminal too.
    """
    show(groups_table(status, _title(status)), stream, wide)
    show(quotas_table(status, "\nas HTCondor's quotas, in slot weight"), stream, wide)
    show_lines(_below(status, findings), stream)


def _title(status: Status) -> str:
    parts = [status.source]
    for what, name in (
        ("negotiator", status.observation.negotiator),
        ("tree", status.tree),
        ("taken", status.taken),
    ):
        if name:
            parts.append(f"{what} {name}")
    return one_line(", ".join(parts))


def _below(status: Status, findings: Audit) -> Iterator[Line]:
    yield Line()
    yield from _state(status)
    day = status.last_day
    if day.writes or day.refused or day.vacated:
        yield line(
            f"last 24 hours: {counted(day.writes, 'write')}, "
            f"{counted(day.refused, 'step')} refused, {counted(day.vacated, 'job')} vacated, "
            f"{day.lost:.4g} weight hours lost"
        )
    for window in status.windows:
        groups = ", ".join(window.groups) or "no group has other amounts"
        yield line(f"{window.name} is open: {window.capacity:.0%} of the pool; {groups}")
    for each in status.enforcement:
        yield line(f"{each.dimension}: {_there(status, each.dimension)}")
        yield _how(each)
    for sentence in held_back(status.outcome, status.observation):
        yield line(sentence, "warning")
    yield from _promises(status)
    demand = status.observation.demand
    yield from _unnamed("no group", demand.default_used)
    yield from _unnamed("nobody that is named", demand.system_used)
    for problem in status.observation.problems:
        yield line(f"problem: {problem}", "warning")
    for finding in findings.findings:
        word = finding.severity.word
        if finding.severity is not Severity.INFO:
            yield line(f"{word}: {finding.message} [{finding.rule}]", word)


def _state(status: Status) -> Iterator[Line]:
    """Yield whether the quotas are kept elastic, why not, and what is wrong with their file."""
    found = status.activity
    if found.word != ON:
        yield line(found.sentence, "warning")
    elif status.refused_file:
        yield line("elastic quotas are on: the writer acts, and reclaim does not")
    else:
        yield line("elastic quotas are on: the writer and reclaim act")
    if status.refused_file:
        yield line(status.refused_file, "warning")


def _promises(status: Status) -> Iterator[Line]:
    """Yield the mins that are back too late, and the jobs that no min pays the protection of."""
    for back in status.mins_back:
        if back.late:
            yield line(f"{back.group}: {back_sentence(back)}", "warning")
    for use in status.protected:
        if use.unpaid:
            yield line(use.sentence, "warning")


def _how(found: Enforcement) -> Line:
    """Return whether HTCondor enforces the quotas of a dimension, and why."""
    if found.how is How.REPORTED:
        return line(f"only reported: {found.why}", "warning", 2)
    style = "quiet"
    if found.how is How.ENFORCED:
        style = ""
    return line(f"{found.how.value} by HTCondor: {found.why}", style, 2)


def _unnamed(who: str, used: Mapping[str, int]) -> Iterator[Line]:
    """Yield what the jobs use that belong to no declared group."""
    amounts = []
    for name, amount in sorted(used.items()):
        if amount:
            amounts.append(f"{amount_of(name, amount)} {name}")
    if amounts:
        yield line(f"jobs of {who} use {', '.join(amounts)}")


def _there(status: Status, name: str) -> str:
    outcome = status.outcome
    total, left = outcome.total.get(name, 0), outcome.undistributed.get(name, 0)
    text = f"{amount_of(name, total)} in all"
    closed = status.observation.unmatchable.get(name, 0)
    if closed:
        text += f", {amount_of(name, closed)} of it on slots that match nobody"
    if left < 0:
        text += f"; the groups are promised {amount_of(name, -left)} more than there is"
    elif left:
        text += f"; {amount_of(name, left)} is not requested, or above a max"
    return text
