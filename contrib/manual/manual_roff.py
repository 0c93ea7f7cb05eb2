"""Writes a page of the manual as roff, for man."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manual_source import DEFINITIONS, LISTS, SYNOPSIS, Page, unwritten
from markdown_it.tree import SyntaxTreeNode

_ESCAPES = {"\\": "\\e", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
_FONTS = {"em": "I", "strong": "B", "code_inline": "B"}
#: Nothing is hyphenated, nor are lines stretched: what is copied stays whole. The macros of a
#: synopsis undo it.
_PLAIN = (".nh", ".ad l")
#: Widths of what stands before an item.
_BULLET, _NUMBER = 2, 4


def roff_page(page: Page) -> str:
    """Return the page."""
    lines = [
        f'.\\" Written by contrib/manual/build from {page.file}: do not edit.',
        f'.TH {page.name.upper()} {page.section} "" "htcq" "htcq manual"',
        *_PLAIN,
        ".SH NAME",
        f"{_literal(page.name)} \\- {_prose(page.summary)}",
        *_blocks(page.blocks),
    ]
    return "".join(f"{line}\n" for line in lines)


def _blocks(nodes: list[SyntaxTreeNode], paragraph: str = ".PP") -> Iterator[str]:
    """Yield the lines of several blocks; ``paragraph`` parts a paragraph from what stands above it."""
    first = True
    for node in nodes:
        if node.type == "heading":
            yield f"{'.SH' if node.tag == 'h2' else '.SS'} {_inline(node.children[0])}"
        elif node.type == "paragraph":
            if not first:
                yield paragraph
            yield from _lines(_inline(node.children[0]))
        elif node.type == "fence":
            yield from _synopsis(node.content) if node.info == SYNOPSIS else _example(node.content)
        elif node.type in LISTS:
            yield from _list(node, nested=paragraph != ".PP")
        else:
            raise unwritten(node)
        first = node.type == "heading"


def _list(node: SyntaxTreeNode, nested: bool) -> Iterator[str]:
    if nested:
        yield ".RS"
    for number, item in enumerate(node.children, int(node.attrs.get("start", 1))):
        blocks = list(item.children)
        if node.markup == DEFINITIONS:
            yield ".TP"
            yield from _lines(_inline(blocks.pop(0).children[0]))
        elif node.type == "bullet_list":
            yield f".IP \\(bu {_BULLET}"
        else:
            yield f".IP {number}. {_NUMBER}"
        yield from _blocks(blocks, paragraph=".IP")
    if nested:
        yield ".RE"


def _example(text: str) -> Iterator[str]:
    yield ".EX"
    yield from (_protected(_literal(line)) or "\\&" for line in text.splitlines())
    yield ".EE"


def _synopsis(text: str) -> Iterator[str]:
    """Yield a synopsis: the command on the first line, then one option a line, which is not divided."""
    command, *options = text.splitlines()
    yield f".SY {_literal(command).replace(' ', chr(92) + ' ')}"
    for option in options:
        words = (_option(word) for word in re.split(r"([\s\[\]|]+)", option.strip()))
        yield _protected("".join(words).replace(" ", "\\~"))
    yield ".YS"
    yield from _PLAIN


def _option(word: str) -> str:
    """Return a word of a synopsis in its font: options bold, what the user replaces in italics."""
    if word.startswith("-"):
        return f"\\fB{_literal(word)}\\fP"
    return f"\\fI{_literal(word)}\\fP" if re.search(r"\w", word) else word


# Text
# -----------------------------------------------------------------------------------------------------------


def _inline(node: SyntaxTreeNode) -> str:
    text = "".join(map(_piece, node.children))
    # An option stays with its value.
    return re.sub(r"\\fP \\fI", r"\\fP\\~\\fI", text)


def _piece(node: SyntaxTreeNode) -> str:
    if node.type == "softbreak":
        return "\n"
    if node.type == "text":
        return _prose(node.content)
    if node.type == "code_inline":
        return f"\\fB{_literal(node.content)}\\fP"
    text = "".join(_literal(child.content) for child in node.children)
    return f"\\f{_FONTS[node.type]}{text}\\fP"


def _lines(text: str) -> Iterator[str]:
    yield from map(_protected, text.split("\n"))


def _protected(line: str) -> str:
    """Return a line of text that roff does not take for a request."""
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _literal(text: str) -> str:
    """Return text of which every character must stay what it is, so that it can be copied."""
    return "".join(_ESCAPES.get(character, character) for character in text).replace("-", "\\-")


def _prose(text: str) -> str:
    """Return text in which hyphens are hyphens, but dashes before words belong to options."""
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return re.sub(r"(?<![\w)])-", r"\\-", escaped)
