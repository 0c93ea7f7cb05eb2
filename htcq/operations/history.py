"""Writes to the history of ``htcq drift``: records observations, merges and drops old rows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.operations.system_log import log_change
from htcq.store.history import open_history

if TYPE_CHECKING:
    from htcq.drift.observation import DriftObservation
    from htcq.drift.retention import Retention


def record(store: Path, observation: DriftObservation) -> tuple[bool, Path | None]:
    """Keep ``observation`` in the file ``store``.

    Returns whether it is new there, and where the former file lies if it was damaged.

    Raises:
        HistoryError: nothing was recorded.
    """
    with open_history(store, writable=True) as history:
        recorded = history.record(observation)
        return recorded, history.set_aside


def prune(store: Path, retention: Retention) -> tuple[int, Path | None]:
    """Merge and drop what is older than ``retention`` wants.

    Returns how many rows fewer there are, and where the former file lies if it was damaged.

    Raises:
        HistoryError: it cannot be read or written.
    """
    with open_history(store, writable=True) as history:
        rows = history.prune(int(time.time()), retention)
        aside = history.set_aside
    if rows and aside is None:
        log_change("drift prune", f"{store}: {rows} rows merged or dropped")
    return rows, aside
