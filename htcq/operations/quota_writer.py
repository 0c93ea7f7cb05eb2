"""Puts quotas in place for a negotiator: journal, file, negotiator, and the journal again.

Killed anywhere, it leaves a file that was wanted once and a journal that says so;
:meth:`Writer.finish` does what is left to do, after a look at the file that is really there.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.elastic.journal import (
    APPLY,
    INTENT,
    NOTHING,
    OUTCOME,
    RESTORE,
    VERIFIED,
    WRITTEN,
    JournalRecord,
    JournalState,
    resolved,
)
from htcq.elastic.quota_file import digest_of
from htcq.errors import HtcqError, InstallError, PoolError
from htcq.operations.system_log import log_change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from htcq.live.reconfig import Negotiator
    from htcq.store.elastic_journal import Journal

_MODE = 0o644
#: What tempfile.mkstemp makes of a name.
_TEMPORARY = ".????????"
_TOLD = "the negotiator shows it"


@dataclass(frozen=True)
class Writer:
    """One file, its journal and the negotiator that reads it.

    The user of this object holds the lock of the file. ``within`` is the time in which the
    negotiator must show quotas, in seconds; ``pool`` is its collector, empty for this machine's.
    """

    path: Path
    journal: Journal
    negotiator: Negotiator
    within: float
    instance: str
    operator: str
    pool: str = ""

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other htcq from the file for as long as the block runs.

        Raises:
            InputError: others can write the journal.
            LockedError: another one is at it.
        """
        from htcq.operations.trusted import refuse_shared
        from htcq.store.lock import held

        refuse_shared(self.journal.path, "the journal")
        lock = self.path.with_name(f".{self.path.name}.lock")
        with held(lock, f"{self.instance}, process {os.getpid()}, {self.operator}"):
            yield

    def state(self) -> JournalState:
        """Return what the journal says."""
        return self.journal.state

    def present(self) -> str | None:
        """Return the file's text; None where there is none.

        Raises:
            InstallError: it cannot be read.
        """
        try:
            return self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InstallError(
                f"{self.path} cannot be read: {error.strerror}", "run as root"
            ) from error

    def add(self, record: JournalRecord) -> JournalRecord:
        """Journal ``record`` with its number, the time, and who did it.

        What came of a write goes to the system's log as well.
        """
        state = self.state()
        told = replace(
            record,
            number=state.last + 1,
            time=time.time(),
            instance=self.instance,
            operator=self.operator,
        )
        self.journal.append(told)
        if told.kind == OUTCOME:
            self._log(state, told)
        return told

    def _log(self, state: JournalState, outcome: JournalRecord) -> None:
        intents = (each for each in (state.unfinished, state.in_force) if each is not None)
        intent = next((each for each in intents if each.number == outcome.of), outcome)
        what = (
            f"{self.path}: {intent.what or 'write'} of plan {intent.plan or '-'}: "
            f"{outcome.result}: {outcome.told}"
        )
        log_change("elastic", what, failed=outcome.result != VERIFIED)

    def resolve(self) -> list[str]:
        """Journal the outcome of an intent that has none yet, and return it as a sentence.

        The file on disk shows the outcome.

        Raises:
            JournalError: the journal cannot be written.
        """
        self._tidy()
        state = self.state()
        if state.unfinished is None:
            return []
        result, why = resolved(state, self.present())
        self.add(
            JournalRecord(0, 0.0, OUTCOME, of=state.unfinished.number, result=result, told=why)
        )
        return [f"{state.unfinished.what} of plan {state.unfinished.plan or '-'}: {why}"]

    def finish(self) -> list[str]:
        """Do what a former run has left to do, and return in sentences what that was.

        Raises:
            HtcqError: the journal cannot be written, or the former file cannot be put back.
        """
        told = self.resolve()
        state = self.state()
        if (
            state.in_force is None
            or state.result == VERIFIED
            or digest_of(self.present()) != state.digest
        ):
            return told
        why = self._verify(state.in_force)
        told.append(f"{state.in_force.what}: {why or _TOLD + ' now'}")
        if why and state.in_force.what == APPLY:
            self._restore(why)
            told.append(f"{self.path}: put back")
        return told

    def write(self, intent: JournalRecord) -> JournalRecord:
        """Put the text of ``intent`` in place and return it as journaled.

        Raises:
            InstallError: the file cannot be written; it is as it was.
            PoolError: the negotiator does not show the quotas; an ``apply`` was put back.
        """
        intent = self._placed(intent)
        why = self._verify(intent)
        if why and intent.what == APPLY:
            self._restore(why)
            raise PoolError(
                f"{why}: {self.path} was put back",
                "is another file read later, or reconfig refused?",
            )
        if why:
            raise PoolError(
                f"{self.path} is in place, but {why}",
                "condor_reconfig -negotiator makes it take effect",
            )
        return intent

    def follow(self, intent: JournalRecord) -> None:
        """Put the text of ``intent`` in place: quotas that another negotiator shows already.

        Raises:
            InstallError: the file cannot be written; it is as it was.
        """
        number = self._placed(intent).number
        self.add(JournalRecord(0, 0.0, OUTCOME, of=number, result=VERIFIED, told=_TOLD))

    def _placed(self, intent: JournalRecord) -> JournalRecord:
        """Journal ``intent``, put its text in place, and return it as journaled."""
        present, state = self.present(), self.state()
        ours = digest_of(present) == state.digest
        intent = self.add(
            replace(
                intent,
                path=str(self.path),
                pool=self.pool,
                negotiator=self.negotiator.name,
                before=digest_of(present),
                after=digest_of(intent.text),
                replaced=None if ours and state.in_force is not None else present,
            )
        )
        try:
            self._put(present, intent.text)
        except OSError as error:
            why = f"{self.path} cannot be written: {error.strerror}"
            self.add(JournalRecord(0, 0.0, OUTCOME, of=intent.number, result=NOTHING, told=why))
            hint = "it is as it was; run as root, with room on the disk"
            raise InstallError(why, hint) from error
        return intent

    def _tidy(self) -> None:
        """Remove temporary files of a killed run.

        HTCondor does not read them, and no other process writes them.
        """
        for name in (self.path.name, f"{self.path.name}~"):
            for left in self.path.parent.glob(f".{name}{_TEMPORARY}"):
                left.unlink(missing_ok=True)

    def _put(self, present: str | None, text: str | None) -> None:
        from htcq.whole_file import put, put_copy, status_of

        if present is not None and present != text:
            put_copy(self.path, self.path.with_name(f"{self.path.name}~"))
        if text is not None:
            if present != text:
                content = text.encode()
                put(self.path, content, _MODE, status_of(self.path))
            return
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        directory = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _verify(self, intent: JournalRecord) -> str:
        """Let the negotiator read the file, journal whether it shows the quotas, return why not."""
        why = self._told(intent.quotas)
        result = VERIFIED
        if why:
            result = WRITTEN
        told = why or _TOLD
        self.add(JournalRecord(0, 0.0, OUTCOME, of=intent.number, result=result, told=told))
        return why

    def tell_again(self) -> None:
        """Let the negotiator read the file once more; the journal knows it to be in force."""
        state = self.state()
        if state.in_force is not None:
            self._told(state.in_force.quotas)

    def _told(self, quotas: Mapping[str, tuple[float, bool]]) -> str:
        """Let the negotiator read the file; return why ``quotas`` do not show, empty if they do.

        A negotiator that refuses the command may still show them: quotas that are put back were
        never gone there.
        """
        before = None
        refused = ""
        with contextlib.suppress(HtcqError):
            before = self.negotiator.published()
        try:
            self.negotiator.reconfigure()
        except HtcqError as error:
            refused = str(error)
        try:
            shown = self.negotiator.shows(quotas, self.within, self._again, before)
        except HtcqError as error:
            shown = str(error)
        return shown and (refused or shown)

    def _again(self) -> None:
        with contextlib.suppress(HtcqError):
            self.negotiator.reconfigure()

    def _restore(self, why: str) -> None:
        """Put back what was there before the write in force."""
        state = self.state()
        former = state.former
        intent = JournalRecord(
            0, 0.0, INTENT, what=RESTORE, text=state.former_text, told=why,
            quotas=former.quotas if former is not None else {},
        )  # fmt: skip
        with contextlib.suppress(PoolError):
            self.write(intent)
