"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
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
    "claims",
    "policy",
    "pool",
    "quota",
)
#: Words that promise work instead of doing it.
UNFINISHED = re.compile(r"\b(TO" "DO|FIX" r"ME|XXX|HACK|NotImplementedError|place" r"holder)\b")
WORLDLY_FUNCTIONS = {"open", "print", "input", "exec", "eval", "__import__"}
WORLDLY_METHODS = {"now", "today", "utcnow", "read_text", "write_text", "getenv"}
MAX_LINES, MAX_FUNCTION_LINES = 400, 60


def _core() -> list[Path]:
    return [path for path in SOURCES if path.relative_to(ROOT / "htcq").parts[0] in CORE]


def _assert_none(paths: Iterable[Path], look: Callable[[str], list[str]]) -> None:
    """Fail where ``look`` finds anything in the text of a file, and name every such file."""
    found = {path: look(path.read_text(encoding="utf-8")) for path in paths}
    wrong = [f"{path.relative_to(ROOT)}: {each}" for path, each in found.items() if each]
    assert not wrong, "\n".join(wrong)


def _tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(name)
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_imports_point_downwards_and_libraries_have_one_doorway() -> None:
    done = _tool("lint-imports", "--no-cache")

    assert done.returncode == 0, done.stdout


def test_no_name_of_the_library_is_newer_than_the_oldest_python() -> None:
    """On Python 3.9 itself only a part of the tests runs: names, parameters and syntax are seen here."""
    done = _tool("vermin", "--target=3.9-", "--violations", "--no-tips", "htcq", "contrib")

    assert "Analyzing" in done.stdout
    # Where tomllib is imported, the version is asked for first.
    assert [line for line in done.stdout.splitlines() if "requires" in line] == [
        "  'tomllib' module requires !2, 3.11"
    ], done.stdout


def test_the_core_has_files_and_they_are_found() -> None:
    assert len(_core()) > 10


def test_the_core_opens_nothing_and_reads_no_clock() -> None:
    """Modules of input and output are forbidden by import contracts; these need no import."""
    _assert_none(_core(), _touches_the_world)


def _touches_the_world(text: str) -> list[str]:
    calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    methods = {call.attr for call in calls if isinstance(call, ast.Attribute)}
    return sorted(names & WORLDLY_FUNCTIONS) + sorted(methods & WORLDLY_METHODS)


def test_files_and_functions_are_short() -> None:
    _assert_none(SOURCES, _too_long)


def _too_long(text: str) -> list[str]:
    lines = len(text.splitlines())
    found = [f"{lines} lines"] if lines > MAX_LINES else []
    return found + [
        f"{name}: {length} lines"
        for name, length in _functions(text)
        if length > MAX_FUNCTION_LINES
    ]


def _functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_nothing_is_left_for_later() -> None:
    templates = sorted((ROOT / "templates").rglob("*.j2"))

    _assert_none([*SOURCES, *templates], UNFINISHED.findall)


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
