"""How elastic quotas stand on a pool, for people at a terminal: what groups may use, and what holds them to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import Audit
from htcq.audit.rule import Severity
from htcq.elastic.enforcement import How
from htcq.elastic.records import PARTS, WEIGHT
from htcq.elastic.status import Status
from htcq.elastic.target import Target
from htcq.quota.elastic.groups import Amounts
from htcq.quota.elastic.results import Standing
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines, show_table
from htcq.units import show_amount, show_number

_COLUMNS = ("MIN", "MAX", "REQUEST", "RUNTIME", "USED", "LENT", "BORROWED", "WAITING", "OVER")
_QUOTA = ("QUOTA\nNOW", "WOULD\nBE", "OF THAT\nHEADROOM", "GIVEN\nAWAY", "USED")
_NONE = "-"


def show_status(status: Status, findings: Audit, stream: TextIO) -> None:
    """Write every group in every dimension that it has a quota of, then the quotas, then what holds them."""
    rows = [[one_line(cell) for cell in row] for group in status.outcome.groups for row in _rows(group)]
    right = range(2, 2 + len(_COLUMNS))
    show_table(_title(status), ["GROUP", "OF", *_COLUMNS], rows, stream, right, repeat=2)
    quotas = [[one_line(cell) for cell in _quota(target, status)] for target in status.targets]
    heads = ["GROUP", *_QUOTA, "SURPLUS", "BOUND BY"]
    show_table("\nas HTCondor's quotas, in slot weight", heads, quotas, stream, range(1, 1 + len(_QUOTA)), repeat=1)
    show_lines(_below(status, findings), stream)


def _title(status: Status) -> str:
    negotiator = f", negotiator {status.observation.negotiator}" if status.observation.negotiator else ""
    tree = f", tree {status.tree}" if status.tree else ""
    taken = f", taken {status.taken}" if status.taken else ""
    return one_line(f"{status.source}{negotiator}{tree}{taken}")


def _rows(group: Standing) -> Iterator[list[str]]:
    shown = group.name
    for name in sorted(group.runtime):
        if name in group.implied:
            continue
        cap, least, scaled = group.max[name], group.min[name], group.scaled_min[name]
        both = f"{amount_of(name, scaled)} of {amount_of(name, least)}"
        yield [
            shown,
            name,
            amount_of(name, least) if least == scaled else both,
            "unlimited" if cap is None else amount_of(name, cap),
            *(amount_of(name, amounts[name]) for amounts in (group.request, group.runtime, group.used)),
            *(_some(name, amounts) for amounts in (group.lent, group.borrowed, group.waiting, group.over)),
        ]
        shown = ""


def amount_of(name: str, amount: int) -> str:
    """Return an amount of a dimension as a person reads it."""
    return show_number(amount / PARTS) if name == WEIGHT else show_amount(name, amount)


def _some(name: str, amounts: Amounts) -> str:
    return amount_of(name, amounts[name]) if amounts[name] else _NONE


def _quota(target: Target, status: Status) -> list[str]:
    now = status.observation.configured.get(target.group)
    return [
        target.group,
        _NONE if now is None else show_number(now),
        show_number(target.quota),
        show_number(target.headroom) if target.headroom else _NONE,
        show_number(target.given) if target.given else _NONE,
        show_number(status.observation.weights.get(target.group, 0.0)),
        "yes" if target.accept_surplus else "no",
        target.binding or _NONE,
    ]


def _below(status: Status, findings: Audit) -> Iterator[Line]:
    yield Line()
    for each in status.enforcement:
        style = "" if each.how is How.ENFORCED else "warning" if each.how is How.REPORTED else "quiet"
        yield line(f"{each.dimension}: {_there(status, each.dimension)}")
        yield Line(((one_line(f"{each.how.value} by HTCondor: {each.why}" if each.how is not How.REPORTED
                              else f"only reported: {each.why}"), style),), indent=2)  # fmt: skip
    seen = status.observation
    for who, used in (("no group", seen.demand.default_used), ("nobody that is named", seen.demand.system_used)):
        amounts = ", ".join(f"{amount_of(name, amount)} {name}" for name, amount in sorted(used.items()) if amount)
        if amounts:
            yield line(f"jobs of {who} use {amounts}")
    for problem in seen.problems:
        yield line(f"problem: {problem}", "warning")
    for finding in findings.findings:
        if finding.severity is Severity.INFO:
            continue
        yield line(f"{finding.severity.word}: {finding.message} [{finding.rule}]", finding.severity.word)


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
