"""Everything that htcq can refuse, as one small tree.

A message says what is wrong in one line; a hint says what to do about it. Only ``htcq.cli``
turns them into text and an exit status, so the numbers stand here once.
"""

from __future__ import annotations

EXIT_FINE = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_UNKNOWN = 3

#: Set to 1 in the environment of everything of HTCondor's that htcq starts: ``htcq emit`` may stand
#: in condor_config as ``include command``, and an htcq that finds this set answers nothing, which
#: ends the circle.
NESTED_VARIABLE = "HTCQ_NESTED"

#: The option that raises all limits of what a pool holds.
LIMITS_OPTION = "--limits"
#: The option that lets root evaluate strangers' data where they cannot be confined, and the
#: variable that stands for it.
UNCONFINED_OPTION, UNCONFINED_VARIABLE = "--unconfined", "HTCQ_UNCONFINED"

#: A message is a line; of a longer one the beginning and the end are kept.
_MAX_LETTERS, _MAX_BEGINNING, _MAX_END = 800, 500, 200


class HtcqError(Exception):
    """Something htcq refuses or cannot do; ``hint`` says what would help."""

    exit_status = EXIT_USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(shortened(message))
        self.hint = shortened(hint)


def shortened(text: str) -> str:
    """Return ``text`` without its middle where it is too long to be read.

    A name can have thousands of letters.
    """
    if len(text) <= _MAX_LETTERS:
        return text
    return f"{text[:_MAX_BEGINNING]} … {text[-_MAX_END:]}"


class InputError(HtcqError):
    """What the user gave cannot be used: a flag, a file, an amount."""


class UnreadableError(InputError):
    """A configuration that HTCondor's parser could not read: what depends on it is not known."""

    exit_status = EXIT_UNKNOWN


class ModelError(HtcqError):
    """A claim-capacity model that the node cannot carry."""


class PolicyError(HtcqError):
    """A policy that would crash, stall or deceive an HTCondor daemon."""


class TemplateError(HtcqError):
    """A template that cannot be rendered."""


class InstallError(HtcqError):
    """A place where configuration cannot or should not be written."""


class ProbeError(HtcqError):
    """This machine could not be examined."""

    exit_status = EXIT_UNKNOWN


class PoolError(HtcqError):
    """A pool that cannot be asked, or that refuses to answer."""

    exit_status = EXIT_UNKNOWN


class AnonymityError(HtcqError):
    """A snapshot that should be anonymous and names somebody."""

    exit_status = EXIT_UNKNOWN


class HistoryError(HtcqError):
    """The history on disk cannot be read or written."""

    exit_status = EXIT_UNKNOWN


class JournalError(HtcqError):
    """The journal of the quota writer cannot be read or written."""

    exit_status = EXIT_UNKNOWN


class OutputError(HtcqError):
    """What htcq found or made cannot be written: a full disk, a closed stream."""

    exit_status = EXIT_UNKNOWN


class ConfinementError(HtcqError):
    """Strangers' data that would be evaluated by a process that can do too much."""

    exit_status = EXIT_UNKNOWN


class EvaluationError(HtcqError):
    """What ended an evaluation in another process: ``exit_status`` is that of its own error."""

    def __init__(self, message: str, hint: str, exit_status: int) -> None:
        super().__init__(message, hint)
        self.exit_status = exit_status


class NestedError(HtcqError):
    """A tool of HTCondor that htcq runs has started htcq again."""

    exit_status = EXIT_UNKNOWN


class LockedError(HtcqError):
    """Another htcq is at work in the same place."""

    exit_status = EXIT_UNKNOWN


class RefusedError(HtcqError):
    """What is known of a pool is too little, or too old, to act on."""

    exit_status = EXIT_UNKNOWN


class BudgetError(HtcqError):
    """What strangers wrote takes more of this machine than it may."""

    exit_status = EXIT_UNKNOWN


class BindingsError(HtcqError):
    """The Python bindings of HTCondor are not installed."""

    exit_status = EXIT_UNKNOWN

    def __init__(self, wanted: str) -> None:
        super().__init__(
            f"HTCondor's Python bindings are missing ({wanted})",
            (
                "install the package python3-condor (Enterprise Linux) or condor (Debian), or "
                "'python3 -m pip install htcondor'"
            ),
        )
