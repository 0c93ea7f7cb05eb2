"""What of an expression looks at the clock, and the time in its place.

Besides the function time() there is CurrentTime: every ad that has no such attribute itself answers
it with time(), whatever stands before the name: MY.CurrentTime, TARGET.CurrentTime, .CurrentTime
(src/classad/classad.cpp: LookupInScope, HTCondor 23.9 and 25.14).
"""

from __future__ import annotations

from htcq.classad.names import words
from htcq.classad.substitution import substituted
from htcq.classad.tree import TARGET, AdOf, Call, Reference, Selection, Tree

CURRENT_TIME = "currenttime"
#: Words of every expression that looks at the clock.
CLOCK_WORDS = frozenset({"time", CURRENT_TIME})


def at_time(text: str, seconds: str, own: bool = False, theirs: bool = False) -> str:
    """Return ``text`` with the time ``seconds`` in the place of what looks at the clock.

    ``own`` and ``theirs`` tell whether the ad that has the expression, and the other one, have an
    attribute CurrentTime.
    """
    if "time" not in text.lower() or CLOCK_WORDS.isdisjoint(words(text)):
        return text

    def replaced(part: Tree) -> str | None:
        return seconds if _looks_at_clock(part, own, theirs) else None

    return substituted(text, replaced)


def _looks_at_clock(part: Tree, own: bool, theirs: bool) -> bool:
    if isinstance(part, Call):
        return part.function == "time" and not part.arguments
    if isinstance(part, Reference) and part.name == CURRENT_TIME:
        return not (theirs if part.scope == TARGET else own)
    if not isinstance(part, Selection) or part.name != CURRENT_TIME:
        return False
    if part.of is None:
        return not own
    return isinstance(part.of, AdOf) and CURRENT_TIME not in dict(part.of.attributes)
