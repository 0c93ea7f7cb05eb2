"""What strangers wrote is read and evaluated in a process that can do little.

:func:`confine` forks once all inputs are open. The child goes on with the command: as nobody
where it is root, without new privileges, core files and the caller's environment, and with
limits of memory, processor time and files, and with system calls that read and compute alone. The
parent waits, writes the files that the command line names, ends a child that is stuck in one
expression and all that it started, and says what a limit ended.

Where more than a file comes of it, as in the history or in a configuration, :func:`evaluated` has
the child evaluate and end: the parent gets a record, and goes on with the command.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.errors import (
    EXIT_FINE,
    LIMITS_OPTION,
    UNCONFINED_OPTION,
    BudgetError,
    ConfinementError,
    InputError,
)

if TYPE_CHECKING:
    import socket

    from htcq.limits import Limits
    from htcq.operations.rungs import Rung

#: Set by ``htcq.__main__``: a process that is no command of its own is never forked.
enabled = False
#: In the child: the way to the parent, which writes files.
_writer: socket.socket | None = None
#: Variables that the child keeps; HTCQ_ variables besides.
_KEPT = frozenset(
    (
        "LANG",
        "LANGUAGE",
        "TERM",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "TZ",
        "PATH",
        "HOME",
    )
)
#: The last of the standard streams.
_STANDARD = 2
#: In the place of this machine's configuration, which is not asked for.
_BLIND = {"CONDOR_CONFIG": "/dev/null"}
#: numpy's libraries would start a thread for each processor, whose stacks count as memory.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Ended:
    """How a child has ended: its exit status, and the record that it gave, if any."""

    status: int
    record: bytes | None


class Confined(SystemExit):
    """The rest of the command ran in a child, whose exit status this is."""


def confine(
    name: str, limits: Limits, memory: int, seconds: int, files: Sequence[str] = ()
) -> None:
    """Go on in a child process; the parent ends with the child's exit status and does not return.

    ``name`` is the pool's, for messages; ``memory`` in bytes, ``seconds`` of processor time,
    ``files`` what the child may have written: files, and directories for new files, whose names end
    in a slash.

    Raises:
        BudgetError: in the parent, where a limit ended the child.
        ConfinementError: in the child, where root would not be confined.
    """
    if not enabled or _writer is not None:
        return
    begun = _begun(name, limits, memory, seconds, files)
    if isinstance(begun, Ended):
        raise Confined(begun.status)
    begun()


def evaluated(
    work: Callable[[], object], name: str, limits: Limits, memory: int, seconds: int
) -> object:
    """Return what ``work`` finds in a child process, as plain values of JSON, and go on here.

    ``work`` prints what it has to print, and writes nothing. The other parameters are those of
    :func:`confine`. What is returned may be anything of JSON: ``htcq.operations.handed_over`` makes
    records of it.

    Raises:
        BudgetError: a limit ended the child.
        ConfinementError: what it found cannot be read.
        EvaluationError: it failed, or root would not be confined.
    """
    from htcq.operations.handed_over import failed, found_in, text_of

    if not enabled or _writer is not None:
        return found_in(text_of({"found": work()}))
    channels = _open_channels()
    begun = _begun(name, limits, memory, seconds, ())
    if isinstance(begun, Ended):
        if begun.record is None or begun.status != EXIT_FINE:
            if _nobody_reads():
                raise Confined(begun.status)
            # A loop goes on: whoever took over the child would end it without a word.
            raise ConfinementError(f"{name}: the process that evaluates it ended without a record")
        return found_in(begun.record)
    for each in channels:
        os.close(each)
    try:
        begun()
        record = text_of({"found": work()})
        _flush()
    except BrokenPipeError:
        # Nobody reads what it prints.
        raise Confined(EXIT_FINE) from None
    except Exception as error:
        record = failed(error)
    _hand_over(record)
    raise Confined(EXIT_FINE)


def _begun(
    name: str, limits: Limits, memory: int, seconds: int, files: Sequence[str]
) -> Ended | Callable[[], None]:
    """Fork; return in the parent how the child has ended.

    In the child, what refuses to go on where it could do more than strangers' data may.
    """
    global _writer
    import signal
    import socket

    from htcq.operations import keeper
    from htcq.operations.rungs import give_up

    _flush()
    ours, theirs = socket.socketpair()
    ticks, beat = os.pipe()
    complaints = os.memfd_create("complaints")
    parent = os.getpid()
    keeper.guard()
    pid = os.fork()
    if pid:
        theirs.close()
        os.close(beat)
        child = keeper.Child(pid, ours, ticks, complaints, name, memory, seconds)
        try:
            return Ended(*keeper.keep(child, limits, files))
        finally:
            # A command that looks again and again has a child each time.
            ours.close()
            os.close(ticks)
            os.close(complaints)
    ours.close()
    os.close(ticks)
    _writer = theirs
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _speak_through(complaints)
    _empty_environment()
    _beat(beat)
    was_root = os.geteuid() == 0
    rungs = give_up(parent, memory, seconds)
    if limits.unconfined:
        rungs = ()
    return lambda: _judge(rungs, was_root)


def _open_channels() -> list[int]:
    """Return the pipes and sockets that are open beside the standard streams.

    They lead to processes that are not confined, and that believe what they are told.
    """
    found = []
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):
            mode = os.fstat(int(name)).st_mode
            if int(name) > _STANDARD and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
                found.append(int(name))
    return found


def _flush() -> None:
    """Write what is printed so far."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _nobody_reads() -> bool:
    """Return whether standard output is a pipe whose other end is closed."""
    import select

    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError):
        # There is none (None), or it is kept in memory.
        return False
    poll = select.poll()
    poll.register(number, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _hand_over(record: bytes) -> None:
    """Give ``record`` to the parent, or why it cannot have it."""
    from htcq.operations.handed_over import RECORD, failed

    told = _asked(RECORD.encode(), record)
    if told:
        long = BudgetError(told, f"{LIMITS_OPTION} raises the limit")
        _asked(RECORD.encode(), failed(long))
    sys.stderr.flush()


def put_by_parent(name: str, text: str) -> bool:
    """Let the parent write the file ``name``; False in a process that can do so itself.

    Raises:
        InputError: it could not be written; nothing was changed.
    """
    if _writer is None:
        return False
    told = _asked(*(each.encode("utf-8", "backslashreplace") for each in (name, text)))
    if told:
        raise InputError(told, "choose another place for it")
    return True


def _asked(name: bytes, content: bytes) -> str:
    """Ask the parent to take what is called ``name``; return why it did not, empty where it did."""
    if _writer is None:
        return "there is no other process"
    for part in (name, content):
        _writer.sendall(len(part).to_bytes(8, "big"))
        _writer.sendall(part)
    answer = b""
    while not answer.endswith(b"\n"):
        part = _writer.recv(4096)
        if not part:
            return f"{name.decode('utf-8', 'replace')}: the process that writes it has ended"
        answer += part
    return answer.decode("utf-8", "replace").strip()


def _speak_through(complaints: int) -> None:
    """Leave standard error to Python alone; messages of libraries go to ``complaints``.

    Libraries print them before they end the process.
    """
    if _is_standard_error():
        sys.stderr = os.fdopen(
            os.dup(2), "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1
        )
    os.dup2(complaints, 2)


def _is_standard_error() -> bool:
    """Return whether Python's messages go to standard error.

    Those of an item of a sweep are kept in memory.
    """
    try:
        return sys.stderr.fileno() == 2
    except OSError:
        return False


def _empty_environment() -> None:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(("LC_", "HTCQ_"))
    }
    os.environ.clear()
    os.environ.update({**kept, **_BLIND, **_ONE_THREAD})


def _judge(rungs: Sequence[Rung], was_root: bool) -> None:
    """Refuse to go on as root without a rung, and tell others what is missing.

    Raises:
        ConfinementError: this process could do more than strangers' data may.
    """
    missing = [f"{each.name}: {each.missing}" for each in rungs if each.missing and not each.extra]
    if not missing:
        return
    if was_root:
        raise ConfinementError(
            f"root evaluates no ads where that cannot be confined: {'; '.join(missing)}",
            f"run it as another account, or with {UNCONFINED_OPTION}; see LIMITS in htcq(1)",
        )
    from htcq.report.printable import tell

    tell(
        f"htcq: the evaluation is not wholly confined: {'; '.join(missing)} (see LIMITS in htcq(1))"
    )


def _beat(beat: int) -> None:
    """Tell the parent each second of processor time, and also that Python itself still runs.

    The first is written by the signal's handler at once, the second when the ClassAd library
    gives control back.
    """
    import signal

    def alive(number: int, frame: object) -> None:
        try:
            os.write(beat, b"\0")
        except BlockingIOError:
            # The parent has enough of them to read.
            return

    os.set_blocking(beat, False)
    signal.signal(signal.SIGPROF, alive)
    signal.set_wakeup_fd(beat, warn_on_full_buffer=False)
    signal.setitimer(signal.ITIMER_PROF, 1, 1)
