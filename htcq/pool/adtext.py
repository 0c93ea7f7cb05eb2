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

#: A pool's text: each call starts at the beginning again.
Chunks = Callable[[], Iterable[bytes]]
#: The lines that ads share: name and expression as they stand in the text.
Lines = tuple[tuple[bytes, bytes], ...]

#: An ad of HTCondor has some 20 KB: a file without line ends must not fill the memory.
MAX_BYTES_OF_AD = 8 * 1024 * 1024
#: A text with so long an ad is refused: it would take long to read, for nothing.
_MAX_SKIPPED = 64 * 1024 * 1024
_TYPE = re.compile(rb'\nmytype *= *"([A-Za-z_]*)"', re.IGNORECASE)
_NAME = re.compile(rb'\nname *= *"([^"\n]*)"', re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"\n[A-Za-z_][A-Za-z0-9_.]* *=")
#: Comments, headers of schedds, and what condor_q says where there are no jobs are no damage.
_NO_ATTRIBUTE = re.compile(
    rb"\n(?![A-Za-z_][A-Za-z0-9_.:]* *=|#|--|All queues are empty|\s*(?:\n|\Z))([^\n]*)"
)
#: A name without quotes; ``*`` ends a beginning.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\*?\Z|\*\Z")
_SHARED, _UNWANTED = -1, -2
#: Longer names are alternatives of their own: branching goes one level deeper with each letter.
_MAX_BRANCHED = 64
#: With more names every line is parsed: an expression for 100,000 names takes 40 s to build.
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
    """Damage of a text: lines, its end, and the items that were left out."""

    lines: int = 0
    first: str = ""
    cut: bool = False
    too_long: int = 0
    #: The limit at which no more attributes were read because others name them; 0: not reached.
    names: int = 0
    left_out: LeavingOut = field(default_factory=LeavingOut, compare=False)

    def sentences(self) -> tuple[str, ...]:
        """Return what is damaged, as sentences; empty where nothing is."""
        found = []
        if self.cut:
            found.append("ends in the middle of an ad, which was left out")
        if self.lines:
            found.append(
                f"has {self.lines} lines that are no attributes, the first: {self.first!r}"
            )
        if self.names:
            found.append(
                f"has expressions that name more than {self.names} attributes; no more were read"
            )
        if self.too_long:
            found.append(
                f"has {self.too_long} ads of more than {MAX_BYTES_OF_AD} bytes, which were left out"
            )
        return tuple(found)

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
    rest, skipped = b"", 0
    for chunk in chunks:
        text = rest + chunk
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n")
        parts = text.split(b"\n\n")
        rest = parts.pop()
        for part in parts:
            if skipped or len(part) > MAX_BYTES_OF_AD:
                damage.too_long += 1
                skipped = 0
            else:
                yield b"\n" + part
        if skipped or len(rest) > MAX_BYTES_OF_AD:
            # Its end, an empty line, may come in two parts.
            skipped += len(rest)
            if skipped > _MAX_SKIPPED:
                raise InputError(f"has an ad of more than {_MAX_SKIPPED} bytes")
            rest = rest[-1:]
    if skipped:
        damage.too_long += 1
    elif rest.strip():
        if rest.endswith(b"\n"):
            yield b"\n" + rest
        else:
            damage.cut = True


def read_ads(
    chunks: Iterable[bytes],
    schemas: Mapping[bytes, AdSchema],
    damage: Damage,
    untyped: bytes = b"",
) -> Iterator[RawAd]:
    """Yield the ads whose type is among ``schemas``.

    An ad without a type counts as ``untyped`` if that is given.
    """
    tables = {name: _Table(schema) for name, schema in schemas.items()}
    for block in blocks(chunks, damage):
        damage.look_at(block)
        found = _TYPE.search(block)
        ad_type = untyped
        if found:
            ad_type = found.group(1)
        table = tables.get(ad_type)
        if table is not None:
            ad = table.read(block, ad_type)
            # Empty lines and headers stand between ads; what has no type must show otherwise that
            # it is one.
            if found or ad.shared or any(text is not None for text in ad.own):
                yield ad
        elif not found and _ATTRIBUTE.search(block):
            damage.left_out.add(AD, _name_in(block), "it has no MyType")


def _name_in(block: bytes) -> str:
    name = _NAME.search(block)
    if name is None:
        return ""
    return name.group(1).decode("utf-8", "replace")


class _Table:
    """The wanted lines of one type of ad, and the place of each.

    It learns how names are spelled as they come.
    """

    def __init__(self, schema: AdSchema) -> None:
        self._pattern, self._own, self._places = schema.pattern(), schema.own, dict[bytes, int]()
        self._shared = schema.shared
        self._beginnings = tuple(name[:-1] for name in schema.shared if name.endswith("*"))

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
        elif lower in self._shared or lower.startswith(self._beginnings):
            place = _SHARED
        else:
            place = _UNWANTED
        self._places[name] = place
        return place


def _any_of(names: list[str]) -> str:
    """Return a regular expression for any of ``names``.

    It branches letter by letter, which makes it fast.
    """
    tree: dict[str, dict] = {}  # type: ignore[type-arg]  # a letter -> the letters that may follow
    long = []
    for name in names:
        if len(name) > _MAX_BRANCHED:
            if not name.endswith("*"):
                long.append(re.escape(name))
            continue
        branch = tree
        for letter in name:
            branch = branch.setdefault(letter, {})
        branch[""] = {}
    return "|".join([_branches(tree), *long])


def _branches(tree: Mapping[str, dict]) -> str:  # type: ignore[type-arg]
    """Return the expression of the names that go on from here; an empty letter ends one."""
    ways = []
    for letter, rest in tree.items():
        if letter == "*":
            ways.append(r"[A-Za-z0-9_.]*")
        elif letter:
            ways.append(re.escape(letter) + _branches(rest))
    if not ways:
        return ""
    optional = "" in tree
    way = ways[0]
    if len(ways) > 1 or optional:
        way = f"(?:{'|'.join(ways)})"
    if not optional:
        return way
    return f"{way}?"
