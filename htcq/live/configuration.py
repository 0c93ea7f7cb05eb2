"""HTCondor's own configuration parser, through its Python bindings.

The parser ends the process at a syntax error (src/condor_utils/config.cpp, 25.14), so it runs in
a process of its own. That process can be started early: it loads the bindings while the caller
does something else.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from htcq.classads import ends_at_macros
from htcq.errors import NESTED_VARIABLE, BindingsError, HtcqError, InputError
from htcq.live.process_limits import limit_process
from htcq.live.surviving import surviving
from htcq.passing import begin_child, forget_child

#: Appended to a text so that nothing of this machine's own configuration is read after it.
_ALONE = "\nUSER_CONFIG_FILE =\nLOCAL_CONFIG_FILE =\nLOCAL_CONFIG_DIR =\n"
#: userHome() would look up accounts of this machine.
_BLIND = "\nCLASSAD_ENABLE_USER_HOME = false\n"
#: What HTCondor sets to this machine's after it has read a text, whatever that says
#: (condor_config.cpp: reinsert_specials, 25.14). The text of another machine means that one's.
_OF_THIS_MACHINE = (
    "TILDE", "HOSTNAME", "FULL_HOSTNAME", "USERNAME", "REAL_UID", "REAL_GID", "PID", "PPID",
    "IP_ADDRESS", "IP_ADDRESS_IS_IPV6", "IPV4_ADDRESS", "IPV6_ADDRESS", "CONFIG_ROOT", "HOST_ALIAS",
    "DETECTED_CPUS", "DETECTED_CORES", "DETECTED_CPUS_LIMIT", "DETECTED_PHYSICAL_CPUS",
    "DETECTED_MEMORY", "UTSNAME_MACHINE", "UTSNAME_NODENAME", "UTSNAME_RELEASE", "UTSNAME_SYSNAME",
    "UTSNAME_VERSION",
)  # fmt: skip
#: A knob that nobody has: texts are expanded by giving them to it.
_SCRATCH = "HTCQ_SCRATCH"
#: Memory for HTCondor's parser and a text from elsewhere.
_MAX_MEMORY = 256 * 1024 * 1024
#: An empty configuration. "ONLY_ENV" would say the same once and for all: no later reload reads a
#: file after it.
_NOTHING = "/dev/null"
_NO_BINDINGS = "htcondor2"
#: Of processor time for a text from elsewhere; a real one takes less than one.
_MAX_SECONDS = 10
_USUAL_CONFIGURATIONS = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")


class ParserProcess:
    """A child process with the bindings loaded that runs one function and ends."""

    def __init__(self, configuration: str = _NOTHING, foreign: bool = False) -> None:
        """Start the child.

        ``foreign``: it reads a text from elsewhere, which must not see the environment of this
        process.
        """
        self._to_child, self._from_child, self._complaints, self._pid = _start(
            configuration, foreign
        )

    def call(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Run ``function`` in the child and return its result, or raise its error.

        The function must be importable by name.

        Raises:
            InputError: the child ended without an answer, as the parser does at a syntax error.
            HtcqError: whatever the function raised.
        """
        # A child that has ended already says why below.
        with contextlib.suppress(BrokenPipeError), os.fdopen(self._to_child, "wb") as out:
            pickle.dump((function, arguments), out)
        with os.fdopen(self._from_child, "rb") as answers:
            answer = answers.read()
        with os.fdopen(self._complaints, encoding="utf-8", errors="replace") as err:
            complaint = err.read()
        forget_child(self._pid)
        os.waitpid(self._pid, 0)
        if not answer:
            why = " ".join(complaint.split("\n")[-3:]).strip() or "no reason given"
            raise InputError(f"HTCondor cannot read it: {why}", "fix the template that wrote it")
        result, error = pickle.loads(answer)
        if error == _NO_BINDINGS:
            raise BindingsError(_NO_BINDINGS)
        if error is not None:
            raise error
        return result


def _start(configuration: str, foreign: bool) -> tuple[int, int, int, int]:
    questions, to_child = os.pipe()
    from_child, answers = os.pipe()
    complaints, stderr = os.pipe()
    pid = os.fork()
    if pid:
        begin_child(pid)
        for end in (questions, answers, stderr):
            os.close(end)
        return to_child, from_child, complaints, pid
    try:
        # The parent's end must not stay open here, or this process would wait forever when the
        # parent dies.
        for end in (to_child, from_child, complaints):
            os.close(end)
        os.dup2(stderr, 2)
        # That of this process may be another descriptor than 2.
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        if foreign:
            os.environ.clear()
            os.chdir("/")
        _answer(questions, answers, configuration)
    except Exception:
        # A mistake of our own must not pass for a text that HTCondor cannot read: its last lines
        # are the complaint.
        import traceback

        traceback.print_exc()
    finally:
        os._exit(1)


def _answer(questions: int, answers: int, configuration: str) -> None:
    """Load the bindings, run the requested function, and send its result or its error."""
    result: Any = None
    error: Any = None
    os.environ[NESTED_VARIABLE] = "1"
    if configuration:
        # Values from the environment would win over a text that is to be read alone.
        for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
            del os.environ[name]
        os.environ["CONDOR_CONFIG"] = configuration
    try:
        loaded = "htcondor2" in sys.modules
        import htcondor2

        if loaded:
            htcondor2.reload_config()
    except ImportError:
        error = _NO_BINDINGS
    with os.fdopen(questions, "rb") as asked:
        question = asked.read()
    if not question:
        return
    if error is None:
        function, arguments = pickle.loads(question)
        try:
            result = function(*arguments)
        except HtcqError as refused:
            error = refused
    with os.fdopen(answers, "wb") as out:
        pickle.dump((result, error), out)


def read_here(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` after ``text`` alone was read.

    Macros are expanded; names that are not defined are left out. Only inside a
    :class:`ParserProcess`.
    """
    import htcondor2

    handle = os.memfd_create("configuration")
    os.write(handle, (text + _ALONE).encode())
    os.environ["CONDOR_CONFIG"] = f"/proc/self/fd/{handle}"
    htcondor2.reload_config()
    return values_here(names)


def values_here(names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` in the configuration that is loaded.

    Macros are expanded; knobs that are not defined or empty are left out. ``PREFIX*`` stands for
    all knobs whose names begin so.
    """
    wanted = _wanted(names)
    found = surviving(_each_value, wanted) if ends_at_macros() else _each_value(wanted)
    return {name: value for name, value in found if value}


def _wanted(names: Sequence[str]) -> list[str]:
    """Return ``names`` with the knobs that those with an asterisk stand for."""
    import htcondor2

    wanted: list[str] = []
    for name in names:
        if name[-1] == "*":
            beginning = name[:-1].upper()
            wanted += [key for key in htcondor2.param if key.upper().startswith(beginning)]
        else:
            wanted.append(name)
    return wanted


def _each_value(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each knob with its text.

    Never with the value by its type: up to 25.12 the library ends the process where that cannot be
    computed, as MIN({, 10000}) for MAX_JOBS_RUNNING where DETECTED_MEMORY is not known, and later
    it answers with the default.
    """
    import htcondor2

    for name in names:
        yield name, expanded_here(htcondor2.param, f"$({name})")


def expanded_here(param: Any, text: str) -> str:
    """Return ``text`` with its macros expanded; empty where one of them has no value."""
    param[_SCRATCH] = text
    return str(param.get(_SCRATCH) or "")


def dump_here(text: str, names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values of ``names`` after ``text`` alone was read, and all of HTCondor's defaults.

    Only inside a :class:`ParserProcess`.
    """
    # A text from elsewhere may send the parser in circles, or let it grow; the system ends it then.
    limits = (
        (resource.RLIMIT_CPU, _MAX_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, _MAX_MEMORY),
    )
    limit_process((limit, most, most) for limit, most in limits)
    import htcondor2

    mine = {name.upper(): "" for name in htcondor2.param if name.upper() in _OF_THIS_MACHINE}
    _become(mine)
    defaults = {
        name: value for name, value in values_here(("*",)).items() if name.upper() not in mine
    }
    read_here(f"{text}{_BLIND}", ())
    _become({**mine, **_values_without_macros(text, mine)})
    return values_here(names), defaults


def _values_without_macros(text: str, names: Container[str]) -> dict[str, str]:
    """Return the values without macros that lines of ``text`` give to ``names`` (upper case)."""
    values = {}
    for line in text.splitlines():
        name, _, value = line.partition(" = ")
        if name.upper() in names and "$" not in value:
            values[name.upper()] = value
    return values


def _become(values: Mapping[str, str]) -> None:
    """Set the knobs that describe this machine; an empty value stands for an unknown one."""
    import htcondor2

    for name, value in values.items():
        htcondor2.param[name] = value


def read_dump(text: str, names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values of ``names`` after ``text`` alone was read, and all of HTCondor's defaults.

    Raises:
        BindingsError: the bindings cannot be imported.
        InputError: HTCondor's parser refuses the text.
    """
    values: tuple[dict[str, str], dict[str, str]] = ParserProcess(foreign=True).call(
        dump_here, text, names
    )
    return values


def read_configuration(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` after ``text`` alone was read.

    Raises:
        BindingsError: the bindings cannot be imported.
        InputError: HTCondor's parser refuses the text.
    """
    values: dict[str, str] = ParserProcess().call(read_here, text, names)
    return values


def own_configuration(names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` in this machine's own HTCondor configuration.

    They are empty where there is no configuration.
    """
    try:
        values: dict[str, str] = ParserProcess("").call(values_here, names)
    except HtcqError:
        return {}
    return values


def usual_configuration() -> str | None:
    """Return the main file of this machine's HTCondor configuration; None where there is none."""
    named = os.environ.get("CONDOR_CONFIG")
    places: Sequence[str] = _USUAL_CONFIGURATIONS
    if named:
        places = (named,)
    return next((each for each in places if os.access(each, os.R_OK)), None)


def installed_configuration() -> Callable[[Sequence[str]], Mapping[str, str]] | None:
    """Return :func:`own_configuration` where HTCondor is configured on this machine, else None."""
    readable = any(os.access(each, os.R_OK) for each in _USUAL_CONFIGURATIONS)
    if readable or "CONDOR_CONFIG" in os.environ:
        return own_configuration
    return None
