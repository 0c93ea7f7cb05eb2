"""Words and phrases that users are not to read: each was in a help text, a finding, a page or a manual once.

Searched are what argparse prints, rules, every text with a blank in ``htcq``, templates, and
manuals."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from htcq.cli.main import COMMANDS, parser_of
from tests.docs.documents import PAGES, ROOT, plain

#: A pattern, and why it is banned: what to write instead, or what readers stumbled over.
BANNED = {
    r"execute nodes?\b": "HTCondor's manual says execution point",
    r"worker nodes?\b": "HTCondor's manual says execution point",
    r"submit (?:nodes?|hosts?|machines?)\b": "HTCondor's manual says access point",
    r"job class(?:es)?\b|class(?:es)? of jobs\b": "HTCondor's manual says autocluster",
    r"others leave it (?:more|less)": "name who uses fewer or more",
    r"why it is otherwise": "say what explains the difference",
    r"what holds without it": "say what value the expression has then",
    r"quotas promise": "quotas add up to an amount; nobody promises",
    r"\bis near(?:$|[:;\"])": "ask: did you mean X?",
    r"for want of": "data is missing; 'want' reads as a wish",
    r"read in part": "the data is incomplete",
    r"ends? the negotiator|negotiator ends (?:at|here|when)\b": "the negotiator crashes; 'ends' sounds like a decision",
    r"\bno turn\b": "a group is not negotiated in this cycle",
    r"\bmend(?:s|ed)?\b": "fix",
    r"the dice": "the seed of the random numbers",
    r"dead man(?!-)": "the dead-man timer",
    r"tell the story": "explain how a number was computed",
    r"run apart": "quotas drift apart",
    r"what shall be\b|\bshall have\b": "a translation; say what is to be done",
    r"what (?:be)?comes of (?:group|it all)": "say what is recorded",
    r"whose turn is first": "the order of submitters",
    r"accept what is refused for good reason": "say what is done in spite of errors",
    r"\btorn\b": "an incomplete line",
    r"passes? (?:it|the name \S+) over": "the negotiator skips it",
    r"in one talk\b|the talk (?:ends|about)": "the negotiation",
    r"text of strangers": "text from the pool",
    r"(?:given|hands?) (?:it )?back: who waits": "not needed: the waiting jobs fit without it",
    r"whatever a ceiling is|who asks for no more": "say the subject first",
    r"by hand or for the dead": "name the command or the timer",
}


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield ``parser`` and those of its actions."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def literals(path: Path) -> str:
    """Return the texts with a blank in a module that are no docstrings, one a line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and _is_text(node)
    }
    constants = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in docstrings
    ]
    return "\n".join(
        node.value for node in constants if isinstance(node.value, str) and " " in node.value
    )


def _is_text(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> bool:
    return (
        bool(node.body)
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    )


def banned(text: str) -> list[str]:
    """Return what of ``text`` is banned, with the reason; words may be parted by the end of a line."""
    joined = re.sub(r"[ \t\n]+", " ", text)
    found = [
        (match.group(), why)
        for word, why in BANNED.items()
        for match in re.finditer(word, joined, re.IGNORECASE)
    ]
    return [f"{words!r}: {why}" for words, why in found]


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str) -> None:
    printed = " ".join(each.format_help() for each in parsers(parser_of(command)))
    assert not banned(f"{COMMANDS[command]} {printed}")


def test_texts_of_the_code() -> None:
    found = {path: banned(literals(path)) for path in sorted((ROOT / "htcq").rglob("*.py"))}
    wrong = [f"{path.relative_to(ROOT)}: {words}" for path, words in found.items() if words]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "templates").rglob("*.j2")), ids=lambda path: path.name
)
def test_templates(path: Path) -> None:
    assert not banned(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_manual_pages(path: Path) -> None:
    assert not banned(plain(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md"]
)
def test_documents(name: str) -> None:
    assert not banned((ROOT / name).read_text(encoding="utf-8"))


#: Names of classes that nobody could guess, and what they are called now.
OLD_CLASSES = {
    "Asked": "PairExpression, CheckOptions",
    "Askers": "SubmitterQueues",
    "Frame": "SharedAttributes",
    "JobClass": "Autocluster",
    "Kind": "SlotClass, AdSchema",
    "Likeness": "Autocluster",
    "Likenesses": "AutoclusterIndex",
    "Links": "ReferenceGraph",
    "Look": "CachedExpression, DriftObservation",
    "Looks": "ReferencedAttributes",
    "Need": "Input, Shortage",
    "Outcome": "ElasticOutcome, TaskOutcome",
    "QuotaLook": "PoolQuotaReport",
    "Scene": "ExplainedQuotas",
    "Sight": "PoolHealth",
    "Standing": "GroupStatus",
    "Standings": "UsageLedger",
    "State": "OfferGroup",
    "States": "OfferGroups",
    "Story": "DriftExplanation",
    "Talk": "ScheddNegotiation",
    "Told": "Occurrence",
    "Wall": "MatchFailure",
}


def test_no_class_has_an_old_name() -> None:
    for path in sorted((ROOT / "htcq").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        old = [name for name in classes if name.lstrip("_") in OLD_CLASSES]

        assert old == [], path.relative_to(ROOT)
