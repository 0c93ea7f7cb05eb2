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
    lent = f"{missing}, and others have {show_number(back.lent)} of it"
    if back.starts_unknown:
        # Without it the end of no job can be foretold, and reclaim vacates none.
        return (
            f"{lent}; their slots do not say since when their jobs run (JobStart): it is not known "
            "when it would be back, and reclaim vacates none of these jobs"
        )
    words = [
        f"{lent}: if the group asked for all, it would be back {_as_claims_end(back.ends)}, "
        f"{_by_reclaim(back.reclaim)}"
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


def _as_claims_end(seconds: float | None) -> str:
    if seconds is None:
        return "at no known time as claims end (they need not)"
    return f"within {lasting(seconds)} in {PERCENT} of 100 cases as claims end"


def _by_reclaim(seconds: float | None) -> str:
    if seconds is None:
        return "not by reclaim (its limits or the jobs forbid that)"
    return f"within {lasting(seconds)} by reclaim"


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
