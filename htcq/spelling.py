"""Known names near a misspelt one.

There are two measures. A hint may guess: :func:`did_you_mean` takes the names that look alike. A
finding must not:
:func:`nearest` counts slips, and knows that LOCK is no slip of LOG. It ignores case, as knobs
and attributes do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Callable

#: Slips that a word may have: two in a long one, none in one that is shorter than ``_SHORT``, else
#: one.
_LONG, _SHORT = 8, 4
_MAX_SLIPS = 2


def near_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the ``known`` names that look like ``name``, the most similar first; case counts."""
    import difflib

    return difflib.get_close_matches(name, list(known), most)


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", most: int = 1) -> str:
    """Return a hint at the name that was meant; ``otherwise`` where nothing looks like it."""
    return meant(near_names(name, known, most), otherwise)


def meant(near: Sequence[str], otherwise: str = "") -> str:
    """Return the hint that offers the ``near`` names; ``otherwise`` where there is none."""
    if not near:
        return otherwise
    return f"did you mean {' or '.join(near)}?"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name with the fewest slips from ``name``; empty where none is near."""
    compare = near_to(name)
    best, fewest = "", _MAX_SLIPS + 1
    for each in known:
        count = compare(each)
        if count is not None and count < fewest:
            best, fewest = each, count
    return best


def near_to(name: str) -> Callable[[str], int | None]:
    """Return a function that counts the slips between a name and ``name``.

    It returns None where they are too many.
    """
    word = name.lower()
    letters = Counter(word)

    def compare(other: str) -> int | None:
        other = other.lower()
        # One letter goes and one comes with each slip: names that differ by more are not compared.
        if abs(len(other) - len(word)) > _MAX_SLIPS or _apart(letters, other) > 2 * _MAX_SLIPS:
            return None
        count = slips(word, other)
        if count > _MAX_SLIPS or not _likely(word, other, count):
            return None
        return count

    return compare


def slips(one: str, other: str) -> int:
    """Return the number of letters to add, leave out, replace or swap with a neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(now[-1] + 1, last[column] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        before, last = last, now
    return last[-1]


def _likely(one: str, other: str, count: int) -> bool:
    """Return whether each word between underscores is near its counterpart.

    LOCK is no slip of LOG.
    """
    words, others = one.split("_"), other.split("_")
    if len(words) != len(others):
        return count == 1
    for word, theirs in zip(words, others):
        if word != theirs and slips(word, theirs) > _allowed(word, theirs):
            return False
    return True


def _allowed(word: str, other: str) -> int:
    length = max(len(word), len(other))
    if length < _SHORT:
        return 0
    if length < _LONG:
        return 1
    return _MAX_SLIPS


def _apart(letters: Counter[str], other: str) -> int:
    theirs = Counter(other)
    return sum((letters - theirs).values()) + sum((theirs - letters).values())
