"""Ceilings of ours at a negotiator: set before jobs are vacated, and taken away when they are of no more use.

Each step is in the journal before and after. Whatever a ceiling is that the journal does not
know to be ours is somebody else's, and stays.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.elastic.reclaim import reclaim_history as past
from htcq.elastic.reclaim.reclaim_history import CEILING, PAYLOAD, OwnCeiling
from htcq.errors import PoolError

if TYPE_CHECKING:
    from htcq.elastic.reclaim.reclaim_plan import Ceiling
    from htcq.live.userprio import SubmitterPriority, UserPriorities
    from htcq.store.reclaim_journal import ReclaimJournal

#: What a lease and the record of it may be apart, in seconds.
_SLACK = 120.0


class Listed(NamedTuple):
    """A ceiling, when its lease ends (0: it is none), and whose it is, in words."""

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
    there: dict[str, SubmitterPriority] = field(default_factory=dict)

    @property
    def own(self) -> dict[str, OwnCeiling]:
        """Return those that are ours by the journal, or might be."""
        return self.journal.ceilings(self.negotiator)

    def recognize(self, told: list[str]) -> None:
        """See what is in force, and forget of ours what has ended by itself or was changed by somebody else.

        Raises:
            PoolError: the negotiator does not answer.
        """
        self.there = self.priorities.ceilings()
        for who, own in sorted(self.own.items()):
            if not self._ours(who, own):
                ended = (
                    own.until is not None
                    and own.until <= time.time() + _SLACK
                    and who not in self.there
                )
                self._write(past.CANCELLED, who)
                told.append(
                    f"the ceiling of {who} "
                    f"{'has ended' if ended else 'was changed by somebody else'}"
                )

    def _ours(self, who: str, own: OwnCeiling) -> bool:
        now = self.there.get(who)
        if now is None or now.ceiling != own.ceiling:
            return False
        return own.until is None or (now.until > 0 and abs(now.until - own.until) <= _SLACK)

    def foreign(self) -> dict[str, int]:
        """Return the ceilings that are in force and not ours."""
        own = self.own
        return {who: each.ceiling for who, each in self.there.items() if who not in own}

    def hold(self, wanted: Iterable[Ceiling], told: list[str]) -> dict[str, str]:
        """Set ``wanted``; return by submitter why jobs of his could come straight back, where that is so."""
        refused, foreign = {}, self.foreign()
        for each in wanted:
            who, other = each.submitter, foreign.get(each.submitter)
            if other is not None:
                told.append(f"the ceiling of {who} ({other}) is somebody else's and stays")
                if other > each.ceiling:
                    refused[who] = f"the ceiling of {who} was set to {other} by somebody else"
                continue
            why = self._set(each)
            told.append(why or f"the ceiling of {who} is {each.ceiling}{self._until()}")
            if why:
                refused[who] = why
        return refused

    def _until(self) -> str:
        return f" for {self.seconds} s" if self.priorities.leases else ", until it is taken away"

    def _set(self, wanted: Ceiling) -> str:
        """Set one ceiling in place of any of ours; return why it could not be."""
        who, before = wanted.submitter, self.own.get(wanted.submitter)
        until = time.time() + self.seconds if self.priorities.leases else None
        says: dict[str, Any] = {"group": wanted.group, "ceiling": wanted.ceiling, "until": until}
        try:
            if before is not None:
                self._cancel(who, before)
            self._write(past.SETTING, who, **says)
            self.priorities.lend(who, wanted.ceiling, self.seconds)
        except PoolError as error:
            self._write(past.REFUSED, who, of=past.SETTING, why=str(error))
            return f"the ceiling of {who} could not be set: {error}"
        self._write(past.SET, who, **says)
        return ""

    def _cancel(self, who: str, own: OwnCeiling) -> None:
        self._write(past.CANCELLING, who)
        self.priorities.cancel(who, own.until is not None)
        self._write(past.CANCELLED, who)

    def release(self, whose: Iterable[str], told: list[str]) -> bool:
        """Take ceilings of ours away; tell whether all are gone."""
        own, all_gone = self.own, True
        for who in whose:
            if who not in own:
                continue
            try:
                self._cancel(who, own[who])
                told.append(f"the ceiling of {who} is taken away")
            except PoolError as error:
                all_gone = False
                told.append(f"the ceiling of {who} could not be taken away: {error}")
        return all_gone

    def renew(self, whose: Sequence[str], told: list[str]) -> None:
        """Let leases of ours begin anew."""
        from htcq.elastic.reclaim.reclaim_plan import Ceiling

        own = self.own
        for who in whose:
            if who in own:
                why = self._set(Ceiling(who, own[who].group, own[who].ceiling, 0.0, 0.0))
                told.append(why or f"the ceiling of {who} stays {own[who].ceiling}{self._until()}")

    def listed(self) -> list[Listed]:
        """Return every ceiling that is in force or should be, by submitter.

        Raises:
            PoolError: the negotiator does not answer.
        """
        self.there, own = self.priorities.ceilings(), self.own
        found = []
        for who in sorted({*self.there, *own}):
            now = self.there.get(who)
            if now is None:
                found.append(Listed(who, own[who].ceiling, 0, "ours by the journal, and gone"))
            else:
                ours = who in own and self._ours(who, own[who])
                found.append(
                    Listed(who, now.ceiling, now.until, "ours" if ours else "somebody else's")
                )
        return found

    def _write(self, step: str, submitter: str, **told: Any) -> None:
        self.journal.append(
            {"kind": CEILING, "time": time.time(), "operator": self.operator,
             PAYLOAD: {"negotiator": self.negotiator, "submitter": submitter, "step": step, **told}}
        )  # fmt: skip
