"""Changes and differences of a pool's quotas in sentences, and numbers of reports over time."""

from __future__ import annotations

from htcq.drift.changes import EVENTS, SettingChange
from htcq.drift.compare import QuotaDifference, Side, kind
from htcq.drift.observation import QuotaSetting
from htcq.drift.texts import setting_of
from htcq.report.column import NONE
from htcq.report.printable import one_line

_NO_EXPRESSION = "(none: counts as 1)"
#: Sentences by what differs; if one side is missing, the sentence has the other side only.
_WORDS = {
    "not-configured": "declared with a quota of {one}, but not configured",
    "not-declared": "configured with a quota of {other}, but not declared",
    "kind": "declared {one}, but configured {other}",
    "quota": "quota declared {one}, but configured {other}",
    "accept-surplus": "accept_surplus declared {one}, but configured {other}",
    "autoregroup": "autoregroup declared {one}, but configured {other}",
    "not-published": "no quota published where {other} should be",
    "effective": "quota published {one} where {other} should be",
    "subtree": "quota with all groups below published {one} where {other} should be",
}


def told(difference: QuotaDifference) -> str:
    """Return ``difference`` in words, without the name of its group."""
    return _WORDS[difference.what].format(one=_side(difference.one), other=_side(difference.other))


def amount(value: float) -> str:
    """Return an amount of weight to six digits after the dot; NaN as HTCondor's logs have it."""
    if abs(value) < 1e15:
        # 0 is added because a negative number may be rounded to -0.
        return f"{round(value, 6) + 0:.6f}".rstrip("0").rstrip(".")
    return f"{value:g}"


def _side(value: Side) -> str:
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, float):
        return amount(value)
    return str(value)


def about(number: float | None) -> str:
    """Return an amount as a table shows it: whole where it is large, a dash where there is none."""
    if number is None:
        return NONE
    if abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.1f}".removesuffix(".0")


def percent(share: float) -> str:
    """Return a share in percent; only nothing is shown as 0%, and only all as 100%."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1 - 1e-9:
        return ">99%"
    return f"{share:.0%}"


def subject(change: SettingChange) -> str:
    """Return what changed: a group, a knob, the weight of slots, the history itself."""
    subjects = {"setting": f"knob {change.name}", "weight": "SlotWeight"}
    if change.kind in EVENTS:
        return "history"
    return one_line(subjects.get(change.kind, change.name))


def change_told(change: SettingChange) -> str:
    """Return from what to what it changed, such as ``configured quota 20 -> 15``."""
    if change.kind in ("declared", "configured"):
        return f"{change.kind} {_settings(change.before, change.after)}"
    if change.kind == "weight":
        expression = one_line(change.name) or _NO_EXPRESSION
        if change.before is None:
            return f"{expression} came into use"
        return f"{expression} is no longer in use"
    if change.after is None:
        return f"no longer set, was {one_line(change.before or '')}"
    after = one_line(change.after)
    if change.kind == "damage":
        return f"the former file was damaged ({after}) and set aside as {one_line(change.name)}"
    if change.kind == "clock":
        aside = one_line(change.name)
        return f"the clock was ahead: its records, up to {after}, are now those of {aside}"
    if change.kind == "clock-step":
        return f"the clock of the machine that records was changed by {after} s"
    if change.before is None:
        return f"set to {after}"
    return f"{one_line(change.before)} -> {after}"


def _settings(before: str | None, after: str | None) -> str:
    old, new = _setting(before), _setting(after)
    if old is None and new is not None:
        return f"anew, quota {_quota(new)}"
    if old is None or new is None:
        return f"no longer, was {_quota(old)}"
    parts = []
    if old.static is not new.static:
        parts.append(f"quota {_quota(old)} -> {_quota(new)}")
    elif old.quota != new.quota:
        parts.append(f"quota {amount(old.quota)} -> {amount(new.quota)}")
    for name in ("accept_surplus", "autoregroup"):
        one, other = getattr(old, name), getattr(new, name)
        if one is not other:
            parts.append(f"{name} {_side(one)} -> {_side(other)}")
    return ", ".join(parts)


def _setting(text: str | None) -> QuotaSetting | None:
    if text is None:
        return None
    return setting_of(text)


def _quota(setting: QuotaSetting | None) -> str:
    if setting is None:
        return "unknown"
    return f"{amount(setting.quota)} ({kind(setting)})"
