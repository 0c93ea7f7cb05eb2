"""Runs a command of htcq and kills it at the N-th line of what writes: ``killed_command.py N WORDS …``.

N = 0 kills nothing and tells on standard error how many such lines there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: Where files are written, the journal above all, and in which order; not where daemons are waited
#: for.
WATCHED = tuple(
    str(ROOT / "htcq" / name)
    for name in (
        "operations/quota_writer.py",
        "store/elastic_journal.py",
        "store/lines.py",
        "store/lock.py",
        "whole_file.py",
    )
)
#: What only reads, and takes the longer the more there is to read.
READS = ("<module>", "read_journal", "state", "present", "<genexpr>", "<listcomp>")


class Countdown:
    """Counts the lines; the last one is never executed."""

    def __init__(self, until: int) -> None:
        self.until, self.lines = until, 0

    def calls(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        return self.line if code.co_filename in WATCHED and code.co_name not in READS else None

    def line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self.until:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.line


def main(until: int, words: list[str]) -> int:
    from htcq.cli.main import run

    gone = [path for path in WATCHED if not Path(path).is_file()]
    if gone:
        # A module that moved would no longer be killed anywhere.
        raise FileNotFoundError(", ".join(gone))

    countdown = Countdown(until)
    sys.settrace(countdown.calls)
    status = run(words)
    sys.settrace(None)
    sys.stderr.write(f"{countdown.lines}\n")
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
