"""The source of the manual: one Markdown file for each page, in docs/manual.

A page is CommonMark with a few customs. Its title is ``# NAME(SECTION): SUMMARY``. A list with
``-`` has definitions:
the first paragraph of an item is what is described, the rest describes it. Lists with ``*`` and
with numbers are lists. What is typed as it stands is ``code``, what the user replaces is *in
italics*, and **name**(1) refers to a page. A block ``synopsis`` has a command on its first line,
and on each further line an option. In pages of commands both come from their parsers: see
``manual_options``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from manual_options import with_options
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "docs/manual"
#: The lists that a page may have.
LISTS = ("bullet_list", "ordered_list")
#: What marks a list of definitions, and a block of synopsis.
DEFINITIONS, SYNOPSIS = "-", "synopsis"
_TITLE = re.compile(r"(?P<name>[\w.-]+)\((?P<section>\d)\): (?P<summary>.+)", re.DOTALL)


@dataclass(frozen=True)
class Page:
    """One page: its name, section and summary, and what follows the title. ``file`` is its source in the checkout."""

    name: str
    section: str
    summary: str
    blocks: list[SyntaxTreeNode]
    file: str


def parsed(text: str) -> list[SyntaxTreeNode]:
    """Return the blocks of a text."""
    return SyntaxTreeNode(MarkdownIt("commonmark").parse(text)).children


def unwritten(node: SyntaxTreeNode) -> ValueError:
    """Return the error for a block that no writer takes, such as a quotation ('> ' begins a line)."""
    line = node.map[0] + 1 if node.map else 0
    return ValueError(
        f"line {line}, with synopsis and options in their places: a {node.type} is not written"
    )


def read_page(path: Path) -> Page:
    """Return the page that stands in ``path``.

    Raises:
        ValueError: it does not begin with a title as above.
    """
    title, *blocks = parsed(
        with_options(path.name.partition(".")[0], path.read_text(encoding="utf-8"))
    )
    match = _TITLE.fullmatch(title.children[0].content) if title.tag == "h1" else None
    if match is None:
        raise ValueError(f"{path.name}: its first line must be '# NAME(SECTION): SUMMARY'")
    return Page(
        match["name"], match["section"], match["summary"], blocks, str(path.relative_to(ROOT))
    )


def pages() -> list[Page]:
    """Return all pages, by name."""
    return [read_page(path) for path in sorted(SOURCES.glob("*.md"))]
