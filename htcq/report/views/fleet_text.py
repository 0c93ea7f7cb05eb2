"""The plan of a fleet as tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

from htcq.capacity.fill import CLOSE, plain
from htcq.capacity.fleet import FleetPlan, KindPlan
from htcq.capacity.plan import JobPlan
from htcq.report.column import NONE, Column
from htcq.report.formats.text import show
from htcq.report.legend import CHARGES
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.fleet import EXAMPLES
from htcq.report.views.fleet_sentences import gap_sentences, weight_sentence
from htcq.report.views.plan_text import running_text
from htcq.units import amounts_of, show_number, show_rough


def _running(kind: KindPlan) -> str:
    return running_text(kind.running())


def _stranded(kind: KindPlan) -> str:
    amounts = kind.stranded().items()
    left = [f"{asset} {show_rough(asset, amount)}" for asset, amount in amounts if amount]
    weight = show_number(plain(kind.stranded_weight()))
    return f"{', '.join(left) or 'nothing'}, weight {weight}"


_NAME: Column[KindPlan] = Column("", lambda kind: kind.name, "KIND", most=36)
_KINDS: tuple[Column[KindPlan], ...] = (
    _NAME,
    Column("", lambda kind: str(kind.count), "NODES", right=True),
    Column("", lambda kind: show_number(kind.weight), "WEIGHT", right=True),
    Column("", lambda kind: show_number(kind.busy()[0]), "LEAST BUSY", right=True),
    Column("", lambda kind: show_number(kind.busy()[1]), "MOST BUSY", right=True),
)
_FULL: tuple[Column[KindPlan], ...] = (
    _NAME,
    Column("", _running, "JOBS THAT RUN", most=36),
    Column("", _stranded, "LEFT FOR NONE OF THEM", wide=True),
)


def show_node_summary(fleet: FleetPlan, stream: TextIO) -> None:
    """Write what stands below the tables of one node."""
    kind = fleet.kinds[0]
    if any(kind.running()):
        full = f"full of these jobs in turn: {_running(kind)} run; left are {_stranded(kind)}"
        print(full, file=stream)
    _show_sentences(fleet, stream)


def show_fleet(fleet: FleetPlan, stream: TextIO, wide: bool = False) -> None:
    """Write the plan of several nodes as tables.

    ``wide`` asks for all columns on a terminal too.
    """
    title = f"{_nodes(fleet)}: {fleet.model}"
    show(Table(_KINDS, fleet.kinds, title, repeat=0), stream, wide)
    print(file=stream)
    _show_jobs(fleet, stream, wide)
    print(file=stream)
    show(Table(_FULL, fleet.kinds, "full of these jobs in turn", repeat=0), stream, wide)
    print(file=stream)
    _show_sentences(fleet, stream)
    for why, names in fleet.left_out.items():
        print(one_line(f"left out: {_named(names)}: {why}"), file=stream)


def _show_sentences(fleet: FleetPlan, stream: TextIO) -> None:
    print(weight_sentence(fleet), file=stream)
    for sentence in gap_sentences(fleet):
        print(one_line(sentence), file=stream)


def _nodes(fleet: FleetPlan) -> str:
    if len(fleet.kinds) == 1:
        return f"{fleet.nodes} nodes"
    return f"{fleet.nodes} nodes of {len(fleet.kinds)} kinds"


# Jobs: a row is the place of a shape, and each kind has columns of its own
# --------------------------------------------------------------------------------------------------


def _show_jobs(fleet: FleetPlan, stream: TextIO, wide: bool) -> None:
    columns: list[Column[int]] = [
        Column("", lambda index: str(index + 1), "#"),
        Column("", lambda index: amounts_of(fleet.shapes[index].full()), "ASKS", most=24),
        Column("", lambda index: _demand(fleet, index), "DEMAND", right=True, wide=True),
    ]
    for kind in fleet.kinds:
        columns += _of_kind(kind)
    shapes = range(len(fleet.shapes))
    show(Table(columns, shapes, "jobs, each shape alone on empty nodes", repeat=3), stream, wide)
    print(CHARGES, file=stream)
    for index in shapes:
        for problem, kinds in _problems(fleet, index).items():
            print(one_line(f"job {index + 1} on {'; '.join(kinds)}: {problem}"), file=stream)


def _of_kind(kind: KindPlan) -> tuple[Column[int], ...]:
    """Return what jobs cost on nodes of a kind, and how many fit on them."""

    def column(
        heading: str, text: Callable[[JobPlan, int], str], *, wide: bool = False
    ) -> Column[int]:
        def cell(index: int) -> str:
            fits = kind.fits(index)
            if not fits:
                return NONE
            return text(kind.job(index), fits)

        return Column("", cell, heading, right=True, wide=wide)

    name = kind.name.replace(", ", "\n")
    return (
        column(f"{name}\nMATCH COST", lambda job, _: show_number(job.match_cost)),
        column("STANDING\nCHARGE", lambda job, _: show_number(job.standing_charge), wide=True),
        column("FITS", lambda _, fits: str(fits)),
    )


def _demand(fleet: FleetPlan, index: int) -> str:
    """Return what the schedd reports for one job.

    Its error against the match costs follows where there is one.
    """
    jobs = [kind.job(index) for kind in fleet.kinds]
    demand = max(job.schedd_weight for job in jobs)
    errors = [job.gap[1] for job in jobs if job.fits]
    if not errors or max(map(abs, errors)) <= CLOSE:
        return str(demand)
    least, most = f"{min(errors):+.4g}", f"{max(errors):+.4g}"
    if least == most:
        return f"{demand} ({least})"
    return f"{demand} ({least} to {most})"


def _problems(fleet: FleetPlan, index: int) -> Mapping[str, Sequence[str]]:
    """Return the problems of jobs that fit, with the kinds that have them.

    Where a job cannot match on a kind the table says so.
    """
    found: dict[str, list[str]] = {}
    for kind in fleet.kinds:
        job = kind.job(index)
        if job.fits:
            for problem in job.problems:
                found.setdefault(problem, []).append(kind.name)
    if not any(kind.fits(index) for kind in fleet.kinds):
        found["can never match: no kind of node takes it"] = ["all kinds"]
    return found


def _named(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    few = ", ".join(names[:EXAMPLES])
    if len(names) <= EXAMPLES:
        return few
    return f"{len(names)} machines, such as {few}"
