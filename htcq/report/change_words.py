"""What changed, in words, and numbers as reports on a stretch of time show them."""

from __future__ import annotations

from htcq.drift.changes import Change
from htcq.drift.compare import kind
from htcq.drift.observation import QuotaSetting
from htcq.drift.texts import setting_of
from htcq.report.drift_words import amount
from htcq.report.printable import one_line

_NO_EXPRESSION = "(none: counts as 1)"


def about(number: float | None) -> str:
    """Return an amount as a table shows it: whole where it is large, a dash where there is none."""
    if number is None:
        return "-"
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.1f}".removesuffix(".0")


def percent(share: float) -> str:
    """Return a share: what is little is not nothing, and what is nearly all is not all."""
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 - 1e-9 else f"{share:.0%}"


def subject(change: Change) -> str:
    """Return what changed: a group, a knob, the weight of slots, the history itself."""
    subjects = {"setting": f"knob {change.name}", "weight": "SlotWeight", "damage": "history"}
    return one_line(subjects.get(change.kind, change.name))


def change_told(change: Change) -> str:
    """Return from what to what it changed, such as ``configured quota 20 -> 15``."""
    if change.kind in ("declared", "configured"):
        return f"{change.kind} {_settings(change.before, change.after)}"
    if change.kind == "weight":
        expression = one_line(change.name) or _NO_EXPRESSION
        return f"{expression} came into use" if change.before is None else f"{expression} is no longer in use"
    if change.after is None:
        return f"no longer set, was {one_line(change.before or '')}"
    after = one_line(change.after)
    if change.kind == "damage":
        return f"the former file was damaged ({after}) and set aside as {one_line(change.name)}"
    return f"set to {after}" if change.before is None else f"{one_line(change.before)} -> {after}"


def _settings(before: str | None, after: str | None) -> str:
    old, new = (None if text is None else setting_of(text) for text in (before, after))
    if old is None or new is None:
        return f"anew, quota {_quota(new)}" if old is None and new else f"no longer, was {_quota(old)}"
    parts = []
    if old.static is not new.static:
        parts.append(f"quota {_quota(old)} -> {_quota(new)}")
    elif old.quota != new.quota:
        parts.append(f"quota {amount(old.quota)} -> {amount(new.quota)}")
    for name in ("accept_surplus", "autoregroup"):
        one, other = getattr(old, name), getattr(new, name)
        parts += [f"{name} {_truth(one)} -> {_truth(other)}"] if one is not other else []
    return ", ".join(parts)


def _quota(setting: QuotaSetting | None) -> str:
    return "unknown" if setting is None else f"{amount(setting.quota)} ({kind(setting)})"


def _truth(value: bool) -> str:
    return "true" if value else "false"
