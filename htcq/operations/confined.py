"""What strangers wrote is read and evaluated in a process that can do little.

:func:`confine` forks once all inputs are open. The child goes on with the command: as nobody
where it is root, without new privileges, core files and the caller's environment, and with
limits of memory and processor time. The parent waits, writes the files that the command line
names, ends a child that is stuck in one expression, and says what a limit ended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from htcq.errors import InputError

if TYPE_CHECKING:
    import socket

    from htcq.limits import Limits

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
#: In the place of this machine's configuration, which is not asked for.
_BLIND = {"CONDOR_CONFIG": "/dev/null"}
#: numpy's libraries would start a thread for each processor, whose stacks count as memory.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_NOBODY = 65534
#: Seconds between the soft and the hard limit of processor time.
_GRACE = 5
#: Of prctl(2).
_PR_SET_NO_NEW_PRIVS = 38


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
    """
    global _writer
    if not enabled or _writer is not None:
        return
    import signal
    import socket

    from htcq.operations import keeper

    sys.stdout.flush()
    sys.stderr.flush()
    ours, theirs = socket.socketpair()
    ticks, beat = os.pipe()
    complaints = os.memfd_create("complaints")
    parent = os.getpid()
    pid = os.fork()
    if pid:
        theirs.close()
        os.close(beat)
        child = keeper.Child(pid, ours, ticks, complaints, name, memory, seconds)
        try:
            status = keeper.keep(child, limits, files)
        finally:
            # A command that looks again and again has a child each time.
            ours.close()
            os.close(ticks)
            os.close(complaints)
        raise Confined(status)
    ours.close()
    os.close(ticks)
    _writer = theirs
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _speak_through(complaints)
    _drop_rights(parent)
    _set_limits(memory, seconds)
    _beat(beat)


def put_by_parent(name: str, text: str) -> bool:
    """Let the parent write the file ``name``; False in a process that can do so itself.

    Raises:
        InputError: it could not be written; nothing was changed.
    """
    if _writer is None:
        return False
    parts = [each.encode("utf-8", "backslashreplace") for each in (name, text)]
    for part in parts:
        _writer.sendall(len(part).to_bytes(8, "big"))
        _writer.sendall(part)
    answer = b""
    while not answer.endswith(b"\n"):
        part = _writer.recv(4096)
        if not part:
            raise InputError(f"{name} cannot be written", "the process that writes it has ended")
        answer += part
    if answer != b"\n":
        raise InputError(answer.decode("utf-8", "replace").strip(), "choose another place for it")
    return True


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


def _drop_rights(parent: int) -> None:
    """Give up what the child does not need."""
    import ctypes

    from htcq.live.deadline import die_with

    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(("LC_", "HTCQ_"))
    }
    os.environ.clear()
    os.environ.update({**kept, **_BLIND, **_ONE_THREAD})
    if os.geteuid() == 0:
        _become_nobody()
    ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # After the change of the user, which would make the kernel forget it.
    die_with(parent)


def _become_nobody() -> None:
    """Change the user for good, if that one can read the program itself."""
    groups, places = os.getgroups(), _places()
    try:
        os.setgroups([])
        os.setegid(_NOBODY)
        os.seteuid(_NOBODY)
    except OSError:
        # A root without the right to change users, as in some containers, has few others.
        return
    missing = next((place for place in places if not _can_be_listed(place)), "")
    os.seteuid(0)
    os.setegid(0)
    if missing:
        os.setgroups(groups)
        if sys.stderr.isatty():
            from htcq.report.printable import tell

            tell(f"htcq: goes on as root: nobody could not read {missing} (see LIMITS in htcq(1))")
        return
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def _places() -> list[str]:
    """Return the directories of the program, of Python and of what is loaded later."""
    from importlib.util import find_spec

    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    found = [find_spec(name) for name in ("classad2", "htcondor2", "jinja2", "numpy")]
    files += [spec.origin for spec in found if spec is not None]
    return sorted({os.path.dirname(file) for file in files if file})  # noqa: PTH120


def _can_be_listed(place: str) -> bool:
    try:
        os.listdir(place)  # noqa: PTH208
    except OSError:
        return False
    return True


def _set_limits(memory: int, seconds: int) -> None:
    import resource

    from htcq.live.process_limits import limit_process

    # Private memory that can be written; more than the limit, and an allocation fails. The hard
    # limit of time, which kills without a word that it was this, comes after the other.
    wanted = (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_DATA, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + _GRACE),
    )
    limit_process(wanted)


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
