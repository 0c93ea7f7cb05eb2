"""How a history is refused; apart from the programs that tests start, which need no pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import EXIT_UNKNOWN, HistoryError
from htcq.store.history import open_history
from tests.store.histories import FOREVER, LOOK, POOL, START, observation


def refusal(path: Path, writable: bool) -> HistoryError:
    with pytest.raises(HistoryError) as refused, open_history(path, writable) as history:
        history.record(observation(START + LOOK)) if writable else list(
            history.samples(POOL, 0, FOREVER)
        )
    assert refused.value.exit_status == EXIT_UNKNOWN
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    return refused.value
