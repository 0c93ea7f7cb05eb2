"""Configurations as HTCondor's own parser reads them: of this machine, and texts from elsewhere."""

from __future__ import annotations

import resource
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from htcq.classads import ends_at_macros
from htcq.library import ALONE, BLIND, BLINDING, is_configured, library, only
from htcq.live.parser_process import ParserProcess
from htcq.live.process_limits import data_now, limit_process
from htcq.live.surviving import surviving
from htcq.pool.precedence import Reading

#: What HTCondor sets to this machine's after it has read a text, whatever that says
#: (condor_config.cpp: reinsert_specials, 25.14). The text of another machine means that one's.
_OF_THIS_MACHINE = (
    "TILDE", "HOSTNAME", "FULL_HOSTNAME", "USERNAME", "REAL_UID", "REAL_GID", "PID", "PPID",
    "IP_ADDRESS", "IP_ADDRESS_IS_IPV6", "IPV4_ADDRESS", "IPV6_ADDRESS", "CONFIG_ROOT", "HOST_ALIAS",
    "NETWORK_HOSTNAME",
    "DETECTED_CPUS", "DETECTED_CORES", "DETECTED_CPUS_LIMIT", "DETECTED_PHYSICAL_CPUS",
    "DETECTED_MEMORY", "UTSNAME_MACHINE", "UTSNAME_NODENAME", "UTSNAME_RELEASE", "UTSNAME_SYSNAME",
    "UTSNAME_VERSION",
)  # fmt: skip
#: The schedd carries out this metaknob by itself from 25.14 on (param_info.in). Without it, what
#: the text does not say stays out of JOB_TRANSFORM_NAMES.
_WITHOUT_AUTOMATIC = "AUTO_USE_FEATURE_PelicanRetryPolicy = false\n"
#: A knob that nobody has: texts are expanded by giving them to it.
_SCRATCH = "HTCQ_SCRATCH"
#: Memory for HTCondor's parser and a text from elsewhere.
_MAX_MEMORY = 256 * 1024 * 1024
#: Of processor time for a text from elsewhere; a real one takes less than one.
_MAX_SECONDS = 10


def read_here(text: str, names: Sequence[str], subsystem: str = "") -> dict[str, str]:
    """Return the values of ``names`` after ``text`` alone was read, as ``subsystem`` reads it.

    Macros are expanded; names that are not defined are left out. Without a subsystem it is that of
    the last reading. Only inside a :class:`ParserProcess`.
    """
    if subsystem:
        htcondor2 = library().htcondor2
        htcondor2.set_subsystem(subsystem, htcondor2.SubsystemType.Tool)
    with only(text + ALONE):
        library().htcondor2.reload_config()
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
    wanted: list[str] = []
    for name in names:
        if name[-1] == "*":
            beginning = name[:-1].upper()
            defined = library().htcondor2.param
            wanted += [key for key in defined if key.upper().startswith(beginning)]
        else:
            wanted.append(name)
    return wanted


def _each_value(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each knob with its text.

    Never with the value by its type: up to 25.12 the library ends the process where that cannot be
    computed, as MIN({, 10000}) for MAX_JOBS_RUNNING where DETECTED_MEMORY is not known, and later
    it answers with the default.
    """
    for name in names:
        yield name, expanded_here(library().htcondor2.param, f"$({name})")


def expanded_here(param: Any, text: str) -> str:
    """Return ``text`` with its macros expanded; empty where one of them has no value."""
    param[_SCRATCH] = text
    return str(param.get(_SCRATCH) or "")


Dump = tuple[dict[str, str], dict[str, str], list[dict[str, str]]]


def dump_here(text: str, names: Sequence[str], of_daemons: Sequence[Reading]) -> Dump:
    """Return the values of ``names`` after ``text`` alone was read, and all of HTCondor's defaults.

    The third part are the values of ``of_daemons``, each read with its own subsystem. Only inside a
    :class:`ParserProcess`.
    """
    # A text from elsewhere may send the parser in circles, or let it grow; the system ends it then.
    limits = (
        (resource.RLIMIT_CPU, _MAX_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, data_now() + _MAX_MEMORY),
    )
    limit_process((limit, most, most) for limit, most in limits)
    param = library().htcondor2.param
    mine = {name.upper(): "" for name in param if name.upper() in _OF_THIS_MACHINE}
    _become(mine)
    no_defaults = {*mine, BLINDING}
    defaults = {
        name: value
        for name, value in values_here(("*",)).items()
        if name.upper() not in no_defaults
    }
    read_here(f"{text}{BLIND}", ())
    _become({**mine, **_values_without_macros(text, mine)})
    values, seen = values_here(names), list[dict[str, str]]()
    for each in of_daemons:
        read_here(f"{_WITHOUT_AUTOMATIC}{each.text}{BLIND}", (), each.subsystem)
        _become({**mine, **_values_without_macros(each.text, mine), **each.specials})
        seen.append(values_here(each.names))
    return values, defaults, seen


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
    for name, value in values.items():
        library().htcondor2.param[name] = value


def read_dump(text: str, names: Sequence[str], of_daemons: Sequence[Reading] = ()) -> Dump:
    """Return what :func:`dump_here` returns, from a process of its own.

    Raises:
        BindingsError: the bindings cannot be imported.
        UnreadableError: HTCondor's parser refuses the text, or does not come to an end.
    """
    found: Dump = ParserProcess(foreign=True).call(dump_here, text, names, of_daemons)
    return found


def read_configuration(text: str, names: Sequence[str], subsystem: str = "") -> dict[str, str]:
    """Return the values of ``names`` after ``text`` alone was read, as ``subsystem`` reads it.

    Raises:
        BindingsError: the bindings cannot be imported.
        InputError: HTCondor's parser refuses the text.
    """
    values: dict[str, str] = ParserProcess().call(read_here, text, names, subsystem)
    return values


def own_configuration(names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` in this machine's own HTCondor configuration.

    They are empty where there is no configuration.

    Raises:
        BindingsError: the bindings cannot be imported.
        UnreadableError: HTCondor's parser refuses the configuration.
    """
    values: dict[str, str] = ParserProcess(own=True).call(values_here, names)
    return values


def installed_configuration() -> Callable[[Sequence[str]], Mapping[str, str]] | None:
    """Return :func:`own_configuration` where HTCondor is configured on this machine, else None."""
    return own_configuration if is_configured() else None
