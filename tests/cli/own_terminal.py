"""Processes that run on a terminal of their own, as people start them."""

from __future__ import annotations

import os
import pty
import signal
import sys
from collections.abc import Sequence

from tests.cli.conftest import ROOT
from tests.cli.sweeps import until

#: Moves the cursor to the first line and erases the terminal.
CLEAR = "\x1b[H\x1b[2J"


class Terminal:
    """A process on a terminal of its own, and what it has written there so far."""

    def __init__(self, words: Sequence[str], **environment: str) -> None:
        self.text = ""
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.environ.update(environment, PYTHONPATH=str(ROOT), TERM="xterm")
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(sys.executable, [sys.executable, *words])

    def until(self, count: int, piece: str) -> None:
        """Read until ``piece`` was written ``count`` times."""

        def seen() -> bool:
            self.text += os.read(self.handle, 4096).decode()
            return self.text.count(piece) >= count

        until(seen, piece)

    def interrupt(self) -> int:
        """Type Ctrl-C and return the exit status."""
        os.write(self.handle, b"\x03")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.handle)
        return os.waitstatus_to_exitcode(status)
