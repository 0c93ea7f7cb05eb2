"""SYNOPSIS and OPTIONS of a command's page, as Markdown, from the parser of the command itself.

A page has the line ``<!-- synopsis -->`` where the synopses stand, and ``<!-- options -->``
where the options stand.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence

from htcq.capacity.choice import MODELS
from htcq.cli.main import COMMANDS, parser_of

SYNOPSIS, OPTIONS = "<!-- synopsis -->", "<!-- options -->"
#: What in a help is typed as it stands: a command or text in quotes, an option, an assignment, a
#: file.
_TYPED = re.compile(
    r"'(?P<quoted>[^']+)'|\"(?P<text>[^\"]+)\"|(?P<option>(?<![\w-])--?[a-z][a-z-]*)|(?P<assignment>\b\w[\w:]*=[\w./]+)"
)
#: The name of a model at the beginning of a help.
_MODEL = re.compile(rf"(?P<model>{'|'.join(MODELS)}): ")


def with_options(name: str, text: str) -> str:
    """Return the text of the page ``name`` with the synopses and options of its command in their places."""
    command = name.partition("-")[2]
    if command not in COMMANDS:
        return text
    parsers = list(_parsers(parser_of(command)))
    return text.replace(SYNOPSIS, "\n\n".join(map(synopsis, parsers))).replace(
        OPTIONS, "\n\n".join(options(parsers))
    )


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield ``parser`` if it does anything by itself, and the parsers of its actions."""
    choosers = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not any(chooser.required for chooser in choosers):
        yield parser
    for chooser in choosers:
        for chosen in chooser.choices.values():
            yield from _parsers(chosen)


def _arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return what is told of: neither former spellings, nor help, nor what takes an action."""
    kinds = (argparse._HelpAction, argparse._SubParsersAction)
    return [
        each
        for each in parser._actions
        if not isinstance(each, kinds) and each.help != argparse.SUPPRESS
    ]


# Synopsis
# ---------------------------------------------------------------------------------------------------------


def synopsis(parser: argparse.ArgumentParser) -> str:
    """Return the block with the synopsis of one parser: those that exclude each other stand together."""
    lines = [parser.prog]
    told: set[int] = set()
    for action in _arguments(parser):
        if id(action) in told:
            continue
        group = next(
            (each for each in parser._mutually_exclusive_groups if action in each._group_actions),
            None,
        )
        together = [action] if group is None else group._group_actions
        told.update(map(id, together))
        required = action.required if group is None else group.required
        lines.append(_choice(together, required))
    return "```synopsis\n" + "\n  ".join(lines) + "\n```"


def _choice(actions: Sequence[argparse.Action], required: bool) -> str:
    """Return options of which one may be given, with what says that it may be left out, or given again."""
    text = " | ".join(map(_usage, actions))
    again = "..." if all(isinstance(each, argparse._AppendAction) for each in actions) else ""
    if required:
        return f"{{{text}}}{again}" if len(actions) > 1 else text + again
    return f"[{text}]{again}"


def _usage(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar)
    value = _value(action)
    return f"{_name(action)} {value}" if value else _name(action)


def _name(action: argparse.Action) -> str:
    """Return the option in the spelling with two dashes."""
    return max(action.option_strings, key=len)


def _value(action: argparse.Action) -> str:
    if action.nargs == 0 or action.metavar is None:
        return ""
    return f"[{action.metavar}]" if action.nargs == "?" else str(action.metavar)


# Options
# ----------------------------------------------------------------------------------------------------------


def options(parsers: Sequence[argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the blocks that describe all options; those that several actions have stand once, before the others."""
    if len(parsers) == 1:
        yield from _groups(parsers[0])
        yield _help()
        return
    shared = _shared(parsers)
    yield "### Options of several actions"
    yield from shared
    yield _help()
    for parser in parsers:
        alone = [entry for entry in map(_entry, _arguments(parser)) if entry not in shared]
        if alone:
            yield f"### Options of {parser.prog}"
            yield from alone


def _shared(parsers: Sequence[argparse.ArgumentParser]) -> list[str]:
    """Return what describes options of several actions: of several descriptions of one option the most frequent."""
    described: dict[str, list[str]] = {}
    for parser in parsers:
        for action in _arguments(parser):
            described.setdefault(
                _name(action) if action.option_strings else action.dest, []
            ).append(_entry(action))
    most = [max(dict.fromkeys(entries), key=entries.count) for entries in described.values()]
    return [entry for entry, entries in zip(most, described.values()) if entries.count(entry) > 1]


def _groups(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of one parser by the groups that '--help' shows."""
    told = set(map(id, _arguments(parser)))
    groups = [
        (each.title, [one for one in each._group_actions if id(one) in told])
        for each in parser._action_groups
    ]
    plain, titled = groups[:2], groups[2:]
    for _, actions in plain:
        yield from map(_entry, actions)
    for title, actions in titled:
        if actions:
            yield f"### Options: {title}"
            yield from map(_entry, actions)


def _help() -> str:
    return _definition("`-h`, `--help`", "List the options.")


def _entry(action: argparse.Action) -> str:
    """Return one option with what it does, in the words of its help."""
    value = _value(action)
    written = f" *{_plain(value)}*" if value else ""
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    return _definition(
        f"{names}{written}" if names else f"*{_plain(str(action.metavar))}*", _sentence(action)
    )


def _definition(term: str, text: str) -> str:
    return f"- {term}\n\n  {text}"


def _sentence(action: argparse.Action) -> str:
    """Return the help as a sentence of Markdown: what is typed as code, what the user replaces in italics."""
    text = (action.help or "").replace("%%", "%")
    model = _MODEL.match(text)
    if model:
        return f"Model `{model['model']}`: {_marked(text[model.end() :])}."
    return f"{_marked(text[:1].upper() + text[1:])}."


def _marked(text: str) -> str:
    pieces: list[str] = []
    end = 0
    for match in _TYPED.finditer(text):
        pieces += [_plain(text[end : match.start()]), f"`{match['quoted'] or match[0]}`"]
        end = match.end()
    pieces.append(_plain(text[end:]))
    return "".join(pieces)


def _plain(text: str) -> str:
    """Return ``text`` so that nothing of it is markup."""
    return re.sub(r"([\\`*_\[\]<>&#|~])", r"\\\1", text)
