"""Jobs that no slot suits, or not the schedd that starts them itself: one sentence a cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.balance.demand import Nowhere
from htcq.units import counted, shortened

#: Letters of a reason that a sentence repeats, and of the expression in it: what follows it counts.
_LETTERS, _EXPRESSION = 200, 70
#: The most causes with a line of their own.
_LISTED = 3


def nowhere_text(nowhere: Nowhere) -> Iterator[str]:
    """Yield how many jobs fit no slot, with the first cause; then those that schedds start."""
    of_slots = [each for each in nowhere.causes if not each.schedd]
    if of_slots:
        first, jobs = of_slots[0], sum(each.jobs for each in of_slots)
        which = ""
        if len(of_slots) > 1:
            which = f", for {len(of_slots)} causes; {first.jobs} of them"
        fit = "fits" if jobs == 1 else "fit"
        what = f"{counted(jobs, 'job')} {fit} no slot of the pool{which}"
        yield f"{what}, such as {first.example}: {_brief(first)}"
    for each in nowhere.causes:
        if each.schedd:
            wait = "waits" if each.jobs == 1 else "wait"
            what = f"{counted(each.jobs, 'job')} {wait} for the schedd {each.schedd} itself"
            yield f"{what}, such as {each.example}: {_brief(each)}"


def nowhere_cures(causes: Sequence[Nowhere]) -> Iterator[str]:
    """Yield what to do for the jobs of each of ``causes``, with the cause where there are more."""
    for each in causes[:_LISTED]:
        whom = f"the schedd {each.schedd} does not start" if each.schedd else "no slot suits"
        why = f" ({_brief(each)})" if len(causes) > 1 else ""
        jobs = f"{counted(each.jobs, 'job')} that {whom}"
        yield f"to do for {jobs}, such as {each.example}{why}: {each.cure}"
    more = causes[_LISTED:]
    if more:
        jobs = counted(sum(each.jobs for each in more), "more job")
        yield f"to do for {jobs} with {counted(len(more), 'other cause')}: see 'htcq why --all'"


def nowhere_lines(nowhere: Nowhere | None) -> Iterator[str]:
    """Yield one line a cause for a monitoring plugin."""
    for each in () if nowhere is None else nowhere.causes:
        jobs = f"{counted(each.jobs, 'job')} such as {each.example}"
        yield f"{each.reason}: {jobs}: {_brief(each)}: {each.cure}"


def nowhere_json(nowhere: Nowhere | None) -> dict[str, Any] | None:
    """Return what ``json.dumps`` takes."""
    if nowhere is None:
        return None
    return {**_keys(nowhere), "by": [_keys(each) for each in nowhere.causes]}


def _keys(each: Nowhere) -> dict[str, Any]:
    names = ("jobs", "weight", "example", "text", "cure", "reason")
    return {name: getattr(each, name) for name in names}


def _brief(each: Nowhere) -> str:
    """Return what keeps jobs away, with the verb: long expressions are cut off, then the end."""
    text = each.text
    if len(each.clause) > _EXPRESSION:
        text = text.replace(each.clause, shortened(each.clause, _EXPRESSION))
    return shortened(text, _LETTERS)
