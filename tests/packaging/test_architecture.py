"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "htcq").rglob("*.py"))
#: Rooms that compute and touch nothing.
CORE = (
    "audit",
    "drift",
    "negotiate",
    "settings",
    "node.py",
    "classads.py",
    "units.py",
    "errors.py",
    "capacity",
    "policy",
    "pool",
    "quota",
)
#: Words that promise work instead of doing it.
UNFINISHED = re.compile(r"\b(TO" "DO|FIX" r"ME|XXX|HACK|NotImplementedError|place" r"holder)\b")
MAX_LINES, MAX_FUNCTION_LINES = 400, 60


def _core() -> list[Path]:
    return [path for path in SOURCES if path.relative_to(ROOT / "htcq").parts[0] in CORE]


def _tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(name)
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_imports_point_downwards_and_libraries_have_one_doorway() -> None:
    done = _tool("lint-imports", "--no-cache")

    assert done.returncode == 0, done.stdout


def test_the_core_has_files_and_they_are_found() -> None:
    assert len(_core()) > 10


@pytest.mark.parametrize("path", _core(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_core_opens_nothing_and_reads_no_clock(path: Path) -> None:
    """Modules of input and output are forbidden by import contracts; these need no import."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    methods = {call.attr for call in calls if isinstance(call, ast.Attribute)}

    assert names & {"open", "print", "input", "exec", "eval", "__import__"} == set()
    assert methods & {"now", "today", "utcnow", "read_text", "write_text", "getenv"} == set()


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
    assert [(name, lines) for name, lines in _functions(path) if lines > MAX_FUNCTION_LINES] == []


@pytest.mark.parametrize(
    "path",
    [*SOURCES, *sorted((ROOT / "templates").rglob("*.j2"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_nothing_is_left_for_later(path: Path) -> None:
    assert UNFINISHED.findall(path.read_text(encoding="utf-8")) == []


def test_there_is_no_drawer() -> None:
    drawers = {"utils", "util", "helpers", "common", "base", "manager", "misc"}

    assert [
        str(path) for path in SOURCES if path.stem in drawers or path.parent.name in drawers
    ] == []


@pytest.mark.parametrize(
    ("calls", "place"),
    [
        (re.compile(r"file=sys\.stderr|sys\.stderr\.write"), "report/printable.py"),
        (re.compile(r"csv\.writer|csv\.DictWriter"), "report/formats/csv.py"),
        (re.compile(r"\b(mkdtemp|mkstemp|TemporaryDirectory|NamedTemporaryFile)\("), "passing.py"),
    ],
    ids=["messages", "csv", "temporary files"],
)
def test_what_strangers_wrote_and_what_must_not_stay_goes_through_one_place(
    calls: re.Pattern[str], place: str
) -> None:
    found = [path for path in SOURCES if calls.search(path.read_text(encoding="utf-8"))]

    assert {str(path.relative_to(ROOT / "htcq")) for path in found} <= {place}
