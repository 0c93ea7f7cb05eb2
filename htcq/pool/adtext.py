"""ClassAds in long form, as ``condor_status -long`` and ``condor_q -long`` print them.

One ``Attribute = expression`` a line, a blank line between ads
(src/condor_utils/compat_classad.cpp:sPrintAd, 25.14). Parsing every line with the ClassAd library
would take minutes for a large pool, and most lines are of no interest:
one regular expression picks the wanted ones out, and what ads have in common is kept once for
all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from htcq.errors import InputError
from htcq.pool.left_out import AD, LeavingOut

#: Where a pool's text comes from: each call starts at the beginning again.
Chunks = Callable[[], Iterable[bytes]]
#: The lines that ads share: name and expression as they stand in the text.
Lines = tuple[tuple[bytes, bytes], ...]

#: Longer is no ad of HTCondor's, which has some 20 KB: a file without line ends must not fill the
#: memory.
MAX_BYTES_OF_AD = 8 * 1024 * 1024
#: A text with one so long is refused: to read on would take its time for nothing.
_MAX_PASSED_OVER = 64 * 1024 * 1024
_TYPE = re.compile(rb'\nmytype *= *"([A-Za-z_]*)"', re.IGNORECASE)
_NAME = re.compile(rb'\nname *= *"([^"\n]*)"', re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"\n[A-Za-z_][A-Za-z0-9_.]* *=")
#: Comments, headers of schedds, and what condor_q says where there are no jobs are no damage.
_NO_ATTRIBUTE = re.compile(
    rb"\n(?![A-Za-z_][A-Za-z0-9_.:]* *=|#|--|All queues are empty|\s*(?:\n|\Z))([^\n]*)"
)
#: Any other name stands in quotes, if at all; ``*`` ends a beginning.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\*?\Z|\*\Z")
_SHARED, _UNWANTED = -1, -2
#: A name of more letters stands for itself in the expression: branching goes one level deeper with
#: each letter.
_MAX_BRANCHED = 64
#: For more names than this every line is taken apart: an expression for 100,000 names takes 40 s to
#: build.
_MAX_NAMES = 2000
_EVERY_LINE = re.compile(rb"\n([A-Za-z_][A-Za-z0-9_.]*) *= *([^\n]*)")


@dataclass(frozen=True)
class AdSchema:
    """The attributes of one type of ad that are kept.

    ``own`` attributes differ from ad to ad, ``shared`` ones hardly do.

    Names are in lower case; a shared name that ends in ``*`` stands for all that begin so.
    """

    own: tuple[str, ...]
    shared: frozenset[str] = frozenset()

    def pattern(self) -> re.Pattern[bytes]:
        """Return a pattern for the wanted lines of an ad.

        With very many names it finds every line.
        """
        names = [name for name in (*self.own, *self.shared) if _PLAIN_NAME.match(name)]
        if len(names) > _MAX_NAMES:
            return _EVERY_LINE
        return re.compile(rb"\n(" + _any_of(names).encode() + rb") *= *([^\n]*)", re.IGNORECASE)


@dataclass
class Damage:
    """What of a text could not be read: lines, its end, and the items that were left out."""

    lines: int = 0
    first: str = ""
    cut: bool = False
    too_long: int = 0
    #: So many attributes were read because others name them, and no more.
    names: int = 0
    left_out: LeavingOut = field(default_factory=LeavingOut, compare=False)

    def told(self) -> tuple[str, ...]:
        """Return what is damaged, as sentences; empty where nothing is."""
        told = []
        if self.cut:
            told.append("ends in the middle of an ad, which was left out")
        if self.lines:
            told.append(f"has {self.lines} lines that are no attributes, the first: {self.first!r}")
        if self.names:
            told.append(
                f"has expressions that name more than {self.names} attributes; no more were read"
            )
        if self.too_long:
            told.append(
                f"has {self.too_long} ads of more than {MAX_BYTES_OF_AD} bytes, which were left out"
            )
        return tuple(told)

    def look_at(self, block: bytes) -> None:
        """Count the lines of ``block`` that are no attributes."""
        for line in _NO_ATTRIBUTE.findall(block):
            self.lines += 1
            self.first = self.first or line[:60].decode("utf-8", "replace")


@dataclass(frozen=True)
class RawAd:
    """One ad: its type, the texts of its own attributes (None: absent), and its shared lines."""

    type: bytes
    own: list[bytes | None]
    shared: Lines


def blocks(chunks: Iterable[bytes], damage: Damage) -> Iterator[bytes]:
    """Yield the text of each ad, beginning with a line end.

    One that the text's end cuts is left out, and so is one that is too long.

    Raises:
        InputError: one of them is far too long.
    """
    rest, passed_over = b"", 0
    for chunk in chunks:
        text = rest + chunk
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n")
        parts = text.split(b"\n\n")
        rest = parts.pop()
        for part in parts:
            if passed_over or len(part) > MAX_BYTES_OF_AD:
                damage.too_long += 1
                passed_over = 0
            else:
                yield b"\n" + part
        if passed_over or len(rest) > MAX_BYTES_OF_AD:
            # Its end, an empty line, may come in two parts.
            passed_over += len(rest)
            if passed_over > _MAX_PASSED_OVER:
                raise InputError(f"has an ad of more than {_MAX_PASSED_OVER} bytes")
            rest = rest[-1:]
    if passed_over:
        damage.too_long += 1
    elif rest.strip():
        if rest.endswith(b"\n"):
            yield b"\n" + rest
        else:
            damage.cut = True


def read_ads(
    chunks: Iterable[bytes], kinds: Mapping[bytes, AdSchema], damage: Damage, untyped: bytes = b""
) -> Iterator[RawAd]:
    """Yield the ads whose type is among ``kinds``.

    An ad without a type counts as ``untyped`` if that is given.
    """
    tables = {name: _Table(kind) for name, kind in kinds.items()}
    for block in blocks(chunks, damage):
        damage.look_at(block)
        found = _TYPE.search(block)
        table = tables.get(found.group(1) if found else untyped)
        if table is not None:
            ad = table.read(block, found.group(1) if found else untyped)
            # Empty lines and headers stand between ads; what has no type must show otherwise that
            # it is one.
            if found or ad.shared or any(text is not None for text in ad.own):
                yield ad
        elif not found and _ATTRIBUTE.search(block):
            name = _NAME.search(block)
            damage.left_out.add(
                AD, name.group(1).decode("utf-8", "replace") if name else "", "it has no MyType"
            )


class _Table:
    """The wanted lines of one type of ad, and the place of each.

    It learns how names are spelled as they come.
    """

    def __init__(self, kind: AdSchema) -> None:
        self._pattern, self._own, self._places = kind.pattern(), kind.own, dict[bytes, int]()
        self._shared = kind.shared
        self._beginnings = tuple(name[:-1] for name in kind.shared if name.endswith("*"))

    def read(self, block: bytes, type_: bytes) -> RawAd:
        own: list[bytes | None] = [None] * len(self._own)
        shared = []
        for pair in self._pattern.findall(block):
            place = self._places.get(pair[0])
            if place is None:
                place = self._learn(pair[0])
            if place == _SHARED:
                shared.append(pair)
            elif place != _UNWANTED:
                own[place] = pair[1]
        return RawAd(type_, own, tuple(shared))

    def _learn(self, name: bytes) -> int:
        lower = name.decode().lower()
        if lower in self._own:
            place = self._own.index(lower)
        else:
            wanted = lower in self._shared or lower.startswith(self._beginnings)
            place = _SHARED if wanted else _UNWANTED
        self._places[name] = place
        return place


def _any_of(names: list[str]) -> str:
    """Return a regular expression for any of ``names``.

    It branches letter by letter, which makes it fast.
    """
    tree: dict[str, dict] = {}  # type: ignore[type-arg]  # a letter -> the letters that may follow
    long = [
        re.escape(name) for name in names if len(name) > _MAX_BRANCHED and not name.endswith("*")
    ]
    for name in names:
        if len(name) > _MAX_BRANCHED:
            continue
        branch = tree
        for letter in name:
            branch = branch.setdefault(letter, {})
        branch[""] = {}
    return "|".join([_branches(tree), *long])


def _branches(tree: Mapping[str, dict]) -> str:  # type: ignore[type-arg]
    ways = [
        r"[A-Za-z0-9_.]*" if letter == "*" else re.escape(letter) + _branches(rest)
        for letter, rest in tree.items()
        if letter
    ]
    if not ways:
        return ""
    way = ways[0] if len(ways) == 1 and "" not in tree else f"(?:{'|'.join(ways)})"
    return f"{way}?" if "" in tree else way
