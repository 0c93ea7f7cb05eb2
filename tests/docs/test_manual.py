"""The manual has one source: man/ is what docs/manual makes of it today, and so are the pages for the browser."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from textwrap import dedent

import pytest
from manual_html import web_page
from manual_roff import roff_page
from manual_source import Page, pages, parsed

from htcq.audit.catalog import all_rules
from tests.docs.documents import PAGES, ROOT
from tests.docs.test_man import rendered

BUILD = ROOT / "contrib/manual/build"
EMPTY = {"meta"}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of pages for the browser."""
    place = tmp_path_factory.mktemp("manual")
    subprocess.run([sys.executable, str(BUILD), "--html", str(place)], check=True, timeout=120)
    return place


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_the_page_is_fresh(page: Page) -> None:
    """'contrib/manual/build' makes it so."""
    path = ROOT / f"man/man{page.section}/{page.name}.{page.section}"

    assert path.read_text(encoding="utf-8") == roff_page(page)


def test_every_page_has_a_source() -> None:
    """htcq-rules(7) comes from the rules."""
    made = {f"{page.name}.{page.section}" for page in pages()}

    assert made | {"htcq-rules.7"} == {path.name for path in PAGES}
    assert {Path(page.file).name for page in pages()} == {f"{name}.md" for name in made}


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ('Write `model = "quantized"` there.', 'Write model = "quantized" there.'),
        ("`'a' \\ b -- ^~`", "'a' \\ b -- ^~"),
        (".SH is text\n'so is this", ".SH is text 'so is this"),
        ("- `--role` *ROLE*\n\n  A role.\n\n  More.", "--role ROLE A role. More."),
        ("* one\n* two\n\nEnd.", "• one • two End."),
        ("1. one\n2. two", "1. one 2. two"),
        ("1. one\n\n```\nx\n```\n\n2. two", "1. one x 2. two"),
        ("1. one\n\n   ```\n   a > b\n   > c\n   ```", "1. one a > b > c"),
        ("```\n.B x\n  'y' \\fB\n```", ".B x 'y' \\fB"),
        ("See **htcq-plan**(1).", "See htcq-plan(1)."),
        ("- `a`\n\n  A.\n\n  - `b`\n\n    B.\n\n  C.", "a A. b B. C."),
    ],
)
def test_what_stands_in_the_source_is_what_man_shows(
    markdown: str, shown: str, tmp_path: Path
) -> None:
    text = roff_page(Page("t", "1", "a test", parsed(f"## TEXT\n\n{markdown}\n\n## END\n"), "t.md"))
    (tmp_path / "t.1").write_text(text, encoding="utf-8")
    done = rendered(tmp_path / "t.1", "--warnings=w")
    text = re.sub(".\b", "", done.stdout).partition("\nTEXT\n")[2].partition("\nEND\n")[0]

    assert done.stderr == ""
    assert " ".join(text.split()) == shown


@pytest.mark.parametrize("markdown", ["Run `a\n> b`.", "    indented", "---", "<p>text</p>"])
def test_a_block_that_would_be_lost_is_an_error(markdown: str) -> None:
    page = Page("t", "1", "a test", parsed(f"## TEXT\n\n{markdown}\n"), "t.md")
    for write in (roff_page, lambda page: web_page(page, ())):
        with pytest.raises(ValueError, match="is not written"):
            write(page)


class Reader(HTMLParser):
    """Reads a page: tags that are open, links, anchors, blocks of code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.blocks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.links += [told["href"] or ""] if "href" in told else []
        self.anchors += [told["id"] or ""] if "id" in told else []
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "pre":
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["pre"]:
            self.blocks[-1] += data

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(path: Path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader


def test_every_page_is_there_for_the_browser_and_is_whole(web: Path) -> None:
    names = {path.name for path in web.iterdir()}

    assert names == {"index.html"} | {f"{path.name}.html" for path in PAGES}
    for name in names:
        page = read(web / name)
        assert page.open == []
        assert set(page.links) <= names
        assert len(page.anchors) == len(set(page.anchors)), name
    assert set(read(web / "index.html").links) == names - {"index.html"}


def code_blocks(page: Page) -> list[tuple[str, list[str]]]:
    """The word after the fence and the lines of each block of code in the source, read without a parser."""
    found: list[tuple[str, list[str]]] = []
    indent = -1
    for line in (ROOT / page.file).read_text(encoding="utf-8").splitlines():
        text = line.lstrip()
        if text.startswith("```"):
            if indent < 0:
                found.append((text[3:], []))
            indent = len(line) - len(text) if indent < 0 else -1
        elif indent >= 0:
            found[-1][1].append(line[indent:])
    assert indent < 0, page.name
    return found


def test_blocks_of_code_are_found() -> None:
    found = [lines for page in pages() for _, lines in code_blocks(page)]

    assert len(found) > 50
    assert any(
        "htcq@pool.example.net -authz READ > /root/htcq-read" in "\n".join(lines) for lines in found
    )


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_of_code_stands_whole_on_the_page(page: Page, web: Path) -> None:
    """Line by line, in man and in the browser: what is copied is what was written."""
    path = ROOT / f"man/man{page.section}/{page.name}.{page.section}"
    shown = re.sub(".\b", "", rendered(path).stdout)
    lines_shown = [line.rstrip() for line in shown.splitlines()]
    in_browser = read(web / f"{page.name}.{page.section}.html").blocks

    for kind, lines in code_blocks(page):
        assert "\n".join(lines) + "\n" in in_browser
        if kind == "synopsis":
            assert " ".join(" ".join(lines).split()) in " ".join(shown.split())
        else:
            assert stands_in(lines, lines_shown), lines


def stands_in(lines: list[str], shown: list[str]) -> bool:
    """Whether ``lines`` follow each other in ``shown``, all of them indented alike."""
    wanted = dedent("\n".join(lines))
    windows = (shown[first : first + len(lines)] for first in range(len(shown)))
    return any(dedent("\n".join(found)) == wanted for found in windows)


def test_every_rule_has_its_place_in_the_browser(web: Path) -> None:
    assert {rule.id for rule in all_rules()} <= set(read(web / "htcq-rules.7.html").anchors)


def test_settings_keep_their_quotes_in_the_browser(web: Path) -> None:
    assert '<code>model = "quantized"</code>' in (web / "htcq.toml.5.html").read_text(
        encoding="utf-8"
    )
