"""The groups of a pool over time as a mail that cron sends: ASCII, narrow and short."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from datetime import tzinfo

from htcq.drift.explanation import DriftExplanation
from htcq.report.charts.spark import spark
from htcq.report.moments import moment
from htcq.report.printable import one_line
from htcq.report.views.drift import numbers
from htcq.report.views.drift_text import Entry, happened, headline, legend, standing
from htcq.report.views.ledger import together

WIDTH = 78
#: The maximum of entries of each list, and of groups in the table.
_MAX_ENTRIES, _MAX_GROUPS, _MAX_DOUBTS = 24, 10, 5
_MAX_DIMENSIONS = 4
#: The maximum of lines of one entry.
_MAX_LINES = 3
_HEADS = ("mean", "max", "quota", "off by", "starv.", "over", "lend.", "seen")
_COLUMN = 7
_NAME = WIDTH - len(_HEADS) * _COLUMN


def drift_mail(story: DriftExplanation, zone: tzinfo | None = None) -> str:
    """Return the mail: what changed, what disagrees now, and the groups with most trouble."""
    return "".join(f"{_ascii(line)}\n" for line in _lines(story, zone))


def _lines(story: DriftExplanation, zone: tzinfo | None) -> Iterator[str]:
    yield from textwrap.wrap(_ascii(f"htcq drift: {headline(story, zone)}"), WIDTH)
    yield ""
    yield from _entries("What changed", happened(story, zone), zone)
    yield from _entries("What disagrees now", standing(story), zone, "since ")
    for doubt in story.doubts[:_MAX_DOUBTS]:
        yield from _wrapped(f"in doubt: {one_line(doubt.text)}", "")
    if story.doubts:
        yield ""
    yield from _groups(story)


def _entries(
    title: str, entries: Sequence[Entry], zone: tzinfo | None, before: str = ""
) -> Iterator[str]:
    if entries:
        yield title
    else:
        yield f"{title}: nothing"
    # Of many changes the last ones are news.
    left_out = len(entries) - _MAX_ENTRIES
    if left_out > 0:
        yield f"  ({left_out} more before these; 'htcq drift report' has them all)"
    for each in entries[-_MAX_ENTRIES:]:
        yield from _wrapped(f"{before}{moment(each.when, zone)} {each.subject}: {each.text}", "  ")
    yield ""


def _wrapped(text: str, indent: str) -> list[str]:
    lines = textwrap.wrap(
        _ascii(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_on_hyphens=False,
    )
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"{lines[_MAX_LINES - 1][: WIDTH - 4]} ..."]
    return lines


def _groups(story: DriftExplanation) -> Iterator[str]:
    if not story.windows:
        yield "Nothing was observed in this time."
        return
    shown = story.windows[:_MAX_GROUPS]
    left_out = len(story.windows) - len(shown)
    more = ""
    if left_out:
        more = f" ({left_out} more are not shown)"
    yield f"Groups with most trouble{more}"
    yield f"{'':{_NAME}}{''.join(head.rjust(_COLUMN) for head in _HEADS)}"
    for window in shown:
        name = _ascii(one_line(window.group))
        cells = "".join(cell.rjust(_COLUMN) for cell in numbers(window))
        if len(name) >= _NAME or len(cells) > len(_HEADS) * _COLUMN:
            yield f"{name[:WIDTH]}"
            name = ""
        yield f"{name:{_NAME}}{cells}"
        yield f"    |{spark(window.points, window.since, window.until, WIDTH - 6, blocks=False)}|"
    yield ""
    yield from textwrap.wrap(legend(story, False, WIDTH - 6), WIDTH)
    sentences = list(together(story))[:_MAX_DIMENSIONS]
    if sentences:
        yield ""
        yield "Elastic quotas, in hours of each dimension"
    for sentence in sentences:
        yield from _wrapped(sentence, "  ")


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()
