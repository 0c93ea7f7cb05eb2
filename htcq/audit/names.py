"""The attributes of a pool's slots and jobs, and the names in expressions that nobody defines.

An attribute that nobody defines is no error to HTCondor: it is undefined, and a condition on it
never holds. Names without a scope are looked up in the ad itself and then in the other one
(src/classad/attrrefs.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from htcq.audit.evidence import Evidence
from htcq.classads import Expr
from htcq.pool.attribute_names import MATCH_NAMES, job_names, slot_names
from htcq.pool.shared_attributes import SharedAttributes
from htcq.spelling import nearest

#: Scopes and literals of the ClassAd language, and CurrentTime, which every ad has.
_LANGUAGE = frozenset(
    (
        "my",
        "target",
        "self",
        "other",
        "parent",
        "root",
        "toplevel",
        "true",
        "false",
        "undefined",
        "error",
        "currenttime",
    )
)
#: Names that the startd copies from its other slots, or that HTCondor puts into ads for a moment.
_MADE = re.compile(r"(?:slot[0-9]+_|_condor_|_cp_|negotiatormatchexpr|machineattr)")
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*\Z")
#: The first part of such a call is evaluated in ads within the ad, which have names of their own.
_INNER = re.compile(r"\b(?:evalin(?:each|any)context|countmatches)\s*\(", re.IGNORECASE)
_SCOPE = r"(?:\b(?:my|target)\s*\.\s*)?\b"
#: Ends of knobs that list attributes which daemons put into ads, some of them only for a time.
_LISTS = ("_ATTRS", "_EXPRS")


@dataclass(frozen=True)
class Unknown:
    """A name that nobody defines.

    ``lacking`` says which ads lack it (``slot``, ``job``, ``slot and no job``), ``near`` is a
    defined name of similar spelling, and ``guarded`` says whether the expression handles its
    absence.
    """

    name: str
    lacking: str
    near: str
    guarded: bool


class Names:
    """The attribute names of a pool, in lower case, each with its usual spelling."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.jobs_are_known = bool(evidence.pool.jobs)

    @cached_property
    def _listed(self) -> set[str]:
        listed: set[str] = set()
        for _, configuration in self._evidence.configurations():
            for knob in configuration:
                if knob.bare.upper().endswith(_LISTS):
                    listed.update(knob.value.replace(",", " ").split())
        return listed

    @cached_property
    def _assets(self) -> set[str]:
        assets: set[str] = set()
        for kind in self._evidence.slot_classes:
            assets.update(kind.assets)
        return assets

    @cached_property
    def slots(self) -> dict[str, str]:
        """The attributes that slots have, or may have at another time."""
        own = _names_of(self._evidence.pool.slot_frames)
        return _spelt(self._listed, slot_names(self._assets), MATCH_NAMES, own)

    @cached_property
    def jobs(self) -> dict[str, str]:
        """The attributes that jobs have, or may have at another time."""
        own = _names_of(self._evidence.pool.job_frames)
        return _spelt(self._listed, job_names(self._assets), MATCH_NAMES, own)

    def unknown(self, expression: Expr, mine: str, alone: bool = False) -> Iterator[Unknown]:
        """Yield the names in ``expression`` that nobody defines.

        ``mine`` is "slot" or "job": the ad that has the expression. ``alone`` says that it is
        evaluated without another ad.
        """
        own, theirs, third = self.slots, self.jobs, "job"
        if mine != "slot":
            own, theirs, third = self.jobs, self.slots, "slot"
        if alone:
            theirs, third = {}, ""
        found, text = expression.references(), _outer(expression.text)
        for name in sorted(found.own):
            if name in own:
                continue
            both = third and re.search(rf"(?<![.\w]){re.escape(name)}\b", text, re.IGNORECASE)
            if not both:
                yield from self._unknown(name, mine, text, (own,))
            elif name not in theirs:
                yield from self._unknown(name, f"{mine} and no {third}", text, (own, theirs))
        for name in sorted(found.target):
            if name not in theirs:
                yield from self._unknown(name, third or "job", text, (theirs,))

    def _unknown(
        self, name: str, lacking: str, text: str, known: Iterable[dict[str, str]]
    ) -> Iterator[Unknown]:
        if name in _LANGUAGE or _MADE.match(name) or not _IDENTIFIER.match(name):
            return
        spelt = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
        if spelt is None:
            return
        candidates: dict[str, str] = {}
        for names in known:
            candidates.update(names)
        near = candidates.get(nearest(name, candidates), "")
        yield Unknown(spelt.group(0), lacking, near, _is_guarded(name, text))


def _spelt(*sources: Iterable[str]) -> dict[str, str]:
    spelt: dict[str, str] = {}
    for names in sources:
        for name in sorted(names):
            spelt[name.lower()] = name
    return spelt


def _names_of(frames: Iterable[SharedAttributes]) -> set[str]:
    names: set[str] = set()
    for frame in frames:
        names.update(frame.names.values())
    return names


def _outer(text: str) -> str:
    """Return ``text`` without strings, and without what is evaluated in ads within the ad."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    for found in reversed(list(_INNER.finditer(text))):
        text = text[: found.end()] + text[_end_of_argument(text, found.end()) :]
    return text


def _end_of_argument(text: str, start: int) -> int:
    """Return the place after the argument of a call that begins at ``start``.

    It is that of the comma, or the one after the closing bracket of the call.
    """
    depth = 0
    for place in range(start, len(text)):
        letter = text[place]
        if letter == "," and depth == 0:
            return place
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if depth < 0:
            return place + 1
    return len(text)


def _is_guarded(name: str, text: str) -> bool:
    """Return whether the expression handles the case that the attribute is undefined."""
    word = _SCOPE + re.escape(name) + r"\b"
    forms = (
        rf"{word}\s*(?:=\?=|=!=|\?:|\bis\b|\bisnt\b)",
        rf"(?:=\?=|=!=|\bis\b|\bisnt\b)\s*{word}",
        rf"\bis(?:undefined|error|string|integer|real|boolean|list|classad)\s*\(\s*{word}",
    )
    return any(re.search(form, text, re.IGNORECASE) for form in forms)
