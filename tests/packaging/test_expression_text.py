"""Texts of expressions are taken apart in classad/ alone: elsewhere no regular expression looks into one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT

_FUNCTIONS = frozenset(
    ("compile", "sub", "subn", "match", "fullmatch", "search", "findall", "finditer", "split")
)
#: What only patterns have that look for parts of expressions: scopes, operators, functions, strings
#: with escapes.
_OF_CLASSADS = re.compile(
    r"""
    \b(?:my|target)\b(?!_)|\bisnt\b|ifthenelse|currenttime|evalin|countmatches|\btime\\s|undefined
    |=\\\?=|=!=|&&|\\\|\\\||\\\?:|\\\?\\s\*:
    |\[\^"\\\\\]
    """,
    re.VERBOSE | re.IGNORECASE,
)
MODULES = sorted(path for path in (ROOT / "htcq").rglob("*.py") if path.parent.name != "classad")


def patterns(source: str) -> Iterator[str]:
    """Yield the texts in all arguments of the functions of the module re."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _FUNCTIONS:
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_no_module_looks_into_an_expression() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {pattern}"
        for path in MODULES
        for pattern in patterns(path.read_text())
        if _OF_CLASSADS.search(pattern)
    ]

    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        'X = re.compile(r"\\b(MY|TARGET)\\s*\\.\\s*([A-Za-z_]\\w*)", re.IGNORECASE)',
        'X = re.compile(r"\\btime\\s*\\(\\s*\\)|\\bCurrentTime\\b")',
        'X = re.compile(r\'"((?:[^"\\\\]|\\\\.)*)"\')',
        'X = re.findall(r"=\\?=|=!=|&&", text)',
        'X = re.sub(rf"\\({name} \\?: 0\\)", text)',
    ],
)
def test_the_scanners_that_were_there_would_be_found(line: str) -> None:
    assert any(map(_OF_CLASSADS.search, patterns(f"import re\n{line}\n")))


def test_there_is_one_room_of_that_name() -> None:
    assert {path.parent for path in Path(ROOT / "htcq").rglob("tokens.py")} == {
        ROOT / "htcq/classad"
    }
