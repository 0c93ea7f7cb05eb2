"""How far HTCondor's own reasons agree with the simulated cycle, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.pool.pool import Pool
from htcq.report.column import Column
from htcq.report.formats.text import show
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines
from htcq.units import counted
from htcq.why.agreement import Agreement, Compared

_COLUMNS: tuple[Column[Compared], ...] = (
    Column("", lambda each: each.access_point, "ACCESS POINT", wide=True),
    Column("", lambda each: each.autocluster, "AUTOCLUSTER", right=True, wide=True),
    Column("", lambda each: each.submitter, "SUBMITTER", most=20),
    Column("", lambda each: each.job, "JOB"),
    Column("", lambda each: str(each.idle), "IDLE\nJOBS", right=True),
    Column("", lambda each: each.reason, "HTCONDOR", most=20),
    Column("", lambda each: each.simulated, "SIMULATED", most=20),
)
_AUTOCLUSTER = "autocluster"


def show_agreement(found: Agreement, pool: Pool, stream: TextIO, wide: bool = False) -> None:
    """Write the percentage, and the autoclusters that differ.

    ``wide`` asks for all columns on a terminal too.
    """
    if found.differing:
        title = f"Autoclusters of {one_line(pool.source)} whose reasons differ"
        show(Table(_COLUMNS, found.differing, title, repeat=0), stream, wide)
    first, *others = _sentences(found, pool)
    show_lines([Line(((first, "strong"),)), *(Line(((each, ""),)) for each in others)], stream)


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
