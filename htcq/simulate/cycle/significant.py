"""Requests as schedds send them: a job without the attributes that are not significant.

Follows compute_significant_attrs of src/condor_negotiator.V6/matchmaker.cpp, src/condor_schedd.V6/autocluster.cpp
(config, getClusterid) and schedd_negotiate.cpp (sendJobInfo), HTCondor 25.14. What expressions of slots name is
significant, and what the job's own significant expressions name. The negotiator leaves attributes out of the former
since 25.5; to slots a request does not have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.quota.knobs import Knobs

#: The first version whose negotiator leaves any out, and what it leaves out unless told otherwise (param_info.in).
LEAVES_OUT = (25, 5)
_NAMES, _PATTERN = "REMOVE_SIGNIFICANT_ATTRIBUTES", "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"
_USUAL_NAMES, _USUAL_PATTERN = "CpusUsage,DiskUsage,GPUsUsage,MemoryUsage,ResidentSetSize", "^Slot[0-9]*_"
#: Always significant.
_ALWAYS = frozenset({"requirements", "rank", "concurrencylimits", "flockto"})
#: Longer is no name that a pattern is meant for.
_MAX_LETTERS = 100
_LISTED = re.compile(r"[^\s,]+")


class Significant:
    """The attributes of jobs that requests have; ``named`` are the words of all expressions of slots.

    ``negotiator`` is the version of the negotiator; empty where it is not known, then it counts as a new one.
    """

    def __init__(self, knobs: Knobs, named: Iterable[str], negotiator: tuple[int, ...] = ()) -> None:
        self._all = () < negotiator < LEAVES_OUT
        names = knobs.text(_NAMES)
        self._names = {name.lower() for name in _LISTED.findall(_USUAL_NAMES if names is None else names)}
        self._pattern = _compiled(knobs.text(_PATTERN) or _USUAL_PATTERN)
        self._roots = tuple(sorted({name for name in named if not self._left_out(name)} | _ALWAYS))
        self._known: dict[int, SharedAttributes] = {}
        self._alike: dict[tuple[tuple[str, str], ...], SharedAttributes] = {}
        self._expressions = Expressions()

    def frame(self, frame: SharedAttributes) -> SharedAttributes:
        """Return the frame of a request for jobs with ``frame``; the same one for jobs that it does not tell apart."""
        found = self._known.get(id(frame))
        if found is None:
            found = self._known[id(frame)] = self._request(frame)
        return found

    def _request(self, frame: SharedAttributes) -> SharedAttributes:
        left_out = set() if self._all else {name for name in frame.texts if self._left_out(name)}
        if left_out:
            left_out -= _reached(self._roots, frame)
        if not left_out:
            return frame
        kept = tuple(sorted((name, text) for name, text in frame.texts.items() if name not in left_out))
        if kept not in self._alike:
            lines = tuple(line for line in frame.lines if line[0].decode("utf-8", "replace").lower() not in left_out)
            self._alike[kept] = SharedAttributes(lines, self._expressions)
        return self._alike[kept]

    def _left_out(self, name: str) -> bool:
        if name in self._names:
            return True
        return self._pattern is not None and self._pattern.search(name[:_MAX_LETTERS]) is not None


def _compiled(text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error:
        return None


def _reached(roots: Iterable[str], frame: SharedAttributes) -> set[str]:
    """Return the attributes that are in ``roots``, and all that their expressions name in the same ad."""
    found: set[str] = set()
    waiting = [name for name in roots if name in frame]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        expression = frame.expression(name)
        if expression is not None:
            waiting += [each for each in expression.references().own if each in frame]
    return found
