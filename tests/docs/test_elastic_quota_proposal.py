"""docs/elastic-quota-proposal.md: no statement is lost, and the sections and tests that it names are there."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from htcq.audit.catalog import family
from htcq.cli.main import COMMANDS
from tests.docs.documents import ROOT, plain

PAGE = ROOT / "docs/elastic-quota-proposal.md"
MANUAL = ROOT / "docs/manual"
COLUMNS = ["says", "computed", "enforced in HTCondor", "shown", "test"]
#: The sections of the proposal, and how many of its statements each has. A statement may be split
#: into several rows; none may go.
STATEMENTS = {
    "1 Summary": 4,
    "2 Motivation": 6,
    "3 Goals": 2,
    "4 Non-goals and future work": 7,
    "5 Key concepts and user stories": 16,
    "6 Calculate the runtime": 21,
    "7 Hierarchy": 5,
    "8 Min guarantee and preemption": 11,
    "9 Configuration limits": 8,
    "10 Extension points": 5,
    "11 API: quota": 9,
    "12 API: pod": 2,
    "13 Compatibility": 3,
    "14 Unsolved problems": 1,
}
_TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def tables() -> dict[str, list[list[str]]]:
    """Return the cells of all rows by section, headers and rulers included."""
    found: dict[str, list[list[str]]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif line.startswith("|"):
            cells = _BETWEEN_CELLS.split(line.strip()[1:-1])
            found[list(found)[-1]].append([cell.strip() for cell in cells])
    return found


def rows() -> list[list[str]]:
    return [row for table in tables().values() for row in table[2:]]


@functools.cache
def named_tests(file: str) -> frozenset[str]:
    """Return the names of the tests of a module, without importing it."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def sections_of(page: Path) -> set[str]:
    return set(re.findall(r"^##+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE))


def test_every_section_of_the_proposal_has_a_table() -> None:
    assert list(tables()) == list(STATEMENTS)
    assert all(table[0] == COLUMNS for table in tables().values())


@pytest.mark.parametrize("section", STATEMENTS)
def test_no_statement_is_lost(section: str) -> None:
    numbers = [row[0].partition(" ")[0] for row in tables()[section][2:]]
    chapter = section.partition(" ")[0]

    assert numbers == [f"{chapter}.{number + 1}" for number in range(len(numbers))]
    assert len(numbers) >= STATEMENTS[section]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0].partition(" ")[0])
def test_every_row_has_five_cells_and_a_verdict(row: list[str]) -> None:
    assert len(row) == len(COLUMNS)
    assert all(row)
    assert re.match(r"(?:yes|otherwise|not done)\b", row[1])


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0].partition(" ")[0])
def test_every_test_that_is_named_exists(row: list[str]) -> None:
    named = row[4].split("; ")
    found = [_TEST.fullmatch(name) for name in named]

    assert all(found), named
    assert [each[0] for each in found if each and each[2] not in named_tests(each[1])] == []


def test_every_section_of_the_manual_that_is_named_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = {
        name.strip() for row in rows() for name in re.findall(r"§ ([^;]+)", row[3])
    }  # fmt: skip
    pages = set(re.findall(r"\b(htcq[\w.-]*)\((\d)\)", text))

    assert len(named) > 20
    assert named - sections_of(MANUAL / "htcq-elastic.1.md") == set()
    assert all((MANUAL / f"{name}.{number}.md").exists() for name, number in pages)


def test_commands_fields_and_rules_are_those_of_the_manual() -> None:
    """What a cell has in code marks: a command, a rule, or a word of the page."""
    page = plain((ROOT / "man/man1/htcq-elastic.1").read_text(encoding="utf-8"))
    rules = {each.id for each in family("elastic")}
    own = {"physics.hep", "RemoteGroup is SubmitterGroup", "nvidia.com/gpu", "begins with"}
    marked = {word for row in rows() for cell in row for word in re.findall(r"`([^`]+)`", cell)}
    commands = {word for word in marked if word.startswith("htcq ")}
    lost = {word for word in marked - commands - rules - own if word.split(" =")[0] not in page}

    assert {word.split()[1] for word in commands} <= set(COMMANDS)
    assert lost == set()
    assert {word for word in marked if word.startswith("elastic-")} <= rules


def test_numbers_in_the_text_are_those_of_rows() -> None:
    known = {row[0].partition(" ")[0] for row in rows()}
    text = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    named = re.findall(r"(?<![\w.])(\d{1,2}\.\d{1,2})(?![\w.])", text)
    named += [
        number for row in rows() for cell in row[1:4]
        for number in re.findall(r"(?:as|see|\(|and|from) ?(\d{1,2}\.\d{1,2})\b", cell)
    ]  # fmt: skip

    assert len(named) > 30
    assert set(named) - known == set()
