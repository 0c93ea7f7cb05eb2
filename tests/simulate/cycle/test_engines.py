"""A cycle without numpy is the same cycle."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from htcq import columns
from tests.pool.negotiations import CYCLES, FAMILIES
from tests.simulate.cycle.test_recorded import replayed


@pytest.mark.parametrize("path", [*CYCLES, *FAMILIES], ids=lambda path: path.name)
def test_a_recorded_cycle_is_the_same_without_numpy(path: Path) -> None:
    with mock.patch.object(columns, "available", return_value=False):
        without = replayed(path)

    assert without == replayed(path)
