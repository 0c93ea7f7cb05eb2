"""Search of anonymous text for names that must not be in it.

The search goes word by word, whatever the case. A word is no name if HTCondor knows it, or if it is
a number or a new name. Any other word must not contain a name of three letters or more, nor be a
shorter one. Names of several words are searched for as they are. A name that is also a word of
HTCondor's own (a user called memory) is searched for only where a name must stand.
"""

from __future__ import annotations

import re
from collections.abc import Set

from htcq.htcondor.knob_names import stems
from htcq.pool.disclosed_knobs import KNOBS
from htcq.pool.disclosure import VOCABULARY
from htcq.pool.identities import NOBODY, Names
from htcq.pool.pseudonyms import folded

_WORD = re.compile(r"[A-Za-z0-9_\u0080-\U0010ffff]+")
#: Numbers, also in hexadecimal forms of floating-point numbers; places of groups; slots.
_HARMLESS = re.compile(
    r"[0-9]+(?:e[0-9]+)?[kmgt]?b?\Z|g[0-9]+\Z|slot[0-9]+(?:_[0-9]+)*\Z|backfill[0-9_]*\Z"
)
_BEGINNINGS = (
    "_cp_orig_request", "_condor_request", "consumption", "totalslot", "available", "assigned",
    "detected", "request", "require", "offline", "total", "child", "gpus_", "gpu_", "mig_",
    "modify_request_expr_request", "job_default_request", "concurrency_limit_default_",
    *sorted((f"{stem.lower()}_" for stem in stems()), key=len, reverse=True),
)  # fmt: skip
_NUMBERED = re.compile(r"(?:slot_type|num_slots_type)_[0-9]+_?")
#: Words that disclose nothing about a site.
_HARMLESS_WORDS = VOCABULARY | {name.lower() for name in KNOBS}
_NEW_NAME = re.compile(r"(?:user|host|domain|daemon|word|limit|g[0-9]+)[-_][0-9a-f]{8,}")
_ENDINGS = ("_limit", "provisioned", "averageusage", "usage")
_MIN_LETTERS = 3
#: A longer word is not made of others.
_MAX_LETTERS = 200


class NameSearch:
    """Looks for the names of a pool."""

    def __init__(self, names: Names, keep_groups: bool = False) -> None:
        kept: set[str] = set()
        given = names.users | names.labels | names.domains | names.daemons | names.others
        if keep_groups:
            for group in names.known_groups():
                kept.update(_WORD.findall(group))
        else:
            given |= names.groups
        folds = {low for low in map(_folded, given) if _WORD.search(low)}
        single = {name for name in folds if _WORD.fullmatch(name)}
        #: Those that are words of HTCondor's own besides.
        self.common = {name for name in folds if self._is_common(name, kept)}
        self._single = single - self.common
        self._long = [name for name in self._single if len(name) >= _MIN_LETTERS]
        #: Names of several words by the first of them.
        self._joint: dict[str, list[str]] = {}
        for name in folds - single - self.common:
            self._joint.setdefault(_WORD.findall(name)[0], []).append(name)
        self._strange: dict[str, bool] = {}
        self._allowed: Set[str] = frozenset()
        self._kept = kept
        self._known: dict[str, bool] = {}

    def _is_common(self, name: str, kept: Set[str]) -> bool:
        """Return whether a name is a word of HTCondor's, or a number; an address is no number."""
        words = _WORD.findall(name)
        if len(words) == 1 and _HARMLESS.match(words[0]):
            return True
        return all(word in _HARMLESS_WORDS or word in kept for word in words)

    def allow(self, made: Set[str]) -> None:
        """Take ``made`` for no names: new ones, and their parts."""
        self._allowed = made
        self._strange.clear()

    def holds_name(self, text: str) -> bool:
        """Return whether a text holds a name, however it is spelled."""
        low = _folded(text)
        return any(self._begins(low, found) for found in _WORD.finditer(low))

    def _begins(self, low: str, found: re.Match[str]) -> bool:
        """Return whether a name begins in the word ``found``."""
        word = found.group()
        for name in self._joint.get(word, ()):
            if _stands(name, low, found.end()):
                return not self._is_made(word)
        strange = self._strange.get(word)
        if strange is None:
            strange = self._strange[word] = not self._is_excused(word)
        return strange and (self._is_name(word) or self._ends_strangely(low, found))

    def _ends_strangely(self, low: str, found: re.Match[str]) -> bool:
        """Return whether a name of several words begins inside a word."""
        word = found.group()
        for place in range(1, len(word) - 1):
            for name in self._joint.get(word[place:], ()):
                if _stands(name, low, found.end()):
                    return True
        return False

    def _is_made(self, word: str) -> bool:
        """Return whether a word is a new name.

        What begins with it then only looks like an old one.
        """
        return word in self._allowed and word not in _HARMLESS_WORDS and not _HARMLESS.match(word)

    def _is_name(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = word in self._single or any(name in word for name in self._long)
            self._known[word] = known
        return known

    def _is_excused(self, word: str) -> bool:
        """Return whether a word, with or without HTCondor's prefixes, discloses nothing."""
        if word in self._allowed or word in _HARMLESS_WORDS or word in self._kept:
            return True
        if _HARMLESS.match(word):
            return True
        if len(word) > _MAX_LETTERS:
            return False
        numbered = _NUMBERED.match(word)
        if numbered:
            return self._is_excused(word[numbered.end() :] or "0")
        for beginning in _BEGINNINGS:
            if word.startswith(beginning) and self._is_excused(word[len(beginning) :]):
                return True
        for ending in _ENDINGS:
            if word.endswith(ending) and self._is_excused(word[: -len(ending)]):
                return True
        return False

    def names_stand(self, text: str) -> bool:
        """Return whether a text that must consist of new names has anything else."""
        for word in _WORD.findall(_NEW_NAME.sub("", _folded(text))):
            if word in self.common and word not in NOBODY and not _HARMLESS.match(word):
                return True
        return False


def _stands(name: str, text: str, end: int) -> bool:
    """Return whether ``name`` occurs in ``text`` and is not followed by more digits.

    The first word of ``name`` ends at ``end``.
    """
    start = end
    first = _WORD.search(name)
    if first:
        start -= first.end()
    if start < 0 or not text.startswith(name, start):
        return False
    after = text[start + len(name) : start + len(name) + 1]
    return not (name[-1].isdigit() and after.isdigit())


def _folded(text: str) -> str:
    return folded(text).casefold()
