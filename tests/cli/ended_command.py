"""Runs htcq and sends it a signal at the N-th line of what writes or keeps temporary files: ``… N SIGNAL WORDS …``.

N = 0 sends nothing and tells on standard error how many such lines there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WATCHED = tuple(
    str(ROOT / "htcq" / name)
    for name in (
        "passing.py",
        "whole_file.py",
        "emit/install.py",
        "cli/output_files.py",
        "cli/weights_file.py",
        "store/history_place.py",
        "store/results.py",
        "store/snapshot_writer.py",
    )
)


class Countdown:
    """Counts the lines of this process, not of its children."""

    def __init__(self, until: int, number: int) -> None:
        self.until, self.number, self.lines, self.pid = until, number, 0, os.getpid()

    def calls(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        return (
            self.line
            if code.co_filename in WATCHED and code.co_name not in ("<module>", "_end", "end_all")
            else None
        )

    def line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line" and os.getpid() == self.pid:
            self.lines += 1
            if self.lines == self.until:
                os.kill(self.pid, self.number)
        return self.line


def main(until: int, number: int, words: list[str]) -> None:
    from htcq import __main__

    countdown = Countdown(until, number)
    leave = os._exit

    def told(status: int) -> None:
        sys.settrace(None)
        os.write(2, f"{countdown.lines}\n".encode())
        leave(status)

    if not until:
        os._exit = told  # type: ignore[assignment]
    sys.argv = ["htcq", *words]
    sys.settrace(countdown.calls)
    __main__.main()


if __name__ == "__main__":
    main(int(sys.argv[1]), signal.Signals[sys.argv[2]], sys.argv[3:])
