"""More than 16 equal users, and equal slots, of a real pool: who and which came first, with no order given.

``submitter_order`` in expected.json is that of the negotiator's log; here it is a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.simulate.cycle.cycle import run_cycle
from tests.pool.negotiations import DIRECTORY, expected, pool

EQUALS = sorted(DIRECTORY.with_name("many-equals").iterdir())


@pytest.mark.parametrize("path", EQUALS, ids=lambda path: path.name)
def test_equals_have_their_turns_as_the_negotiator_sorted_them(path: Path) -> None:
    record, trace = expected(path), run_cycle(pool(path))

    found = [(match.request, match.submitter, match.slot) for match in trace.matches]
    rejected = [(each.job, each.submitter, each.reason) for each in trace.rejections]
    assert found == [
        (each["request"], each["submitter"], each["slot"]) for each in record["matches"]
    ]
    assert rejected == [
        (each["request"], each["submitter"], each["reason"]) for each in record["rejections"]
    ]
    assert trace.unmodelled == ()
