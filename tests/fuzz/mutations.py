"""Changes of one file: of its bytes, of its lines, of its values, of its structure; each has a name to count it by."""

from __future__ import annotations

import gzip
import json
import lzma
import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz.values import KNOB_LINES, json_value, text_value

#: What one mutation makes of a file; another of the same kind is there to be mixed in.
Mutation = Callable[[Random, bytes, bytes, str], bytes]
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def flip(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Change some bits."""
    if not content:
        return b"\x00"
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """End early, as after a crash."""
    return content[: rng.randrange(len(content) + 1)]


def drop(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Leave out a part."""
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.choice((1, 10, 100, 1000)) :]


def insert(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Put something odd anywhere."""
    place = rng.randrange(len(content) + 1)
    return content[:place] + text_value(rng, kind) + content[place:]


def splice(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Go on as another file of the kind does."""
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def number(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Make another number of one."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content + b"1"
    one = rng.choice(found)
    value = rng.choice(
        (
            b"0",
            b"-1",
            b"1e999",
            b"-" + one[0],
            one[0] + b"000000000",
            b"9" * 25,
            b"0.1",
            b"nan",
            b"",
        )
    )
    return content[: one.start()] + value + content[one.end() :]


def value(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Give one name, or some, another value."""
    lines = content.split(b"\n")
    named = [place for place, line in enumerate(lines) if b"=" in line]
    for place in rng.choices(named, k=rng.choice((1, 1, 2, 6))) if named else ():
        lines[place] = lines[place].partition(b"=")[0] + b"= " + text_value(rng, kind)
    return b"\n".join(lines)


def name(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Give one value another name."""
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    lines[place] = text_value(rng, "") + b" =" + lines[place].partition(b"=")[2]
    return b"\n".join(lines)


def lines(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Double, move, remove or join lines."""
    found = content.split(b"\n")
    place, way = rng.randrange(len(found)), rng.randrange(5)
    if way == 0:
        found.insert(rng.randrange(len(found) + 1), found[place])
    elif way == 1:
        found.insert(rng.randrange(len(found)), found.pop(place))
    elif way == 2:
        del found[place]
    elif way == 3:
        found[place : place + 2] = [b"".join(found[place : place + 2])]
    else:
        found[place:place] = [found[place]] * 500
    return b"\n".join(found)


def same_names(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Give the same value to a name wherever it is."""
    names = sorted({line.partition(b"=")[0] for line in content.split(b"\n") if b"=" in line})
    if not names:
        return content
    chosen, given = rng.choice(names), text_value(rng, kind)
    replaced = [
        chosen + b"= " + given if line.partition(b"=")[0] == chosen else line
        for line in content.split(b"\n")
    ]
    return b"\n".join(replaced)


def doubling(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Let one attribute need another twice, and that the next: so many steps for so few lines."""
    depth = rng.choice((10, 25, 60))
    chain = b"".join(
        b"Bomb%d = Bomb%d + Bomb%d\n" % (step, step + 1, step + 1) for step in range(depth)
    )
    chain += b"Bomb%d = 1\n" % depth
    used = rng.choice(
        (b"SlotWeight", b"Requirements", b"Rank", b"RequestCpus", b"Start", b"ConsumptionCpus")
    )
    ads = content.split(b"\n\n")
    place = rng.randrange(len(ads))
    ads[place] = ads[place].rstrip(b"\n") + b"\n" + chain + used + b" = Bomb0\n"
    return b"\n\n".join(ads)


def knob_line(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Add lines that do more than set a knob."""
    found = content.split(b"\n")
    for _ in range(rng.choice((1, 1, 3))):
        found.insert(rng.randrange(len(found) + 1), rng.choice(KNOB_LINES))
    return b"\n".join(found)


def _spots(node: Any) -> list[tuple[Any, Any]]:
    """Return every place of a value in ``node``, as what holds it and its key there."""
    found = []
    pairs = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, inner in pairs:
        found.append((node, key))
        found += _spots(inner)
    return found


def json_values(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Replace, remove or rename something of a JSON document."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return flip(rng, content, other, kind)
    for _ in range(rng.choice((1, 1, 2, 4))):
        spots = _spots(whole)
        if not spots:
            return json.dumps(json_value(rng)).encode()
        holder, key = rng.choice(spots)
        way = rng.random()
        if way < 0.7:
            holder[key] = json_value(rng)
        elif way < 0.85:
            del holder[key]
        elif isinstance(holder, dict):
            holder[text_value(rng, "").decode("utf-8", "replace")] = holder.pop(key)
    return json.dumps(whole).encode()


def json_lines(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Change the object on one line."""
    found = content.split(b"\n")
    places = [place for place, line in enumerate(found) if line]
    if places:
        place = rng.choice(places)
        found[place] = json_values(rng, found[place], other, kind)
    return b"\n".join(found)


def packed_anew(rng: Random, content: bytes, other: bytes, kind: str) -> bytes:
    """Change the inside of a compressed file, and compress it again as another program would."""
    for opened, closed in ((gzip.decompress, gzip.compress), (lzma.decompress, lzma.compress)):
        try:
            inside = opened(content)
        except (OSError, EOFError, lzma.LZMAError):
            continue
        changed = rng.choice((flip, cut, drop, insert, number))(rng, inside, inside, kind)
        again = rng.choice((closed, lambda data: gzip.compress(gzip.compress(data))))
        return again(changed)
    return flip(rng, content, other, kind)


_BYTES: tuple[Mutation, ...] = (flip, cut, drop, insert, splice)
_LINES: tuple[Mutation, ...] = (value, value, value, value, name, lines, number, same_names)
_MUTATIONS: dict[str, tuple[Mutation, ...]] = {
    "ads": (*_BYTES, *_LINES, *_LINES, doubling),
    "config": (*_BYTES, *_LINES, knob_line, knob_line),
    "toml": (*_BYTES, *_LINES, *_LINES),
    "json": (*_BYTES, number, *(json_values,) * 8),
    "jsonl": (*_BYTES, number, lines, *(json_lines,) * 8),
    "archive": (*_BYTES, packed_anew, packed_anew),
    "bytes": (*_BYTES, flip, number),
}


def mutated(rng: Random, kind: str, content: bytes, other: bytes) -> tuple[str, bytes]:
    """Return the name of a mutation for files of ``kind``, and what it makes of ``content``."""
    chosen = rng.choice(_MUTATIONS[kind])
    return f"{kind} {chosen.__name__}", chosen(rng, content, other, kind)
