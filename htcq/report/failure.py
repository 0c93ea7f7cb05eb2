"""The error that ended a command, as one line and an exit status.

An :class:`HtcqError` says itself what is wrong. An error of the system has a name and a reason.
Everything else is a bug in htcq, and the line says where. No error has the exit status of a
finding.
"""

from __future__ import annotations

import os

import htcq
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, LIMITS_OPTION, HtcqError
from htcq.report.printable import one_line, tell
from htcq.time_limit import Late

#: If it is set, the traceback of an unexpected error is printed too.
TRACEBACK_VARIABLE = "HTCQ_TRACEBACK"
_REPORT = (
    f"report it with this line and the output of 'htcq --version'; {TRACEBACK_VARIABLE}=1 prints "
    "the traceback"
)
(_PACKAGE,) = htcq.__path__
#: What is no bug.
_PLAIN = (HtcqError, KeyboardInterrupt, Late)


def told(error: BaseException) -> int:
    """Print on standard error what ended the command and return its exit status."""
    if isinstance(error, BrokenPipeError):
        # Nobody reads on, as with head(1): that is no failure.
        return EXIT_FINE
    traced(error)
    tell(f"htcq: {reason(error)}")
    if isinstance(error, HtcqError):
        return error.exit_status
    return EXIT_UNKNOWN


def traced(error: BaseException) -> None:
    """Print the traceback of an unexpected error, where that is wanted."""
    if os.environ.get(TRACEBACK_VARIABLE) and not isinstance(error, _PLAIN):
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)


def reason(error: BaseException) -> str:
    """Return in one line what is wrong, with what to do about it in brackets."""
    message, hint = _message(error)
    if hint:
        message = f"{message} ({hint})"
    return one_line(message)


def _message(error: BaseException) -> tuple[str, str]:
    if isinstance(error, HtcqError):
        return str(error), error.hint
    if isinstance(error, Late):
        return str(error), "--deadline gives it more time"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", ""
    if isinstance(error, MemoryError):
        return (
            "there is not enough memory for it",
            f"{LIMITS_OPTION} raises the limit for data from elsewhere",
        )
    if isinstance(error, RecursionError):
        return (
            f"what was read is nested too deeply at {_place(error)}",
            "the input is damaged or hostile",
        )
    if isinstance(error, OSError):
        return _of_the_system(error), ""
    if isinstance(error, ImportError) and not str(error.name or "").startswith("htcq"):
        return f"a Python module cannot be loaded: {error}", "install htcq anew, with what it needs"
    kind = type(error).__name__
    return f"this is a bug in htcq: {kind}: {error} at {_place(error)}", _REPORT


def _of_the_system(error: OSError) -> str:
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"{why} at {_place(error)}"
    name = f"file {error.filename}"
    if isinstance(error.filename, (str, bytes)):
        name = os.fsdecode(error.filename)
    return f"{name}: {why}"


def _place(error: BaseException) -> str:
    """Return the last line of htcq that the error went through, as FILE:LINE."""
    place, frame = "htcq", error.__traceback__
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            place = f"htcq{file[len(_PACKAGE) :]}:{frame.tb_lineno}"
        frame = frame.tb_next
    return place
