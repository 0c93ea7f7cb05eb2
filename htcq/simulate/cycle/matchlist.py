"""The slots that a request may have, best first, kept from match to match.

Follows MatchListType of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. A slot that is
given back after a match goes to the head of the list and then behind every slot that it is
*better* than, up to the first that it is not better than: the negotiator's own comparison, the
wrong way round. Slots that are equal keep their order here; HTCondor leaves it open among more
than 16.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

#: More is better: NEGOTIATOR_PRE_JOB_RANK, the job's Rank and NEGOTIATOR_POST_JOB_RANK.
Ranks = tuple[float, float, float]
Item = TypeVar("Item")
#: The ranks, each with its sign turned, a number that no other entry has, and the item.
Entry = tuple[float, float, float, int, Item]
#: Blocks of given-back entries are split beyond so many.
_MAX_IN_BLOCK = 128


class _Block(Generic[Item]):
    """Given-back entries that follow each other; none of them is better than ``best``."""

    __slots__ = ("best", "entries")

    def __init__(self, entries: Iterable[tuple[Ranks, Item]]) -> None:
        self.entries = deque(entries)
        self.best = max(ranks for ranks, _ in self.entries)


class MatchList(Generic[Item]):
    """A list of slots that grows shorter, and longer again by what is given back."""

    def __init__(self, entries: Iterable[Entry[Item]]) -> None:
        #: The best last, where it is taken from.
        self._sorted = sorted(entries, reverse=True)
        self._first: tuple[Ranks, Item] | None = None
        self._blocks: deque[_Block[Item]] = deque()

    def pop(self) -> Item | None:
        """Take the head off."""
        if self._first is not None:
            item, self._first = self._first[1], None
            return item
        if self._sorted:
            return self._sorted.pop()[-1]
        if not self._blocks:
            return None
        entries = self._blocks[0].entries
        item = entries.popleft()[1]
        if not entries:
            self._blocks.popleft()
        return item

    def give_back(self, ranks: Ranks, item: Item) -> None:
        """Put in the one that was popped last, which has other ranks by now."""
        if self._sorted and (-ranks[0], -ranks[1], -ranks[2]) >= self._sorted[-1][:3]:
            self._first = (ranks, item)
        else:
            # What it beats at the head of a sorted list it beats to its end.
            self._behind_worse(ranks, item)

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
