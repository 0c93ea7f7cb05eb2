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
    # Twenty sentences of 1.0.1, each by the words that carried it, and what to write.
    r"none has any\b": "the job asks for 1 GPU; no slot offers one",
    r"\bnot true on\b": "name what excludes or refuses, or the machine that is drained",
    r"a whole slot of": "one match can give GROUP (limit 40) the whole of SLOT, which weighs 64",
    r"there is too little": "those slots have too few free cores",
    r"\bruns \S+ instead of": "uses 17.5 of its 90",
    r"\b1 cpus\b|(?-i:(?:\b1|\{\}) gpus\b)": "1 core, 1 GPU",
    r"talks no longer": "the negotiator leaves a submitter after this time",
    r"slots are only ads": "the ads of 17 of 35 machines are out of date",
    r"though no other uses fewer": "gains, and nobody loses",
    r"nobody knows": "say what the snapshot or the collector lacks",
    r"do not wait again": "are not queued again",
    r"optimized for none": "matching is slower on all of them",
    r"is full after 0\b": "the pool is full from the start",
    r"has configuration that fixes": "no finding can be fixed by a setting",
    r"takes the knob away": "an empty value unsets it",
    r"everybody is matched": "no submitter gains or loses",
    r"nobody of that name": "no submitter or group of that name",
    r"negotiator is told": "reconfiguring the negotiator",
    r"claims of nobody": "claims outside all quotas",
    r"tell the rest": "See htcq(1)",
    # Others of their kind.
    r"not true (?:for|yet)\b": "say what refuses or is false",
    r"nothing is known that": "no known cause",
    r"nobody (?:wants|matches|is charged|could look)": "name what does not",
    r"knows nobody": "finds no user",
    r"nothing stands that": "say which cause keeps capacity from jobs",
}


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield ``parser`` and those of its actions."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def literals(path: Path) -> str:
    """Return the texts with a blank in a module that are no docstrings, one a line; {} for a value."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and _is_text(node)
    }
    texts, parts = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts.update(map(id, node.values))
            texts.append("".join(map(_part, node.values)))
        elif isinstance(node, ast.Constant) and id(node) not in docstrings | parts:
            texts.append(str(node.value))
    return "\n".join(text for text in texts if " " in text)


def _part(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


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


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests/pins/pinned").glob("*.json")), ids=lambda path: path.name
)
def test_what_was_printed(path: Path) -> None:
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
