"""The place of a finding: the file and line of the first knob among its evidence that has one."""

from __future__ import annotations

import re
from typing import NamedTuple

from htcq.audit.engine import Finding

#: File and line. Values that are in no file have a word in angle brackets, such as <Default>.
_PLACE = re.compile(r"(?P<file>[^<].*?)(?::(?P<line>[1-9]\d*))?\Z", re.DOTALL)


class Place(NamedTuple):
    """A file and a line in it; 0 where the line is not known."""

    file: str
    line: int


def place_text(finding: Finding) -> str:
    """Return the first place of the evidence as it is written; empty where there is none."""
    return next((fact.place for fact in finding.evidence if fact.place), "")


def place_of(finding: Finding) -> Place | None:
    """Return the first file of the evidence; None where no evidence is in a file."""
    for fact in finding.evidence:
        match = _PLACE.match(fact.place)
        if match is not None:
            return Place(match["file"], int(match["line"] or 0))
    return None
