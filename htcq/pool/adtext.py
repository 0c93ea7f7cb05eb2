"""ClassAds in long form, as ``condor_status -long`` and ``condor_q -long`` print them.

One ``Attribute = expression`` a line, a blank line between ads
(src/condor_utils/compat_classad.cpp:sPrintAd, 25.14). Parsing every line with the ClassAd library
would take minutes for a large pool, and most lines are of no interest: the wanted ones are
picked out, and what ads have in common is kept once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.errors import InputError
from htcq.pool.ad_lines import AdSchema, Form, Forms, RawAd, Table
from htcq.pool.left_out import AD, LeavingOut
from htcq.pool.values import Interned

#: A pool's text: each call starts at the beginning again.
Chunks = Callable[[], Iterable[bytes]]

#: An ad of HTCondor has some 20 KB: a file without line ends must not fill the memory.
MAX_BYTES_OF_AD = 8 * 1024 * 1024
#: A text with so long an ad is refused: it would take long to read, for nothing.
_MAX_SKIPPED = 64 * 1024 * 1024
_TYPE = re.compile(rb'\nmytype *= *"([A-Za-z_]*)"', re.IGNORECASE)
_NAME = re.compile(rb'\nname *= *"([^"\n]*)"', re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"\n[A-Za-z_][A-Za-z0-9_.]* *=")
#: Comments, headers of schedds, and what condor_q says where there are no jobs are no damage.
_NO_DAMAGE = re.compile(rb"[A-Za-z_][A-Za-z0-9_.:]* *=|#|--|All queues are empty|\s*\Z")


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

    def odd(self, line: bytes) -> bool:
        """Count a line without a name; return whether it is damaged."""
        if _NO_DAMAGE.match(line):
            return False
        self.lines += 1
        self.first = self.first or line[:60].decode("utf-8", "replace")
        return True


def blocks(chunks: Iterable[bytes], damage: Damage) -> Iterator[bytes]:
    """Yield the text of each ad.

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
                yield part
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
            yield rest
        else:
            damage.cut = True


def read_ads(
    chunks: Iterable[bytes],
    schemas: Mapping[bytes, AdSchema],
    damage: Damage,
    values: Interned,
    untyped: bytes = b"",
) -> Iterator[RawAd]:
    """Yield the ads whose type is among ``schemas``, with ``values`` of their texts.

    An ad without a type counts as ``untyped`` if that is given.
    """
    forms, reader = Forms(), _Reader(schemas, damage, values, untyped)
    for block in blocks(chunks, damage):
        lines = block.split(b"\n")
        ad = forms.read(lines)
        if ad is None:
            ad, form = reader.read(b"\n" + block, lines)
            forms.remember(lines, form)
        if ad is not None and ad.type in schemas:
            yield ad


class _Reader:
    """Reads ads of which no like one is known."""

    def __init__(
        self,
        schemas: Mapping[bytes, AdSchema],
        damage: Damage,
        values: Interned,
        untyped: bytes,
    ) -> None:
        self._tables = {name: Table(schema, values) for name, schema in schemas.items()}
        self._damage, self._untyped = damage, untyped
        self._of_others = Table(AdSchema(()), values)

    def read(self, block: bytes, lines: Sequence[bytes]) -> tuple[RawAd | None, Form | None]:
        """Return the ad, None where it is none, and its form if the next ads may have it.

        ``block`` is the text of ``lines`` behind a line end.
        """
        found = _TYPE.search(block)
        ad_type = self._untyped
        if found:
            ad_type = found.group(1)
        table = self._tables.get(ad_type)
        ad, form = (table or self._of_others).read(lines, ad_type, self._damage.odd)
        if found:
            return ad, form
        if table is None:
            if _ATTRIBUTE.search(block):
                self._damage.left_out.add(AD, _name_in(block), "it has no MyType")
            return None, None
        # Empty lines and headers stand between ads; what has no type must show otherwise that it
        # is one.
        if ad.shared or any(text is not None for text in ad.texts):
            return ad, form
        return None, None


def _name_in(block: bytes) -> str:
    name = _NAME.search(block)
    if name is None:
        return ""
    return name.group(1).decode("utf-8", "replace")
