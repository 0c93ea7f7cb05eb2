"""Elastic quotas of a pool as a page: what each group may use now, and what enforces it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.elastic.activity import ON
from htcq.elastic.enforcement import How
from htcq.elastic.fitted_runtime import held_back
from htcq.elastic.status import Status
from htcq.pool.pool import Pool
from htcq.report.column import Row
from htcq.report.formats.html import cells, heads
from htcq.report.pages.listing import Part, listing_page, section, table
from htcq.report.pages.site_pages import ELASTIC
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.report.views.elastic_status import groups_table, quotas_table


def elastic_page(looked: Sequence[Status], pool: Pool, why_none: str = "") -> str:
    """Return the page of all trees; ``why_none`` says why there are none.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    told = [one_line(why_none)]
    if looked:
        told = ["Elastic quotas: what each group may use now, lends and borrows."]
    sections = [_tree(number, status) for number, status in enumerate(looked, 1)]
    return listing_page(ELASTIC, pool, told, sections)


def _tree(number: int, status: Status) -> Part:
    title = "Groups"
    if status.tree:
        title = f"Tree {one_line(status.tree)}"
    groups = groups_table(status, "")
    quotas = quotas_table(status, "")
    tables = [
        _table(f"groups-{number}", "What groups may use and use", groups),
        _table(f"quotas-{number}", "As HTCondor's quotas, in slot weight", quotas),
    ]
    notes, warnings = list(_notes(status)), list(_warnings(status))
    return section(f"tree-{number}", title, *notes, tables=tables, warnings=warnings)


def _table(id_: str, caption: str, given: Table[Row]) -> Part:
    return table(id_, caption, heads(given.columns), cells(given.columns, given.rows))


def _notes(status: Status) -> Iterator[str]:
    if status.activity.word == ON:
        yield "Elastic quotas are on: the writer and reclaim act."
    for each in status.enforcement:
        if each.how is not How.REPORTED:
            yield f"{each.dimension}: {each.how.value} by HTCondor: {one_line(each.why)}."


def _warnings(status: Status) -> Iterator[str]:
    if status.activity.word != ON:
        yield f"not in force ({status.activity.word}): {one_line(status.activity.why)}"
    for each in status.enforcement:
        if each.how is How.REPORTED:
            yield f"{each.dimension}: only reported: {one_line(each.why)}"
    for sentence in (*held_back(status.outcome, status.observation), *status.observation.problems):
        yield one_line(str(sentence))
