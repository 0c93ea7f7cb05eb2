"""``python -m htcq`` and the ``htcq`` command: streams, signals, the command line, the end.

The rest of htcq is loaded once signals are handled: to interrupt that must not end in a traceback.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn, TextIO

    from _typeshed import ReadableBuffer

#: As EXIT_UNKNOWN of htcq.errors, which may not be loaded yet.
_UNKNOWN = 3
#: With these options a command goes through cycle after cycle: what each leaves is collected.
_LONG = ("--cycles", "--watch")
#: Where a stream is closed, this stands in its place, so that no file of htcq's becomes it. What is
#: read from standard input or written to standard output then fails; nobody reads the errors.
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_RDWR))


def main() -> NoReturn:
    """Run the command line and end the process with its exit status.

    ``htcq emit`` may run whenever a daemon reads its configuration: nothing of so short a life
    is worth collecting, and nothing is left to tear down at its end. A course of many cycles
    would fill the memory with what its cycles leave.
    """
    status = _UNKNOWN
    try:
        if not _is_long(sys.argv[1:]):
            gc.disable()
        _open_streams()
        from htcq.passing import end_all, end_with_signals

        end_with_signals()
        status = _run()
        end_all()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(2, b"htcq: interrupted\n")
    except Exception as error:
        os.write(
            2,
            f"htcq: it cannot be loaded: {type(error).__name__}: {error}\n".encode(
                "utf-8", "replace"
            ),
        )
    finally:
        os._exit(status)


def _is_long(arguments: Sequence[str]) -> bool:
    """Return whether a command goes through many cycles, or looks many times."""
    return any(each.partition("=")[0] in _LONG for each in arguments)


def _run() -> int:
    status = _UNKNOWN
    try:
        from htcq.cli.main import run
        from htcq.operations import confined

        confined.enabled = True
        try:
            status = run(sys.argv[1:])
        except SystemExit as ended:
            # Help was asked for and printed, or a confined child has done the work.
            status = ended.code if isinstance(ended.code, int) else 0
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads the rest.
        pass
    except Exception as error:
        from htcq.report.failure import told

        status = told(error)
    return status


def _open_streams() -> None:
    """Open closed streams, and let them spell out characters that their encoding lacks.

    A name in a pool must not end a report.
    """
    for number, (name, mode, flags) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)
            os.dup2(handle, number)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    sys.stdout = _named(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


class _Output(io.FileIO):
    """Standard output; an error says so, or it would look like one of a file that htcq writes."""

    failed = False

    def write(self, data: ReadableBuffer, /) -> int | None:  # type: ignore[override]
        """Write ``data``; an error has a name, and what is left after it goes nowhere."""
        if self.failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self.failed = True
            error.filename = "standard output"
            raise


def _named(stream: TextIO) -> TextIO:
    """Return ``stream`` as it is, but for the name in its errors."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    out = io.BufferedWriter(_Output(stream.fileno(), "w", closefd=False))
    each = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(out, stream.encoding, stream.errors, line_buffering=each)


if __name__ == "__main__":
    main()
