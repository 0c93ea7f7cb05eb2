"""A log of events, one in each line of a file that only grows, and the state they add up to.

An event is on the disk before the action that it announces (``htcq.store.lines``). An incomplete
line, which a crash or a full disk leaves, holds no event: it is counted as damaged and skipped. The
file is read on from where reading stopped before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from htcq.errors import JournalError
from htcq.store.lines import add_line, begin_anew

Event = TypeVar("Event")
State = TypeVar("State")


class EventLog(Generic[Event]):
    """The log at ``path``; whoever adds to it holds its lock.

    ``read`` gets a line and its number: it returns the event, or raises ValueError where the
    line is damaged, and JournalError where the log must not be used at all. ``write`` returns
    the line of an event, its end included.
    """

    def __init__(
        self, path: Path, read: Callable[[bytes, int], Event], write: Callable[[Event], str]
    ) -> None:
        self.path = path
        #: How often it was read from its beginning, because the file was replaced.
        self.begun = 0
        self._read, self._write = read, write
        self._forget(None)

    def _forget(self, file: tuple[int, int] | None) -> None:
        self.begun += 1
        self._file = file
        self._events: list[Event] = []
        self._damaged: list[int] = []
        #: Bytes that are read for good, the lines in them, and the size when it was last read.
        self._offset = self._lines = self._size = 0
        self._incomplete = False

    @property
    def events(self) -> Sequence[Event]:
        """The events, the oldest first; none where there is no file.

        Raises:
            JournalError: it cannot be read.
        """
        self._read_on()
        return self._events

    @property
    def damaged(self) -> tuple[int, ...]:
        """The numbers of the lines that hold no event.

        Raises:
            JournalError: it cannot be read.
        """
        self._read_on()
        damaged = list(self._damaged)
        if self._incomplete:
            damaged.append(self._lines + 1)
        return tuple(damaged)

    def append(self, event: Event) -> None:
        """Add ``event``; it is on the disk when this returns.

        Raises:
            JournalError: it could not be added, and the log is as it was.
        """
        add_line(self.path, self._write(event))

    def begin_anew(self, events: Iterable[Event], suffix: str) -> Path:
        """Replace all events by ``events``; return where the former log is kept.

        Raises:
            JournalError: the log is unchanged.
        """
        return begin_anew(self.path, "".join(map(self._write, events)), suffix)

    def _read_on(self) -> None:
        """Read what was added since the last time, or all of it if the file was replaced."""
        try:
            found = self.path.stat()
            file = (found.st_dev, found.st_ino)
            if file != self._file or found.st_size < self._size:
                self._forget(file)
            elif found.st_size == self._size:
                return
            with self.path.open("rb") as log:
                opened = os.fstat(log.fileno())
                if (opened.st_dev, opened.st_ino) != self._file:
                    self._forget((opened.st_dev, opened.st_ino))
                log.seek(self._offset)
                content = log.read()
        except FileNotFoundError:
            if self._file is not None:
                self._forget(None)
            return
        except OSError as error:
            raise JournalError(
                f"{self.path} cannot be read: {error.strerror}", "it must be readable for you"
            ) from error
        self._take(content)

    def _take(self, content: bytes) -> None:
        """Count the lines of ``content``; an incomplete last line only if it holds an event."""
        events: list[Event] = []
        damaged: list[int] = []
        *lines, last = content.split(b"\n")
        number = self._lines
        for line in lines:
            number += 1
            self._take_line(line, number, events, damaged)
        incomplete: list[int] = []
        self._take_line(last, number + 1, events, incomplete)
        self._incomplete = bool(incomplete)
        # A last line that holds an event is read for good: what is added next begins with its end.
        self._size = self._offset + len(content)
        self._offset = self._size
        if incomplete:
            self._offset -= len(last)
        self._lines = number
        self._events += events
        self._damaged += damaged

    def _take_line(self, line: bytes, number: int, events: list[Event], damaged: list[int]) -> None:
        if not line:
            return
        try:
            events.append(self._read(line, number))
        except (ValueError, RecursionError):
            damaged.append(number)


class Fold(Generic[Event, State]):
    """The state that the events of a log add up to; each event is counted once.

    ``step`` returns the state after one more event, and may change the state that it gets.
    """

    def __init__(
        self,
        log: EventLog[Event],
        begin: Callable[[], State],
        step: Callable[[State, Event], State],
    ) -> None:
        self._log, self._begin, self._step = log, begin, step
        self._begun = self._counted = 0
        self._state = begin()

    @property
    def state(self) -> State:
        """The state after the last event.

        Raises:
            JournalError: the log cannot be read.
        """
        events = self._log.events
        if self._log.begun != self._begun:
            self._begun, self._counted, self._state = self._log.begun, 0, self._begin()
        for event in events[self._counted :]:
            self._state = self._step(self._state, event)
        self._counted = len(events)
        return self._state
