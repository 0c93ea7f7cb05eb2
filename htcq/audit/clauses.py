"""The clauses of a job's Requirements, and on how many slots each of them does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.classads import holds, parsed
from htcq.pool.jobclass import JobClass
from htcq.pool.kind import Kind


def clauses(text: str) -> list[str]:
    """Return the parts of ``text`` that are joined by ``&&`` outside all brackets and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"' and text[place - 1 : place] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif not depth and text.startswith("&&", place):
            parts.append(text[start:place])
            start = place + 2
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def false_clauses(jobs: JobClass, kinds: Iterable[Kind]) -> list[tuple[str, int]]:
    """Return each clause of the Requirements with the number of unused slots on which it is not true, most first."""
    counts: dict[str, int] = {}
    offered = tuple(kinds)
    for text in clauses(jobs.frame.text("Requirements")):
        clause = parsed(text)
        if clause is None:
            continue
        job = jobs.ad()
        counts[text] = sum(kind.count for kind in offered if not holds(clause.evaluate(job, kind.ad(kind.total))))
    return sorted(((text, count) for text, count in counts.items() if count), key=lambda each: -each[1])
