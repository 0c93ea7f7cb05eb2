"""Reads the documents: options and keys of manual pages, examples of pages and of README.

An example is a block (between .EX and .EE in the EXAMPLES of a page, or fenced as ``console`` or
``toml`` in Markdown). Lines that begin with ``$`` are commands, with ``>`` their continuation;
all else is what the command prints, in which a word ``...`` stands for anything that was left
out. A block that begins with ``# NAME.toml`` is that file's content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "man").glob("man?/*.?"))
README = ROOT / "README.md"

_ROFF = {"\\-": "-", "\\e": "\\", "\\&": "", "\\(aq": "'", "\\(dq": '"', "\\~": " ", "\\.": ".", "\\|": "",
         "\\(ti": "~", "\\(ha": "^", "\\(ga": "`"}  # fmt: skip
_MACRO = re.compile(r"^\.\s*([A-Z]{1,2})\b ?", re.MULTILINE)
_FILE = re.compile(r"# (?P<name>[\w.-]+\.toml)$")


@dataclass(frozen=True)
class Example:
    """A command and what it prints (empty: not shown), or a file and its content."""

    command: str = ""
    printed: str = ""
    file: str = ""


def plain(roff: str) -> str:
    """Return ``roff`` without its escapes; macros stay."""
    for escape, text in _ROFF.items():
        roff = roff.replace(escape, text)
    return re.sub(r"\\f(\(..|\[.*?\]|.)", "", roff)


def section(page: Path, *titles: str) -> str:
    """Return the text of the sections called ``titles``, unescaped."""
    parts = re.split(r"^\.SH (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "\n".join(
        plain(text)
        for title, text in zip(parts[1::2], parts[2::2])
        if not titles or title in titles
    )


def tags(text: str) -> list[str]:
    """Return the first line of every tagged paragraph: what is described there."""
    found = re.findall(r"^\.TP\n(.*)$", text, flags=re.MULTILINE)
    return [_MACRO.sub("", tag).replace('"', "") for tag in found]


def words(text: str) -> set[str]:
    """Return the names in ``text``, options with their dashes."""
    return {name.rstrip(".-") for name in re.findall(r"(?<![\w-])-{0,2}[A-Za-z_][\w.-]*", text)}


def references(page: Path) -> set[str]:
    """Return all pages of htcq that ``page`` refers to, such as htcq-plan.1."""
    text = plain(page.read_text(encoding="utf-8"))
    return {f"{name}.{number}" for name, number in re.findall(r"\b(htcq[\w.-]*) ?\((\d)\)", text)}


def examples(document: Path) -> tuple[Example, ...]:
    """Return the examples of a manual page or a Markdown file, in their order."""
    text = document.read_text(encoding="utf-8")
    if document.suffix == ".md":
        blocks = re.findall(
            r"^```(?:console|toml)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL
        )
    else:
        blocks = re.findall(
            r"^\.EX\n(.*?)^\.EE$", section(document, "EXAMPLES"), flags=re.MULTILINE | re.DOTALL
        )
    return tuple(example for block in blocks for example in _in_block(block))


def _in_block(block: str) -> Iterator[Example]:
    lines = block.splitlines()
    named = _FILE.match(lines[0])
    if named:
        yield Example(printed=block, file=named["name"])
        return
    command: list[str] = []
    printed: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            if command:
                yield Example("\n".join(command), "\n".join(printed))
            command, printed = [line[2:]], []
        elif line.startswith(">") and command and not printed:
            command.append(line[2:])
        elif command:
            printed.append(line)
    if command:
        yield Example("\n".join(command), "\n".join(printed))


def matches(shown: str, real: str) -> bool:
    """Return whether ``shown`` is what was printed, with ``...`` for what was left out, however lines are broken."""
    pattern = [r"(?:\S+ )*?" if word == "..." else re.escape(word) + " " for word in shown.split()]
    return re.fullmatch("".join(pattern), "".join(f"{word} " for word in real.split())) is not None
