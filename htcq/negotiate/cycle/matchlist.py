"""The slots that a request may have, best first, kept from match to match.

Follows MatchListType of src/condor_negotiator.V6/matchmaker.cpp, HTCondor 25.14. A slot that is given back after a
match goes to the head of the list and then behind every slot that it is *better* than, up to the first that it is not
better than: the negotiator's own comparison, the wrong way round. Slots that are equal keep their order here; HTCondor
leaves it open among more than 16.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

#: More is better: NEGOTIATOR_PRE_JOB_RANK, the job's Rank and NEGOTIATOR_POST_JOB_RANK.
Ranks = tuple[float, float, float]
Item = TypeVar("Item")
#: Blocks of given-back entries are split beyond so many.
_MOST_IN_BLOCK = 128


class MatchList(Generic[Item]):
    """Entries of ``(ranks, item)``; ``sorted_parts`` are already in order, each the best first, ties in theirs."""

    def __init__(self, sorted_parts: Iterable[Iterable[tuple[Ranks, int, Item]]]) -> None:
        merged = heapq.merge(*sorted_parts, key=_place)
        self._sorted: Iterator[tuple[Ranks, int, Item]] = iter(merged)
        self._head: tuple[Ranks, int, Item] | None = next(self._sorted, None)
        self._first: tuple[Ranks, Item] | None = None
        #: What was given back, in blocks, each with the best ranks in it.
        self._blocks: deque[tuple[Ranks, deque[tuple[Ranks, Item]]]] = deque()

    def pop(self) -> Item | None:
        """Take the head off."""
        if self._first is not None:
            item, self._first = self._first[1], None
            return item
        if self._head is not None:
            item, self._head = self._head[2], next(self._sorted, None)
            return item
        if not self._blocks:
            return None
        best, block = self._blocks[0]
        ranks, item = block.popleft()
        if not block:
            self._blocks.popleft()
        elif ranks == best:
            self._blocks[0] = (max(each for each, _ in block), block)
        return item

    def give_back(self, ranks: Ranks, item: Item) -> None:
        """Put in the one that was popped last, which has other ranks by now."""
        if self._head is not None and not ranks > self._head[0]:
            self._first = (ranks, item)
        else:
            # What it beats at the head of a sorted list it beats to its end.
            self._behind_worse(ranks, item)

    def _behind_worse(self, ranks: Ranks, item: Item) -> None:
        for index, (best, block) in enumerate(self._blocks):
            if not ranks > best:
                at = next(place for place, (each, _) in enumerate(block) if not ranks > each)
                block.insert(at, (ranks, item))
                self._split(index)
                return
        if self._blocks and len(self._blocks[-1][1]) < _MOST_IN_BLOCK:
            best, block = self._blocks[-1]
            block.append((ranks, item))
            self._blocks[-1] = (max(best, ranks), block)
        else:
            self._blocks.append((ranks, deque([(ranks, item)])))

    def _split(self, index: int) -> None:
        block = self._blocks[index][1]
        if len(block) <= _MOST_IN_BLOCK:
            return
        entries = list(block)
        half = len(entries) // 2
        halves = [deque(entries[:half]), deque(entries[half:])]
        self._blocks[index] = (max(each for each, _ in halves[0]), halves[0])
        self._blocks.insert(index + 1, (max(each for each, _ in halves[1]), halves[1]))


def _place(entry: tuple[Ranks, int, object]) -> tuple[float, float, float, int]:
    (pre, rank, post), index, _ = entry
    return (-pre, -rank, -post, index)
