"""The balance of a pool on a screen: what a person reads, and what --wide adds."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from htcq.balance.balance import Todo
from htcq.balance.lifting import NO_GAIN
from htcq.report.views.status_text import show_status
from tests.audit.sites import job, pool, slot, submitter
from tests.balance.pools import check


def test_wide_lists_all_that_is_to_do() -> None:
    """Of many causes a screen has the first three."""
    shown = {}
    given = pool(slot(), submitter(IdleJobs=1), jobs=[job("1.0")])
    found = replace(
        check(given), todo=tuple(Todo(f"cause-{each}", "its cure", NO_GAIN) for each in range(5))
    )
    for wide in (False, True):
        stream = StringIO()
        show_status(found, given, (), stream, wide)
        shown[wide] = stream.getvalue()

    assert "3. cause-2: its cure" in shown[False]
    assert "and 2 more; --wide lists all" in shown[False]
    assert "cause-3" not in shown[False]
    assert "5. cause-4: its cure" in shown[True]
    assert "--wide" not in shown[True]
