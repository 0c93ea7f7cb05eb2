"""How far HTCondor's own reasons agree with the simulated cycle, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines, show_table
from htcq.units import counted
from htcq.why.agreement import Agreement, Compared

_HEADS = ("ACCESS POINT", "AUTOCLUSTER", "SUBMITTER", "JOB", "IDLE\nJOBS", "HTCONDOR", "SIMULATED")
_AUTOCLUSTER = "autocluster"


def show_agreement(found: Agreement, pool: Pool, stream: TextIO) -> None:
    """Write the percentage, and the autoclusters that differ."""
    if found.differing:
        title = f"Autoclusters of {one_line(pool.source)} whose reasons differ"
        show_table(title, _HEADS, [_row(each) for each in found.differing], stream, (1, 4))
    lines = [
        Line(((each, "strong" if not place else ""),))
        for place, each in enumerate(_sentences(found, pool))
    ]
    show_lines(lines, stream)


def _row(each: Compared) -> list[str]:
    names = [
        one_line(name) for name in (each.access_point, each.autocluster, each.submitter, each.job)
    ]
    return [*names, str(each.idle), one_line(each.reason), one_line(each.simulated)]


def _sentences(found: Agreement, pool: Pool) -> Iterator[str]:
    if found.percentage is None:
        yield f"{one_line(pool.source)}: no autocluster has a reason of the last negotiation cycle"
    else:
        compared = counted(len(found.compared), _AUTOCLUSTER)
        yield (
            f"{found.percentage:.1f} % agree: {found.agree} of {compared} with a reason of the "
            "last negotiation cycle"
        )
    left_out = (
        (found.stale, "with an older reason"),
        (found.others, "with a reason of another negotiator"),
        (found.silent, "that HTCondor gives no reason for"),
    )
    for number, what in left_out:
        if number:
            yield f"{counted(number, _AUTOCLUSTER)} {what}: not compared"
