"""How elastic quotas stand on a pool, for people at a terminal: what groups may use, and what holds them to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.elastic.enforcement import How
from htcq.elastic.status import Status
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines
from htcq.report.views.elastic_status import amount_of, groups_table, quotas_table


def show_status(status: Status, findings: Audit, stream: TextIO) -> None:
    """Write every group in every dimension that it has a quota of, then the quotas, then what holds them."""
    show(groups_table(status, _title(status)), stream)
    show(quotas_table(status, "\nas HTCondor's quotas, in slot weight"), stream)
    show_lines(_below(status, findings), stream)


def _title(status: Status) -> str:
    negotiator = (
        f", negotiator {status.observation.negotiator}" if status.observation.negotiator else ""
    )
    tree = f", tree {status.tree}" if status.tree else ""
    taken = f", taken {status.taken}" if status.taken else ""
    return one_line(f"{status.source}{negotiator}{tree}{taken}")


def _below(status: Status, findings: Audit) -> Iterator[Line]:
    yield Line()
    for each in status.enforcement:
        style = (
            "" if each.how is How.ENFORCED else "warning" if each.how is How.REPORTED else "quiet"
        )
        yield line(f"{each.dimension}: {_there(status, each.dimension)}")
        yield Line(((one_line(f"{each.how.value} by HTCondor: {each.why}" if each.how is not How.REPORTED
                              else f"only reported: {each.why}"), style),), indent=2)  # fmt: skip
    seen = status.observation
    for who, used in (
        ("no group", seen.demand.default_used),
        ("nobody that is named", seen.demand.system_used),
    ):
        amounts = ", ".join(
            f"{amount_of(name, amount)} {name}" for name, amount in sorted(used.items()) if amount
        )
        if amounts:
            yield line(f"jobs of {who} use {amounts}")
    for problem in seen.problems:
        yield line(f"problem: {problem}", "warning")
    for finding in findings.findings:
        if finding.severity is Severity.INFO:
            continue
        yield line(
            f"{finding.severity.word}: {finding.message} [{finding.rule}]", finding.severity.word
        )


def _there(status: Status, name: str) -> str:
    outcome = status.outcome
    total, left = outcome.total.get(name, 0), outcome.undistributed.get(name, 0)
    told = f"{amount_of(name, total)} in all"
    closed = status.observation.unmatchable.get(name, 0)
    if closed:
        told += f", {amount_of(name, closed)} of it on slots that match nobody"
    if left < 0:
        return f"{told}; the groups are promised {amount_of(name, -left)} more than there is"
    return f"{told}; {amount_of(name, left)} nobody asks for or may have" if left else told
