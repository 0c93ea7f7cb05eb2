"""Writes a page of the manual as HTML, for the browser; no page needs anything but itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape

from manual_source import DEFINITIONS, LISTS, Page, unwritten
from markdown_it.tree import SyntaxTreeNode

_TAGS = {"em": "em", "strong": "strong", "code_inline": "code"}
#: A reference to a page, as it stands in the HTML of a text.
_REFERENCE = re.compile(r"<strong>(?P<name>[\w.-]+)</strong>\((?P<section>\d)\)")
_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 0 auto; padding: 1rem }
nav { font-size: .9rem } h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem } h3 { font-size: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em } pre { overflow-x: auto; padding: .5rem 1rem }
pre { border-left: .2rem solid #888 } dt { margin-top: .8rem } dd > :first-child { margin-top: 0 }
body { background: #fff; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a { color: #8bf } }
""".strip()


def file_of(name: str, section: str) -> str:
    """Return the name of the file that a page is in."""
    return f"{name}.{section}.html"


def web_page(page: Page, files: Collection[str]) -> str:
    """Return the page; references lead to those of ``files``."""
    body = "\n".join(_blocks(page.blocks))
    title = f"{page.name}({page.section})"
    heading = f"<h1>{escape(title)}: {escape(page.summary)}</h1>"
    return _document(
        title,
        f'<nav><a href="index.html">Manual of htcq</a></nav>\n{heading}\n{_linked(body, files)}',
    )


def index(pages: Collection[Page]) -> str:
    """Return the page that lists the others."""
    rows = (
        "<dt><a "
        f'href="{file_of(each.name, each.section)}">{escape(each.name)}({each.section})</a></dt>'
        f"<dd>{escape(each.summary)}</dd>"
        for each in pages
    )
    return _document(
        "Manual of htcq", "<h1>Manual of htcq</h1>\n<dl>\n" + "\n".join(rows) + "\n</dl>"
    )


def _document(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _linked(body: str, files: Collection[str]) -> str:
    def link(match: re.Match[str]) -> str:
        name = file_of(match["name"], match["section"])
        return f'<a href="{name}">{match[0]}</a>' if name in files else match[0]

    return _REFERENCE.sub(link, body)


def _blocks(nodes: list[SyntaxTreeNode]) -> Iterator[str]:
    for node in nodes:
        if node.type == "heading":
            text = _inline(node.children[0])
            anchor = re.sub(r"\W+", "-", re.sub(r"<[^>]+>", "", text).lower()).strip("-")
            yield f'<{node.tag} id="{anchor}">{text}</{node.tag}>'
        elif node.type == "paragraph":
            yield f"<p>{_inline(node.children[0])}</p>"
        elif node.type == "fence":
            yield f"<pre>{escape(node.content, quote=False)}</pre>"
        elif node.type in LISTS:
            yield from _list(node)
        else:
            raise unwritten(node)


def _list(node: SyntaxTreeNode) -> Iterator[str]:
    if node.markup != DEFINITIONS:
        tag = "ul" if node.type == "bullet_list" else "ol"
        start = f' start="{node.attrs["start"]}"' if "start" in node.attrs else ""
        items = ("\n".join(_blocks(list(item.children))) for item in node.children)
        yield f"<{tag}{start}>" + "".join(f"<li>{item}</li>\n" for item in items) + f"</{tag}>"
        return
    yield "<dl>"
    for item in node.children:
        term, *blocks = item.children
        yield f"<dt>{_inline(term.children[0])}</dt>"
        yield "<dd>" + "\n".join(_blocks(blocks)) + "</dd>"
    yield "</dl>"


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(map(_piece, node.children))


def _piece(node: SyntaxTreeNode) -> str:
    if node.type == "softbreak":
        return "\n"
    if node.type == "text":
        return escape(node.content, quote=False)
    content = node.content or "".join(child.content for child in node.children)
    return f"<{_TAGS[node.type]}>{escape(content, quote=False)}</{_TAGS[node.type]}>"
