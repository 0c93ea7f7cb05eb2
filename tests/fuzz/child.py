"""Runs htcq once in a child process that is forked off this one: limits, a deadline, its own streams and directory."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tests.fuzz.values import SECRET

#: Seconds for one input; most take some hundredths of one.
PATIENCE = 25.0
_MEMORY = 2 << 30
_FILE = 256 << 20
_KEPT = 8 << 20


@dataclass(frozen=True)
class Done:
    """What one run left behind; a negative ``status`` is the signal that ended it."""

    status: int
    out: bytes
    err: bytes
    seconds: float
    peak_mb: float
    late: bool = False


def run_htcq(words: Sequence[str], place: Path, room: Path) -> Done:
    """Run ``htcq words`` in ``place``; streams and temporary files are in ``room``."""
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        _become(words, place, room)
    late, usage, status = _wait(pid, began + PATIENCE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    seconds = time.monotonic() - began
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Done(
        code, _read(room / "out"), _read(room / "err"), seconds, usage.ru_maxrss / 1024, late
    )


def _wait(pid: int, deadline: float) -> tuple[bool, resource.struct_rusage, int]:
    """Wait for the end of the child, or end it; a timer interrupts the waiting."""
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, max(0.01, deadline - time.monotonic()))
    try:
        _, status, usage = os.wait4(pid, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.monotonic() >= deadline, usage, status


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_KEPT)


def _become(words: Sequence[str], place: Path, room: Path) -> NoReturn:
    try:
        os.setsid()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(place)
        for stream, name in ((1, "out"), (2, "err")):
            handle = os.open(room / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(handle, stream)
            os.close(handle)
        nothing = os.open("/dev/null", os.O_RDONLY)
        os.dup2(nothing, 0)
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        sys.stdout = io.TextIOWrapper(
            io.FileIO(1, "w", closefd=False), "utf-8", "strict", write_through=True
        )
        sys.stderr = io.TextIOWrapper(
            io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True
        )
        os.environ["TMPDIR"] = str(room / "tmp")
        os.environ["HTCQ_FUZZ_SECRET"] = SECRET
        tempfile.tempdir = None
        for what, most in (
            (resource.RLIMIT_AS, _MEMORY),
            (resource.RLIMIT_FSIZE, _FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most))
        sys.argv = ["htcq", *words]
        from htcq.__main__ import main

        main()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(70)
