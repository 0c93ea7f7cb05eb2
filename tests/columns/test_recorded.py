"""Every expression of every recorded pool: the same values as the ClassAd library, nearly all by columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.columns.recorded import GOLDEN, archives, compared_pool, pools

#: Policies with countMatches() over the GPUs of a slot, and jobs that look at the clock, as their own
#: policies do.
#: So do the two from the field.
MAY_FALL_BACK = {
    "sid-constraint-runs", "sid-deferral", "sid-gpu", "trixie-gpu-hetero", "demand", "pilot-long-job",
    "sid-policies", "sid-system-policies", "trixie-policies", "trixie-system-policies",
    "trixie-hold-release",
}  # fmt: skip
MAX_SHARE = 0.01


@pytest.mark.parametrize(
    "path", [*pools(), *archives()], ids=lambda path: str(path.relative_to(GOLDEN))
)
def test_every_expression_of_a_recorded_pool(path: Path) -> None:
    counts = compared_pool(path)

    assert counts.different == ()
    assert path.name in MAY_FALL_BACK or counts.fell_back <= MAX_SHARE * counts.evaluated
