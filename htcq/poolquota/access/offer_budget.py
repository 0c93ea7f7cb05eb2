"""How many jobs an access point offers in one talk, request after request.

Follows src/condor_schedd.V6/schedd_negotiate.cpp (nextJob, sendResourceRequestList) and
src/condor_negotiator.V6/matchmaker_negotiate.cpp (fetchRequestsFromSchedd), HTCondor 25.14.
Every request takes as many jobs of the budget as it offers, matched or not: requests of higher
priority that fit nowhere can use all of it up. SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS (proposed
for 25.14, not in a release by August 2026) keeps one job back for each other request of the same
list, and gives back what was rejected when the negotiator asks for the next list.
"""

from __future__ import annotations


class OfferBudget:
    """Budget of one negotiation with a schedd.

    It offers ``offers`` jobs when it begins (None: all), in lists of ``batch`` requests. ``lasts``
    tells whether a later list has no more than what is left of it.
    """

    def __init__(self, offers: int | None, batch: int, refunds: bool, lasts: bool) -> None:
        self.offers, self._batch, self._refunds, self._lasts = offers, batch, refunds, lasts
        self._left = offers
        self._sent = self._refunded = 0

    def begin_list(self, startable: int | None) -> None:
        """Begin a list when the schedd may start so many jobs more (None: any number)."""
        if self._left is None or not self._lasts:
            self._left = startable
        elif startable is not None:
            self._left = min(self._left, startable)

    def is_open(self) -> bool:
        """Return whether another request may be offered."""
        if self._left is None:
            return True
        if self._sent == self._batch:
            self._left, self._sent, self._refunded = self._left + self._refunded, 0, 0
        return self._left > 0

    def take(self, jobs: int) -> int:
        """Return how many of ``jobs`` the next request offers."""
        if self._left is None:
            return jobs
        reserved = 0
        if self._refunds:
            reserved = self._batch - self._sent - 1
        count = min(jobs, max(1, self._left - reserved))
        self._left -= count
        self._sent += 1
        return count

    def refund(self, jobs: int) -> None:
        """Give back what a request offered that was rejected."""
        if self._refunds:
            self._refunded += jobs
