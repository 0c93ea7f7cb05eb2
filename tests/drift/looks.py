"""Observations, samples and kept texts made up for tests of what is made of them."""

from __future__ import annotations

from dataclasses import replace

from htcq.drift.observation import (
    DriftObservation,
    GroupObservation,
    Kept,
    QuotaSample,
    QuotaSetting,
)
from htcq.drift.texts import setting_text

HOUR = 3600


def static(quota: float, accept_surplus: bool = False, autoregroup: bool = False) -> QuotaSetting:
    """Return an amount."""
    return QuotaSetting(quota, True, accept_surplus, autoregroup)


def dynamic(share: float) -> QuotaSetting:
    """Return a share of what the parent has."""
    return QuotaSetting(share, False, False, False)


def group(
    name: str, quota: float | None = None, usage: float = 0.0, idle: float = 0.0
) -> GroupObservation:
    """Return a group whose published and computed quota is ``quota``."""
    setting = None if quota is None else static(quota)
    return GroupObservation(
        name, configured=setting, effective=quota, effective_subtree=quota, computed=quota, computed_subtree=quota,
        usage=usage, idle=idle,
    )  # fmt: skip


def observation(
    *groups: GroupObservation, time: int = 0, weight: float = 100.0
) -> DriftObservation:
    """Return a look at a pool of ``groups``."""
    return DriftObservation("cm.example.net", "cm.example.net", time, weight, groups)


def sample(
    name: str,
    time: int,
    usage: float = 0.0,
    quota: float | None = 10.0,
    span: int = 300,
    **changes: float | None,
) -> QuotaSample:
    """Return one look at a group of ``quota``, published as computed."""
    seconds = {
        state: float(changes.pop(state) or 0.0)
        for state in ("starved", "over", "lending")
        if state in changes
    }
    made = QuotaSample(name, time, span, 1, quota, quota, usage, usage, 0.0, 0.0, 0.0, **seconds)
    return replace(made, **changes)  # type: ignore[arg-type]


def kept(
    kind: str, name: str, setting: QuotaSetting | str, since: int, until: int | None = None
) -> Kept:
    """Return what is kept of a quota, or of another text."""
    return Kept(
        kind, name, setting if isinstance(setting, str) else setting_text(setting), since, until
    )
