"""SECURITY.md and the manual say of every command what it touches, in the same words, and the distribution has both."""

from __future__ import annotations

import ast
import importlib
import re

import pytest

from htcq.cli.main import COMMANDS
from htcq.operations.site_file import SITE_FILES
from tests.docs.documents import ROOT, plain, section, tags
from tests.docs.security_sentences import ADVICE, PROVEN

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
COLUMNS = ("Reads", "Connects to", "Runs", "Writes", "Trusts")
on_every_command = pytest.mark.parametrize("command", sorted(COMMANDS))


def table() -> dict[str, tuple[str, ...]]:
    """Return the cells of the table of commands, by command."""
    rows = [
        line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("| `htcq ")
    ]
    return {cells[0].strip("`").removeprefix("htcq "): tuple(cells[1:]) for cells in rows}


def even(text: str) -> str:
    """Return ``text`` without what layout, capitals and full stops make different."""
    return re.sub(r"[\s.]+", " ", text).strip().lower()


def test_the_table_names_every_command_and_no_other() -> None:
    assert list(table()) == list(COMMANDS)
    assert {len(cells) for cells in table().values()} == {len(COLUMNS)}
    assert all(all(cells) for cells in table().values())


@on_every_command
def test_the_page_of_every_command_says_what_the_table_says(command: str) -> None:
    text = section(ROOT / f"man/man1/htcq-{command}.1", "SECURITY")
    told = [part.partition("\n") for part in re.split(r"^\.TP\n", text, flags=re.MULTILINE)[1:]]

    assert tuple(tags(text)) == COLUMNS
    assert [even(body) for _, _, body in told] == [even(plain(cell)) for cell in table()[command]]


def test_every_action_is_named() -> None:
    for command in ("quota", "drift", "elastic", "config"):
        for action in importlib.import_module(f"htcq.cli.{command}").ACTIONS:
            assert f"`{action}`" in TEXT or f"`{command} {action}`" in TEXT


def test_it_names_the_files_that_are_found_and_how_to_report() -> None:
    assert all(f"`{name}`" in TEXT for name in SITE_FILES)
    assert "## Reporting a vulnerability" in TEXT
    assert "## Supported versions" in TEXT


def test_the_source_distribution_has_it() -> None:
    """Built by hatchling as a release is."""
    from hatchling.builders.sdist import SdistBuilder

    builder = SdistBuilder(str(ROOT))
    names = {each.distribution_path for each in builder.recurse_included_files()}

    assert "SECURITY.md" in names


def sentences() -> list[str]:
    """Return the sentences of the page, without its tables and titles."""
    found = []
    for block in re.split(r"\n\n|\n(?=- )", TEXT):
        text = " ".join(block.removeprefix("- ").split())
        if text and not text.startswith(("|", "#")):
            found += re.split(r"(?<=[.)])(?<!\w\(\d\))\s+(?=[A-Z`]|htcq\()", text)
    return found


def functions_of_tests() -> dict[str, set[str]]:
    """Return the names of all tests by file below tests/, without importing any."""
    found = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[path.relative_to(ROOT / "tests").as_posix()] = {
            node.name for node in tree.body if isinstance(node, ast.FunctionDef)
        }
    return found


def test_every_sentence_has_a_test() -> None:
    known = (*PROVEN, *ADVICE)
    found = sentences()
    beginnings = [[each for each in known if text.startswith(each)] for text in found]

    assert [text for text, each in zip(found, beginnings) if not each] == []
    assert {each for several in beginnings for each in several} == set(known)


def test_a_sentence_without_an_entry_names_its_tests() -> None:
    named = [text for text in sentences() for each in PROVEN if text.startswith(each)]
    silent = [text for text in named if "`test_" not in text]

    assert [
        text for text in silent if not any(PROVEN[key] for key in PROVEN if text.startswith(key))
    ] == []


def test_the_tests_that_prove_a_sentence_are_there() -> None:
    there = functions_of_tests()
    every = set[str]().union(*there.values())
    listed = [each.partition("::") for tests in PROVEN.values() for each in tests]

    assert [f"{path}::{name}" for path, _, name in listed if name not in there.get(path, ())] == []
    assert [name for name in re.findall(r"`(test_\w+)`", TEXT) if name not in every] == []
