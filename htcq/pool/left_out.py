"""Items of a pool that cannot be used.

A bad ad is left out, counted and named; the rest of the pool stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: Kinds of items.
KINDS = AD, ASSET, JOB, SLOT, SUBMITTER, SCHEDD, NEGOTIATOR, COLLECTOR, ACCOUNT, USER = (
    "ad", "asset", "job", "slot", "submitter", "schedd", "negotiator", "collector",
    "accounting record", "user record",
)  # fmt: skip
#: The number of items of one kind that are named.
_MAX_NAMED = 3
#: A longer name or reason is cut.
_MAX_NAME, _MAX_REASON = 60, 100


@dataclass(frozen=True)
class LeftOut:
    """Items of one kind that were left out: their number, and the first ones with the reason."""

    what: str
    count: int
    named: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """A sentence such as ``1 job left out: 12.0 of ap1: its ClusterId is no number``."""
        plural = "s"
        if self.count == 1:
            plural = ""
        text = f"{self.count} {self.what}{plural} left out"
        if self.named:
            text += f": {'; '.join(self.named)}"
            unnamed = self.count - len(self.named)
            if unnamed > 0:
                text += f"; and {unnamed} more"
        return text


class LeavingOut:
    """Collects the items that are left out."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._named: dict[str, list[str]] = {}

    def add(self, what: str, name: str, why: str) -> None:
        """Count one item, and name it if it is among the first of its kind."""
        self._counts[what] = self._counts.get(what, 0) + 1
        named = self._named.setdefault(what, [])
        if len(named) < _MAX_NAMED:
            shown = _cut(name, _MAX_NAME) or "one without a name"
            named.append(f"{shown}: {_cut(why, _MAX_REASON)}")

    def found(self) -> tuple[LeftOut, ...]:
        """Return what was left out, one record for each kind."""
        records = []
        for what, count in self._counts.items():
            records.append(LeftOut(what, count, tuple(self._named[what])))
        return tuple(records)


def together(parts: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Return ``parts`` with those of one kind joined."""
    joined: dict[str, LeftOut] = {}
    for part in parts:
        before = joined.get(part.what)
        if before is None:
            joined[part.what] = part
        else:
            named = (*before.named, *part.named)[:_MAX_NAMED]
            joined[part.what] = LeftOut(part.what, before.count + part.count, named)
    return tuple(joined.values())


def left_out_json(found: Iterable[LeftOut]) -> list[dict[str, object]]:
    """Return ``found`` as meta.json and the JSON of commands have it."""
    return [{"what": each.what, "count": each.count, "named": list(each.named)} for each in found]


def left_out_from(entries: object) -> tuple[LeftOut, ...]:
    """Return the items that were left out of a snapshot, as its meta.json lists them.

    Entries of another form are ignored.
    """
    if not isinstance(entries, list):
        return ()
    found = [_one_from(each) for each in entries]
    return tuple(each for each in found if each is not None)


def _one_from(entry: object) -> LeftOut | None:
    if not isinstance(entry, Mapping):
        return None
    what, count, named = entry.get("what"), entry.get("count"), entry.get("named")
    if not isinstance(what, str) or not isinstance(named, list):
        return None
    if not isinstance(count, int) or not 0 < count < 2**63:
        return None
    texts = tuple(_cut(str(each), _MAX_NAME + _MAX_REASON) for each in named[:_MAX_NAMED])
    return LeftOut(_cut(what, _MAX_NAME), count, texts)


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return f"{text[:length]}…"
