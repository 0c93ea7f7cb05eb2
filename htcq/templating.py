"""The one doorway to Jinja: strict, in its sandbox, and a site's own templates come first.

A template lies below ``templates/``: in an installed distribution inside the package, in a checkout
beside it.

Text for HTCondor (``condor/``) is a program to HTCondor's parser. Whatever values say, it has no
commands but those that stand in the templates themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from htcq.errors import TemplateError

_PACKAGED = Path(__file__).parent / "templates"
_CHECKOUT = Path(__file__).parent.parent / "templates"
_FOR_HTCONDOR = "condor/"
#: In the place of a value, in the source of a template: no value has this character.
_VALUE = "\0"
#: A product or a power in a template has at most so many characters, items or digits.
_MAX_SIZE = 100_000
#: What a template and its values may end in.
_FAILURES = (
    jinja2.TemplateError,
    ArithmeticError,
    LookupError,
    MemoryError,
    # Jinja writes a number that is too large into its code as the name inf.
    NameError,
    RecursionError,
    TypeError,
    ValueError,
)


def template_directory() -> Path:
    """Return the directory of the templates that htcq brings along."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


class _Sources(jinja2.FileSystemLoader):
    """Finds templates, and keeps what was read of them."""

    def __init__(self, places: list[str]) -> None:
        super().__init__(places)
        self.read: list[str] = []

    def get_source(self, environment: jinja2.Environment, template: str) -> Any:
        found = super().get_source(environment, template)
        self.read.append(found[0])
        return found


class _Sandbox(ImmutableSandboxedEnvironment):
    """Templates reach nothing but their values, and small sources do not make endless texts."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(
        self, context: jinja2.runtime.Context, operator: str, left: Any, right: Any
    ) -> Any:
        if _size(operator, left, right) > _MAX_SIZE:
            raise OverflowError(f"a result of '{operator}' is too long")
        return super().call_binop(context, operator, left, right)


def _size(operator: str, left: Any, right: Any) -> int:
    """Return about how many characters, items or digits the result has."""
    if isinstance(left, int) and isinstance(right, int):
        return (
            left.bit_length() * abs(right)
            if operator == "**"
            else left.bit_length() + right.bit_length()
        )
    for many, times in ((left, right), (right, left)):
        if hasattr(many, "__len__") and isinstance(times, int):
            return len(many) * times
    return 0


def render(name: str, values: Mapping[str, Any], site_directory: Path | None = None) -> str:
    """Return the template ``name`` filled with ``values``.

    A file of that name in ``site_directory`` replaces the template.

    Raises:
        TemplateError: there is no such directory or template, it does not parse, it uses an
            undefined variable or what the sandbox forbids, or a value would be a command to
            HTCondor.
    """
    if site_directory is not None and not site_directory.is_dir():
        raise TemplateError(
            f"templates: {site_directory} is not a directory", "give a directory that holds condor/"
        )
    places = [str(each) for each in (site_directory, template_directory()) if each is not None]
    sources = _Sources(places)
    environment = _Sandbox(
        loader=sources,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=name.endswith(".html.j2"),
    )
    for_htcondor = name.startswith(_FOR_HTCONDOR)
    if for_htcondor:
        _refuse_smuggling(name, values)
    try:
        text = environment.get_template(name).render(values)
    except _FAILURES as error:
        raise _template_error(name, error, places) from error
    if for_htcondor:
        _refuse_commands(name, text, "".join(_literal(environment, each) for each in sources.read))
    return text


def _template_error(name: str, error: Exception, places: Sequence[str]) -> TemplateError:
    """Return what a failure to render the template ``name`` means for the one who wrote it."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        place = f"{error.filename or name}, line {error.lineno}"
        return TemplateError(f"template {place}: {error.message}", "fix the template")
    if isinstance(error, jinja2.UndefinedError):
        hint = "its opening comment lists its variables"
        return TemplateError(f"template {name}: {error.message}", hint)
    if isinstance(error, jinja2.TemplateNotFound):
        hint = f"looked in {' and '.join(places)}"
        return TemplateError(f"template {error.name} is not there", hint)
    if isinstance(error, UnicodeDecodeError):
        return TemplateError(f"template {name} is not UTF-8 text", "save it as UTF-8")
    if isinstance(error, SecurityError):
        hint = "templates use their variables and nothing else"
        return TemplateError(f"template {name}: {error}", hint)
    return TemplateError(f"template {name} cannot be rendered: {error}", "fix the template")


def _refuse_smuggling(name: str, values: Mapping[str, Any]) -> None:
    """Refuse values that would end their line, or make the next one a part of it."""
    from htcq.pool.directives import smuggling

    found = smuggling(dict(values))
    if found is not None:
        raise TemplateError(
            f"template {name}: the value {found[:80]!r} does not stay on its line",
            "HTCondor would read the rest of it as a line of its own: give a value of one line",
        )


def _refuse_commands(name: str, text: str, source: str) -> None:
    """Refuse ``text`` with a command that ``source`` does not have.

    ``source`` is the text of all templates that were read.
    """
    from htcq.pool.directives import commands

    allowed = set(commands(source))
    for each in commands(text):
        if each not in allowed:
            raise TemplateError(
                (
                    f"template {name}: a value makes the line {each[:80]!r}, which is a command to "
                    "HTCondor"
                ),
                "commands must stand in the template word for word",
            )


def _literal(environment: jinja2.Environment, source: str) -> str:
    """Return the literal text of ``source``, with a mark in the place of each value."""
    parts = []
    for _, kind, token in environment.lex(source):
        if kind == "data":
            parts.append(token)
        elif kind == "variable_begin":
            parts.append(_VALUE)
    return "".join(parts)
