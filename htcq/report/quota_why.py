"""The story of one group for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.poolquota.explanation.group import group_named, story
from htcq.poolquota.explanation.sections import Sentence
from htcq.poolquota.report import PoolQuotaReport
from htcq.report.printable import one_line
from htcq.report.quota_words import oversubscribed, totals
from htcq.report.terminal import Line, line, show_lines


def show_why(look: PoolQuotaReport, name: str, stream: TextIO) -> None:
    """Write why the group ``name`` gets what it gets.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    show_lines(_lines(look, group_named(look, name).name, story(look, name)), stream)


def _lines(look: PoolQuotaReport, name: str, sentences: tuple[Sentence, ...]) -> Iterator[Line]:
    yield line(f"{name} in {look.source}", "strong")
    topic = ""
    for sentence in sentences:
        if sentence.topic != topic:
            topic = sentence.topic
            yield Line(((topic, "strong"),), indent=2)
        yield Line(((f"{one_line(sentence.text)}.", ""),), indent=4)
    yield line(totals(look), "quiet")
    if oversubscribed(look):
        yield line(oversubscribed(look), "warning")
