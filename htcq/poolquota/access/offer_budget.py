"""How many jobs an access point offers in one talk, request after request.

Follows src/condor_schedd.V6/schedd_negotiate.cpp (nextJob, sendResourceRequestList) and
src/condor_negotiator.V6/matchmaker_negotiate.cpp (fetchRequestsFromSchedd), HTCondor 25.14.
Every request takes as many jobs of the budget as it offers, matched or not: requests of higher
priority that fit nowhere can use all of it up.
"""

from __future__ import annotations


class OfferBudget:
    """Budget of one negotiation with a schedd.

    It offers ``offers`` jobs when it begins (None: all). ``lasts`` tells whether a later list has
    no more than what is left of it.
    """

    def __init__(self, offers: int | None, lasts: bool) -> None:
        self.offers, self._lasts = offers, lasts
        self._left = offers

    def begin_list(self, startable: int | None) -> None:
        """Begin a list when the schedd may start so many jobs more (None: any number)."""
        if self._left is None or not self._lasts:
            self._left = startable
        elif startable is not None:
            self._left = min(self._left, startable)

    def is_open(self) -> bool:
        """Return whether another request may be offered."""
        return self._left is None or self._left > 0

    def take(self, jobs: int) -> int:
        """Return how many of ``jobs`` the next request offers."""
        if self._left is None:
            return jobs
        count = min(jobs, max(1, self._left))
        self._left -= count
        return count
