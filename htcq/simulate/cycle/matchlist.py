"""The slots that a request may have, best first, kept from match to match.

Follows MatchListType of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. A slot that is
given back after a match goes to the head of the list and then behind every slot that it is
*better* than, up to the first that it is not better than: the negotiator's own comparison, the
wrong way round.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Callable, Generic, TypeVar

#: More is better: NEGOTIATOR_PRE_JOB_RANK, the job's Rank and NEGOTIATOR_POST_JOB_RANK. In a list
#: with slots that would be preempted, these states and PREEMPTION_RANK follow.
Ranks = tuple[float, ...]
Item = TypeVar("Item")
#: Returns the next slots of the list, the best first, with their ranks; none after the last.
More = Callable[[], tuple[Sequence[Ranks], Sequence[Item]]]
#: Blocks of given-back entries are split beyond so many.
_MAX_IN_BLOCK = 128


class _Block(Generic[Item]):
    """Given-back entries that follow each other; none of them is better than ``best``."""

    __slots__ = ("best", "entries")

    def __init__(self, entries: Iterable[tuple[Ranks, Item]]) -> None:
        self.entries = deque(entries)
        self.best = max(ranks for ranks, _ in self.entries)


class MatchList(Generic[Item]):
    """A list of slots that grows shorter, and longer again by what is given back.

    It asks for ``more`` slots when it needs them, and drops what is given back unless it
    ``still_fits``.
    """

    def __init__(
        self, more: More[Item], still_fits: Callable[[Item], bool] = lambda item: True
    ) -> None:
        self._more, self._still_fits = more, still_fits
        #: The best first; those before ``_next`` are taken.
        self._ranks, self._items = more()
        self._next = 0
        self._first: tuple[Ranks, Item] | None = None
        #: What was given back behind all of these, in order: most lists never come to it.
        self._behind: list[tuple[Ranks, Item]] = []
        self._blocks: deque[_Block[Item]] = deque()

    def _has_sorted(self) -> bool:
        if self._next < len(self._items):
            return True
        if not self._items:
            return False
        self._ranks, self._items = self._more()
        self._next = 0
        return bool(self._items)

    def peek(self) -> tuple[Ranks, Item] | None:
        """Return the head and its ranks, and leave it there; None where the list is empty."""
        if self._first is not None:
            return self._first
        if self._has_sorted():
            return self._ranks[self._next], self._items[self._next]
        self._put_behind()
        return self._blocks[0].entries[0] if self._blocks else None

    def pop(self) -> Item | None:
        """Take the head off."""
        if self._first is not None:
            item, self._first = self._first[1], None
            return item
        if self._has_sorted():
            self._next += 1
            return self._items[self._next - 1]
        self._put_behind()
        if not self._blocks:
            return None
        entries = self._blocks[0].entries
        item = entries.popleft()[1]
        if not entries:
            self._blocks.popleft()
        return item

    def give_back(self, ranks: Ranks, item: Item) -> None:
        """Put in the one that was popped last, which has other ranks by now."""
        if not (self._has_sorted() and ranks <= self._ranks[self._next]):
            # What it beats at the head of a sorted list it beats to its end.
            self._behind.append((ranks, item))
        elif self._still_fits(item):
            self._first = (ranks, item)

    def _put_behind(self) -> None:
        for ranks, item in self._behind:
            if self._still_fits(item):
                self._behind_worse(ranks, item)
        self._behind.clear()

    def _behind_worse(self, ranks: Ranks, item: Item) -> None:
        for index, block in enumerate(self._blocks):
            if ranks > block.best:
                continue
            at = next(
                (place for place, (each, _) in enumerate(block.entries) if not ranks > each), None
            )
            if at is not None:
                block.entries.insert(at, (ranks, item))
                self._split(index)
                return
            # The best one has been taken off.
            block.best = max(each for each, _ in block.entries)
        if self._blocks and len(self._blocks[-1].entries) < _MAX_IN_BLOCK:
            last = self._blocks[-1]
            last.entries.append((ranks, item))
            last.best = max(last.best, ranks)
        else:
            self._blocks.append(_Block([(ranks, item)]))

    def _split(self, index: int) -> None:
        entries = list(self._blocks[index].entries)
        if len(entries) > _MAX_IN_BLOCK:
            half = len(entries) // 2
            self._blocks[index] = _Block(entries[:half])
            self._blocks.insert(index + 1, _Block(entries[half:]))
