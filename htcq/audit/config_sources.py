"""The sources of a configuration: directories, files and commands that its text names.

Follows real_config of src/condor_utils/condor_config.cpp and parse_include_options of
config.cpp, HTCondor 25.14. Configuration files have ``include`` lines; the output of
``condor_config_val -dump`` has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.rule import Fact
from htcq.pool.configuration import Configuration

_INCLUDE = re.compile(r"@?include\b([^:]*):(.*)\Z", re.IGNORECASE | re.DOTALL)
_ERROR = re.compile(r"error\s*:", re.IGNORECASE)
_MACRO = re.compile(r"\$\(([A-Za-z0-9_.]+)(?::([^()]*))?\)")
_MAX_EXPANSIONS = 20


@dataclass(frozen=True)
class Command:
    """A command whose output is configuration.

    ``checked`` says whether HTCondor checks its exit status, ``cached`` whether it runs only once.
    """

    line: str
    checked: bool
    cached: bool
    fact: Fact


@dataclass(frozen=True)
class NamedFile:
    """A file that the configuration names or was read from."""

    path: str
    fact: Fact


def expanded(configuration: Configuration, text: str) -> str:
    """Return ``text`` with its macros filled in; one that is not known is empty."""
    for _ in range(_MAX_EXPANSIONS):
        found = _MACRO.search(text)
        if found is None:
            break
        name, default = found.groups()
        knob = configuration.knob(name)
        if knob is None:
            value = configuration.value(name, default or "")
        else:
            value = knob.value or knob.raw
        text = text[: found.start()] + value + text[found.end() :]
    return text


def directories(configuration: Configuration) -> tuple[str, ...]:
    """Return the directories of LOCAL_CONFIG_DIR."""
    return tuple(each.rstrip("/") for each in _listed(configuration, "LOCAL_CONFIG_DIR"))


def commands(configuration: Configuration) -> Iterator[Command]:
    """Yield the commands that the configuration is read from."""
    knob = configuration.knob("LOCAL_CONFIG_FILE")
    if knob is not None:
        text = expanded(configuration, knob.raw).strip()
        if text.endswith("|"):
            yield Command(text[:-1].strip(), True, False, Fact(knob.name, knob.raw, knob.place))
    for place, options, what in _includes(configuration):
        if "command" not in options and not what.endswith("|"):
            continue
        line = f"{' '.join(options)} : {what}".strip()
        fact = Fact("include", line, place)
        cached = "into" in options
        yield Command(what.rstrip("|").strip(), cached, cached, fact)


def files(configuration: Configuration) -> Iterator[NamedFile]:
    """Yield the files that the configuration names, and those that its knobs were set in."""
    knob = configuration.knob("LOCAL_CONFIG_FILE")
    if knob is not None and not knob.raw.rstrip().endswith("|"):
        for path in _listed(configuration, "LOCAL_CONFIG_FILE"):
            yield NamedFile(path, Fact(knob.name, knob.raw, knob.place))
    for place, options, what in _includes(configuration):
        if "command" not in options and not what.endswith("|"):
            fact = Fact("include", what, place)
            yield NamedFile(expanded(configuration, what), fact)
    seen: set[str] = set()
    for each in configuration:
        path = each.place.rpartition(":")[0]
        if path.startswith("/") and path not in seen:
            seen.add(path)
            yield NamedFile(path, Fact(each.name, each.raw, each.place))


def refuses_itself(configuration: Configuration) -> bool:
    """Return whether the configuration has an ``error`` statement, which can check the outcome."""
    return any(_ERROR.match(each.text) for each in configuration.statements)


def _includes(configuration: Configuration) -> Iterator[tuple[str, list[str], str]]:
    """Yield place, options and target of each ``include``."""
    for each in configuration.statements:
        found = _INCLUDE.match(each.text)
        if found:
            place = configuration.place_of(each)
            yield place, found.group(1).lower().split(), found.group(2).strip()


def _listed(configuration: Configuration, name: str) -> list[str]:
    # The knob's value is not evaluated: a configuration from another machine must not make
    # HTCondor read files here.
    knob = configuration.knob(name)
    if knob is None:
        return []
    return expanded(configuration, knob.raw).replace(",", " ").split()
