"""The history of ``htcq drift``: records observations, merges old rows, and reads the past."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import HistoryError
from htcq.operations.system_log import log_change
from htcq.report.moments import iso
from htcq.settings.durations import DAY
from htcq.store.history import open_history

if TYPE_CHECKING:
    from collections.abc import Sequence

    from htcq.drift.explanation import DriftExplanation
    from htcq.drift.observation import DriftObservation
    from htcq.drift.retention import Retention
    from htcq.store.history import History

#: For so many seconds a pool may well be not observed.
_SILENCE = 30 * DAY
#: Of more groups than these what they disagree in is not read look by look.
_FEW = 20


def record(
    store: Path, observation: DriftObservation, live: bool = False
) -> tuple[bool, Path | None]:
    """Keep ``observation`` in the file ``store``; ``live``: it was made just now.

    Returns whether it is new there, and where the former file lies if it was damaged.

    Raises:
        HistoryError: nothing was recorded.
    """
    with open_history(store, writable=True) as history:
        recorded = history.record(observation, live)
        return recorded, history.set_aside


def prune(store: Path, retention: Retention, forced: bool = False) -> tuple[int, Path | None]:
    """Merge and drop what is older than ``retention`` wants.

    Returns how many rows fewer there are, and where the former file lies if it was damaged.

    Raises:
        HistoryError: it cannot be read or written; or, unless ``forced``, the clock is so far
            ahead of the newest record that it is probably wrong.
    """
    now = int(time.time())
    with open_history(store, writable=True) as history:
        if not forced:
            _check_clock(store, history.newest(), now, retention)
        rows = history.prune(now, retention)
        aside = history.set_aside
    if rows and aside is None:
        log_change("drift prune", f"{store}: {rows} rows merged or dropped")
    return rows, aside


def _check_clock(store: Path, newest: int | None, now: int, retention: Retention) -> None:
    """Refuse a clock at which even the newest record would be merged into a day."""
    if newest is None or now - newest <= max(retention.hours, _SILENCE):
        return
    raise HistoryError(
        f"{store}: nothing was pruned: its newest record, of {iso(newest)}, is "
        f"{(now - newest) // DAY} days older than the clock of this machine",
        "set the clock right; if it is right, --force prunes, and keeps the newest record",
    )


def story_of(
    history: History, pool: str, since: int, until: int, groups: Sequence[str]
) -> DriftExplanation:
    """Return what ``history`` tells of ``pool`` from ``since`` to ``until``, in seconds since 1970.

    ``groups`` are names or shell patterns; none: all groups.

    Raises:
        HistoryError: it cannot be read.
    """
    from htcq.drift.accounts import part_seconds
    from htcq.drift.changes import disagrees
    from htcq.drift.explanation import Remembered, tell
    from htcq.drift.windows import MAX_POINTS
    from htcq.quota.group_tree import ROOT

    known = history.pool(pool)
    first = known.first if known is not None else since
    # Twice as fine as any picture, and no finer: a week of many groups is a million looks.
    step = max(1, (until - since) // (2 * MAX_POINTS))
    samples = tuple(history.samples(pool, since, until, step=step))
    suspects = {sample.group for sample in samples if disagrees(sample)}
    exactly = 1 if len(suspects) <= _FEW else step
    fine = (
        tuple(history.samples(pool, first, until, suspects | {ROOT}, exactly)) if suspects else ()
    )
    quotas = [
        each for kind in ("declared", "configured") for each in history.kept(pool, 0, until, kind)
    ]
    others = [
        each
        for each in history.kept(pool, since, until)
        if each.kind not in ("declared", "configured")
    ]
    unit = known.unit if known is not None else ""
    ledger = history.ledger(pool, since, until, part_seconds(since, until))
    return tell(
        Remembered(pool, unit, first, samples, [*quotas, *others], fine, ledger),
        since,
        until,
        groups,
    )
