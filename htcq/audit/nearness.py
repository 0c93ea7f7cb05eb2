"""Which known name a misspelt one was probably meant to be. Case is ignored: neither knobs nor attributes have any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

#: One slip in a short name, two in one of this length or longer.
_LONG = 9


def slips_allowed(name: str) -> int:
    """Return how many slips of the pen are likely in a name of this length."""
    return 2 if len(name) >= _LONG else 1


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is the fewest slips away from ``name``; empty where none is near."""
    most = slips_allowed(name)
    word = name.lower()
    letters = Counter(word)
    best, fewest = "", most + 1
    for each in known:
        other = each.lower()
        # Two letters at most change with each slip: what differs by more cannot be near, and need not be compared.
        if abs(len(other) - len(word)) > most or _apart(letters, other) > 2 * most:
            continue
        count = slips(word, other)
        if count < fewest:
            best, fewest = each, count
    return best


def slips(one: str, other: str) -> int:
    """Return how many letters must be added, left out, replaced or swapped with their neighbours."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(now[-1] + 1, last[column] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted
            now.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, last = last, now
    return last[-1]


def _apart(letters: Counter[str], other: str) -> int:
    theirs = Counter(other)
    return sum((letters - theirs).values()) + sum((theirs - letters).values())
