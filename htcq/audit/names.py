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
from htcq.classad.names import guarded, own_parts, spelling
from htcq.classad.parser import parse
from htcq.classad.tree import Reference
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
        looked_up = _LookedUp(expression)
        for name in sorted(looked_up.own):
            if name in own:
                continue
            if not third or name not in looked_up.bare:
                yield from looked_up.unknown(name, mine, (own,))
            elif name not in theirs:
                yield from looked_up.unknown(name, f"{mine} and no {third}", (own, theirs))
        for name in sorted(looked_up.target):
            if name not in theirs:
                yield from looked_up.unknown(name, third or "job", (theirs,))


class _LookedUp:
    """The attributes that an expression looks up in the two ads, not in ads within these."""

    def __init__(self, expression: Expr) -> None:
        tree = parse(expression.text)
        self._guarded = guarded(tree)
        self._spelling: dict[str, str] = {}
        #: Those without a scope.
        self.bare: set[str] = set()
        for part in own_parts(tree):
            if isinstance(part, Reference):
                self._spelling.setdefault(part.name, spelling(expression.text, part))
                if part.scope is None:
                    self.bare.add(part.name)
        self.own, self.target = expression.references()

    def unknown(
        self, name: str, lacking: str, known: Iterable[dict[str, str]]
    ) -> Iterator[Unknown]:
        """Yield ``name`` if it is that of an attribute, with a near one among those ``known``."""
        spelt = self._spelling.get(name)
        if spelt is None or name in _LANGUAGE or _MADE.match(name) or not name.isidentifier():
            return
        candidates: dict[str, str] = {}
        for names in known:
            candidates.update(names)
        near = candidates.get(nearest(name, candidates), "")
        yield Unknown(spelt, lacking, near, name in self._guarded)


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
