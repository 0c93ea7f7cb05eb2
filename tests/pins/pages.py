"""The structure of an HTML page: its headings and the cells of its tables, as text."""

from __future__ import annotations

from html.parser import HTMLParser

_KEPT = frozenset(("title", "h1", "h2", "h3", "h4", "th", "td", "caption", "summary"))


class _Structure(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.row: list[str] | None = None
        self.kept: str = ""
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.row = []
        if tag in _KEPT:
            self.kept, self.text = tag, []

    def handle_data(self, data: str) -> None:
        if self.kept:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self.row is not None:
            self.lines.append(" | ".join(self.row))
            self.row = None
        if not self.kept or tag != self.kept:
            return
        text = " ".join("".join(self.text).split())
        self.kept = ""
        if self.row is not None and tag in ("td", "th"):
            self.row.append(text)
        else:
            self.lines.append(f"{tag}: {text}")


def structure(page: str) -> list[str]:
    """Return a line for each heading and each row of a table."""
    parser = _Structure()
    parser.feed(page)
    return parser.lines
