"""Scripts by which shells complete command lines of htcq, from what its commands take.

The words of a place (``elastic plan``) are known without running htcq: a script holds them all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from htcq.templating import render

FILE, DIRECTORY, HOST, WORDS, LIST, ANY = "file", "directory", "host", "words", "list", "any"
#: No completion shows more of what an option does.
_WIDEST = 78
_AFTERTHOUGHT = re.compile(r" \(|; |: |, such as ")


@dataclass(frozen=True)
class Value:
    """What an option or a command takes: its name in the help, its kind, and the known words."""

    label: str
    kind: str
    words: Sequence[str] = ()


@dataclass(frozen=True)
class Option:
    """An option, by all its spellings; those of HTCondor's tools are understood, not offered."""

    names: Sequence[str]
    summary: str
    value: Value | None = None
    value_required: bool = True
    repeatable: bool = False

    @property
    def offered(self) -> Sequence[str]:
        """The spellings of which htcq's own messages speak: --pool and -V, not -pool."""
        return [name for name in self.names if len(name) == 2 or name.startswith("--")]


@dataclass(frozen=True)
class Place:
    """A command or an action: what may follow it."""

    path: str
    options: Sequence[Option]
    #: Words that lead to another place, each with what it does.
    actions: Mapping[str, str]
    operand: Value | None = None


def summary_of(text: str) -> str:
    """Return the first thought of a help, short enough for one line."""
    plain = " ".join(text.split())
    first = _AFTERTHOUGHT.split(plain)[0]
    if len(first) < len("show this"):
        first = plain
    if len(first) <= _WIDEST:
        return first
    return first[: _WIDEST - 1].rpartition(" ")[0] + "…"


def completion_script(shell: str, places: Sequence[Place]) -> str:
    """Return what ``shell`` reads to complete the command lines of ``places``."""
    entries = _ENTRIES[shell]
    values = {
        "known": [each.path for each in places if each.path],
        "places": [entries(each) for each in places],
    }
    return render(f"completion/htcq.{shell}.j2", values)


# bash
# --------------------------------------------------------------------------------------------------


def _bash(place: Place) -> dict[str, object]:
    """Return the values of one place; options whose values are completed alike share a line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for option in place.options:
        if option.value is not None:
            offered = (option.value.kind, " ".join(option.value.words))
            alike.setdefault(offered, []).extend(option.names)
    operand = place.operand or Value("", ANY)
    return {
        "path": place.path,
        "options": " ".join(name for each in place.options for name in each.offered),
        "actions": " ".join(place.actions),
        "values": [
            {"names": "|".join(names), "kind": kind, "words": words}
            for (kind, words), names in alike.items()
        ],
        "operand": {"kind": operand.kind, "words": " ".join(operand.words)},
    }


# zsh
# --------------------------------------------------------------------------------------------------


def _zsh(place: Place) -> dict[str, object]:
    specs = [_zsh_option(name, each) for each in place.options for name in each.names]
    if place.operand is not None:
        specs.append(f"::{_zsh_value(place.operand)}")
    actions = [f"{name}:{_zsh_text(summary)}" for name, summary in place.actions.items()]
    return {
        "path": place.path,
        "specs": [shlex.quote(each) for each in specs],
        "actions": [shlex.quote(each) for each in actions],
    }


def _zsh_option(name: str, option: Option) -> str:
    """Return one spelling: those of one option exclude each other unless it may be repeated."""
    before = f"({' '.join(option.names)})"
    if option.repeatable:
        before = "*"
    if name not in option.offered:
        before = "!" + before
    text = f"[{_zsh_text(option.summary)}]"
    if option.value is None:
        return f"{before}{name}{text}"
    equals = "=" * name.startswith("--")
    colons = ":" * (1 if option.value_required else 2)
    return f"{before}{name}{equals}{text}{colons}{_zsh_value(option.value)}"


def _zsh_value(value: Value) -> str:
    actions = {
        FILE: "_files",
        DIRECTORY: "_files -/",
        HOST: "_hosts",
        WORDS: f"({' '.join(value.words)})",
        LIST: f" _values -s , {shlex.quote(value.label)} {' '.join(value.words)}",
        ANY: "()",
    }
    return f"{_zsh_text(value.label)}:{actions[value.kind]}"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


# fish
# --------------------------------------------------------------------------------------------------


def _fish(place: Place) -> dict[str, object]:
    lines = [
        f"-a {_fish_quoted(name)} -d {_fish_quoted(summary)}"
        for name, summary in place.actions.items()
    ]
    lines += [_fish_option(each) for each in place.options]
    if place.operand is not None and place.operand.kind != ANY:
        lines.append(_fish_value(place.operand).replace("-x ", "").replace("-r ", ""))
    return {"path": place.path, "lines": lines}


def _fish_option(option: Option) -> str:
    parts = []
    for name in option.offered:
        letter = "l"
        if len(name) == 2:
            letter = "s"
        parts.append(f"-{letter} {name.lstrip('-')}")
    if option.value is not None:
        parts.append(_fish_value(option.value))
    return f"{' '.join(parts)} -d {_fish_quoted(option.summary)}"


def _fish_value(value: Value) -> str:
    words = " ".join(value.words)
    return {
        FILE: "-r -F",
        DIRECTORY: "-x -a '(__fish_complete_directories)'",
        HOST: "-x -a '(__fish_print_hostnames)'",
        WORDS: f"-x -a {_fish_quoted(words)}",
        LIST: f"-x -a '(__htcq_list {words})'",
        ANY: "-x",
    }[value.kind]


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_ENTRIES: Mapping[str, Callable[[Place], dict[str, object]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
SHELLS = tuple(_ENTRIES)
