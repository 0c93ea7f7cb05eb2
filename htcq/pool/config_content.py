"""Whether a text is a configuration of HTCondor, by what its lines say.

HTCondor reads every file of a configuration directory, and takes ``key: value`` and ``WORD word =
x`` for assignments: a README, a script or a Dockerfile is told by its lines that end the parser,
and by how few knobs it sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from htcq.htcondor.knob_names import names_that_matter, split_prefix, stem_of
from htcq.htcondor.matching import is_in_table
from htcq.pool.config_statements import Statement, said_by
from htcq.units import counted

#: How many lines that are odd or end the parser one knob of HTCondor makes up for.
_WORTH = 4
#: Lines of a template for configuration management begin so.
_DIRECTIVES = ("{%", "<%", "{{#", "{{/", "#!")

#: A section of an INI file; an attribute of a job, and the last line of a submit description.
_MARK = re.compile(r"\[[^\]\n]+\]\Z|\+\w+\s*=|queue\b", re.IGNORECASE)


@dataclass(frozen=True)
class Content:
    """The lines of a text.

    ``known`` set knobs of HTCondor or are statements, ``others`` set something else, ``odd`` are
    assignments in a form that no site uses, ``refused`` end the parser.
    """

    known: int
    others: int
    odd: int
    refused: int
    other_kind: str = ""

    @property
    def is_configuration(self) -> bool:
        """Whether HTCondor is meant to read the text."""
        if self.other_kind:
            return False
        return _WORTH * self.known + self.others >= self.odd + self.refused

    @property
    def reason(self) -> str:
        """The reason why it is no configuration."""
        if self.other_kind:
            return self.other_kind
        lines = self.known + self.others + self.odd + self.refused
        return f"{self.known} of {counted(lines, 'line')} set a knob of HTCondor"


def looks_plain(text: str) -> bool:
    """Return whether nothing in ``text`` is odd or ends the parser: it need not be looked at."""
    content = content_of(text, lambda name: False)
    return not (content.other_kind or content.odd or content.refused)


def content_of(text: str, is_known: Callable[[str], bool]) -> Content:
    """Return what the lines of ``text`` are; ``is_known`` says whether HTCondor has a knob."""
    if "\0" in text:
        return Content(0, 0, 0, 0, "it is binary")
    for number, line in enumerate(text.split("\n")):
        start = line.strip()[:3]
        if start.startswith(_DIRECTIVES[:-1]):
            return Content(0, 0, 0, 0, f"it is a template: line {number + 1} begins with {start}")
        if number == 0 and start.startswith(_DIRECTIVES[-1]):
            return Content(0, 0, 0, 0, "it is a program: it begins with #!")
    if _begins_with_an_ad(text):
        return Content(0, 0, 0, 0, "it is a list of ClassAds")
    said = said_by(text)
    braced = next((each for each in said.statements if each.flaw and "${" in each.text), None)
    if braced is not None:
        return Content(0, 0, 0, 0, f"it is a template: ${{…}} in line {braced.line}")
    refused = sum(bool(each.flaw) for each in said.statements)
    known = sum(not (each.flaw or each.sets) for each in said.statements)
    others = odd = 0
    for each in said.assignments:
        if is_known(each.name):
            known += 1
        elif each.is_odd:
            odd += 1
        else:
            others += 1
    return Content(known, others, odd, refused, _other_kind(said.statements, known))


def _other_kind(statements: Iterable[Statement], known: int) -> str:
    """Return what a text is by lines that another kind of file has; empty for a configuration."""
    marks = [each for each in statements if each.flaw and _MARK.match(each.text)]
    if len(marks) <= known:
        return ""
    kind = "has sections" if marks[0].text.startswith("[") else "is a submit description"
    return f"it {kind}: {marks[0].text.split(chr(10))[0]} in line {marks[0].line}"


def _begins_with_an_ad(text: str) -> bool:
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line and not line.startswith("#")), "") == "["


def knob_test(defaults: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that says whether HTCondor has a knob of that name.

    ``defaults`` are the knobs that have a default.
    """
    names = frozenset(name.upper() for name in defaults)
    names |= names_that_matter(names)

    def is_known(name: str) -> bool:
        own = split_prefix(name)[1]
        if name.upper() in names or own.upper() in names or stem_of(own):
            return True
        return is_in_table(name)

    return is_known
