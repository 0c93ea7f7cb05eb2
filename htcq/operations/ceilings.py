"""The ceilings of submitters that htcq sets at a negotiator, so that vacated jobs do not restart.

They are set before jobs are vacated, and taken away when they are no longer needed. Each step is in
the journal before and after. A ceiling that the journal does not have was set by somebody else, and
stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from htcq.elastic.reclaim.reclaim_events import (
    CANCELLED,
    CANCELLING,
    REFUSED,
    SET,
    SETTING,
    CeilingEvent,
    Origin,
    OwnCeiling,
)
from htcq.errors import PoolError

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_plan import Ceiling
    from htcq.live.userprio import SubmitterPriority, UserPriorities
    from htcq.store.reclaim_journal import ReclaimJournal

#: How far the end of a lease and the end in the journal may be apart, in seconds.
_SLACK = 120.0


class Listed(NamedTuple):
    """A ceiling, when its lease ends (0: it is none), and in words who has set it."""

    submitter: str
    ceiling: int
    until: int
    whose: str


@dataclass
class Ceilings:
    """The ceilings of one negotiator; leases last ``seconds``."""

    journal: ReclaimJournal
    priorities: UserPriorities
    negotiator: str
    seconds: int
    operator: str
    #: What is in force, by submitter.
    there: dict[str, SubmitterPriority] = field(default_factory=dict)

    @property
    def own(self) -> dict[str, OwnCeiling]:
        """The ceilings that htcq has set by the journal, or may have set, by submitter."""
        return self.journal.ceilings(self.negotiator)

    def recognize(self, messages: list[str]) -> None:
        """Look up what is in force, and give up ceilings of ours that ended or were changed.

        Raises:
            PoolError: the negotiator does not answer.
        """
        self.there = self.priorities.ceilings()
        for submitter, own in sorted(self.own.items()):
            if self._is_ours(submitter, own):
                continue
            self._write(CANCELLED, submitter)
            if self._has_ended(submitter, own):
                messages.append(f"the ceiling of {submitter} has ended")
            else:
                messages.append(f"the ceiling of {submitter} was changed by somebody else")

    def _is_ours(self, submitter: str, own: OwnCeiling) -> bool:
        now = self.there.get(submitter)
        if now is None or now.ceiling != own.ceiling:
            return False
        if own.until is None:
            return True
        return now.until > 0 and abs(now.until - own.until) <= _SLACK

    def _has_ended(self, submitter: str, own: OwnCeiling) -> bool:
        if own.until is None or submitter in self.there:
            return False
        return own.until <= time.time() + _SLACK

    def foreign(self) -> dict[str, int]:
        """Return the ceilings that are in force and not ours."""
        own = self.own
        return {who: each.ceiling for who, each in self.there.items() if who not in own}

    def set_all(self, wanted: Iterable[Ceiling], messages: list[str]) -> dict[str, str]:
        """Set ``wanted``; return, by submitter, why vacated jobs could restart all the same."""
        refused: dict[str, str] = {}
        foreign = self.foreign()
        for each in wanted:
            who = each.submitter
            other = foreign.get(who)
            if other is not None:
                messages.append(f"the ceiling of {who} ({other}) is somebody else's and stays")
                if other > each.ceiling:
                    refused[who] = f"the ceiling of {who} was set to {other} by somebody else"
                continue
            why = self._set(each)
            if why:
                messages.append(why)
                refused[who] = why
            else:
                messages.append(f"the ceiling of {who} is {each.ceiling}{self._until()}")
        return refused

    def _until(self) -> str:
        if self.priorities.leases:
            return f" for {self.seconds} s"
        return ", until it is taken away"

    def _set(self, wanted: Ceiling) -> str:
        """Set one ceiling in place of any of ours; return why it could not be set."""
        who = wanted.submitter
        before = self.own.get(who)
        until = None
        if self.priorities.leases:
            until = time.time() + self.seconds
        own = OwnCeiling(wanted.group, wanted.ceiling, until)
        try:
            if before is not None:
                self._cancel(who, before)
            self._write(SETTING, who, own)
            self.priorities.lend(who, wanted.ceiling, self.seconds)
        except PoolError as error:
            self._write(REFUSED, who, why=str(error))
            return f"the ceiling of {who} could not be set: {error}"
        self._write(SET, who, own)
        return ""

    def _cancel(self, who: str, own: OwnCeiling) -> None:
        self._write(CANCELLING, who)
        self.priorities.cancel(who, own.until is not None)
        self._write(CANCELLED, who)

    def release(self, submitters: Iterable[str], messages: list[str]) -> bool:
        """Take ceilings of ours away; return whether all are gone."""
        own = self.own
        all_gone = True
        for who in submitters:
            if who not in own:
                continue
            try:
                self._cancel(who, own[who])
                messages.append(f"the ceiling of {who} is taken away")
            except PoolError as error:
                all_gone = False
                messages.append(f"the ceiling of {who} could not be taken away: {error}")
        return all_gone

    def renew(self, submitters: Sequence[str], messages: list[str]) -> None:
        """Renew leases of ours."""
        from htcq.elastic.reclaim.reclaim_plan import Ceiling

        own = self.own
        for who in submitters:
            if who not in own:
                continue
            why = self._set(Ceiling(who, own[who].group, own[who].ceiling, 0.0, 0.0))
            if why:
                messages.append(why)
            else:
                messages.append(f"the ceiling of {who} stays {own[who].ceiling}{self._until()}")

    def listed(self) -> list[Listed]:
        """Return every ceiling that is in force or should be, by submitter.

        Raises:
            PoolError: the negotiator does not answer.
        """
        self.there = self.priorities.ceilings()
        own = self.own
        found = []
        for who in sorted({*self.there, *own}):
            now = self.there.get(who)
            if now is None:
                found.append(Listed(who, own[who].ceiling, 0, "ours by the journal, and gone"))
            elif who in own and self._is_ours(who, own[who]):
                found.append(Listed(who, now.ceiling, now.until, "ours"))
            else:
                found.append(Listed(who, now.ceiling, now.until, "somebody else's"))
        return found

    def _write(
        self, step: str, submitter: str, own: OwnCeiling | None = None, why: str = ""
    ) -> None:
        origin = Origin(time.time(), self.operator, self.negotiator)
        self.journal.append(CeilingEvent(origin, submitter, step, own, why))
