"""In what time groups have their mins back, for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from htcq.elastic.reclaim.borrowed import SLACK
from htcq.elastic.reclaim.ends import PERCENT
from htcq.elastic.reclaim.min_back import MinBack
from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.units import show_number


def back_sentence(back: MinBack) -> str:
    """Return what comes back of a group's min, and when."""
    missing = f"{show_number(back.missing)} of slot weight of its min is not in use"
    if back.lent <= SLACK:
        return f"{missing}, and free: one cycle matches it"
    ends = _within(back.ends, "claims need not end")
    reclaim = _within(back.reclaim, "its limits or the jobs forbid that")
    words = [
        f"{missing}, and others have {show_number(back.lent)} of it: if the group asked for all, "
        f"it would be back {ends} in {PERCENT} of 100 cases as claims end, {reclaim} by reclaim"
    ]
    if back.objective is not None:
        late = ", and neither is in time" if back.late else ""
        words.append(f"back_within is {lasting(back.objective)}{late}")
    return "; ".join(words)


def slowest_sentence(mins: Iterable[MinBack]) -> str:
    """Return in what time reclaim brings back the last of all mins; empty: none is lent."""
    lent = [back for back in mins if back.lent > SLACK]
    if not lent:
        return ""
    last = max(lent, key=lambda back: math.inf if back.reclaim is None else back.reclaim)
    name = one_line(last.group)
    if last.reclaim is None:
        return f"at its limits, or by its jobs, reclaim cannot bring back all of the min of {name}"
    return f"at its limits reclaim brings each min back within {lasting(last.reclaim)}, {name} last"


def _within(seconds: float | None, why_not: str) -> str:
    if seconds is None:
        return f"at no known time ({why_not})"
    return f"within {lasting(seconds)}"


def back_json(back: MinBack | None) -> dict[str, Any] | None:
    """Return it as JSON; None where all of the min is in use."""
    if back is None:
        return None
    return {
        "missing": back.missing,
        "free": back.free,
        "ends": back.ends,
        "reclaim": back.reclaim,
        "objective": back.objective,
        "late": back.late,
    }
