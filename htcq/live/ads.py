"""Queries that run in a child process each: ask a daemon for ads and write them down in long form, one after another.

The bindings hold all ads of an answer at once, so ads are dropped as soon as they are written; the child's end frees
the rest. Attributes are sorted as condor_status sorts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from htcq.live import projections
from htcq.live.bindings import load
from htcq.pool.secrets import is_secret_attribute, scrub

#: What is needed to reach a daemon.
LOCATION = ("Name", "Machine", "MyAddress", "MyType", "CondorVersion")
#: Static and partitionable slots: they have a policy of their own, dynamic ones have their parent's.
_NOT_DYNAMIC = "DynamicSlot =!= true"
_SCOPES = ("target.", "my.", "other.", "self.", "parent.")
#: What becomes of an attribute: kept, dropped, or dropped where it is a text.
_KEEP, _DROP, _LOOK = 0, 1, 2


@dataclass(frozen=True)
class Written:
    """What a query brought besides the file: how many ads, where their daemons are, what their expressions name."""

    count: int
    locations: tuple[dict[str, str], ...] = ()
    named: frozenset[str] = frozenset()
    assets: frozenset[str] = frozenset()
    pool: str = ""


@dataclass
class LongForm:
    """Writes ads without their secrets."""

    names: dict[str, tuple[str, int]] = field(default_factory=dict)

    def text(self, ad: Any, extra: str = "") -> str:
        """Return ``ad`` as ``condor_status -long`` prints it; ``extra`` is one more line."""
        lines = ad.printOld().split("\n")
        lines = [line for line in lines if line]
        if len(lines) != len(ad):
            # A line break within a text: it is written as an escape, or the ad would fall apart when it is read.
            lines = [f"{name} = {_one_line(ad.lookup(name))}" for name in ad]
        kept = [(self._sorting(line), line) for line in lines if not self._is_secret(line)]
        if extra:
            kept.append((self._sorting(extra), extra))
        return scrub("\n".join(line for _, line in sorted(kept))) + "\n\n"

    def _entry(self, line: str) -> tuple[str, int]:
        name = line.partition(" = ")[0]
        entry = self.names.get(name)
        if entry is None:
            verdict = _DROP if is_secret_attribute(name) else _LOOK if is_secret_attribute(name, '"') else _KEEP
            entry = self.names[name] = (name.lower(), verdict)
        return entry

    def _sorting(self, line: str) -> str:
        return self._entry(line)[0]

    def _is_secret(self, line: str) -> bool:
        verdict = self._entry(line)[1]
        return verdict == _DROP or (verdict == _LOOK and line.partition(" = ")[2].startswith('"'))


def _one_line(expression: object) -> str:
    return str(expression).replace("\r", "\\r").replace("\n", "\\n")


@dataclass
class References:
    """The attributes that expressions name outside their own ad; each distinct expression is looked at once."""

    names: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def add(self, ad: Any, name: str) -> None:
        """Take up what the attribute ``name`` of ``ad`` refers to."""
        expression = ad.lookup(name)
        text = str(expression)
        if text in self.seen or not any(letter.isalpha() for letter in text):
            return
        self.seen.add(text)
        for reference in ad.externalRefs(expression):
            self.names.add(_unscoped(reference))

    def wanted(self) -> frozenset[str]:
        """Return the names that can be asked for."""
        return frozenset(name for name in self.names if name.isidentifier() and not is_secret_attribute(name))


def _unscoped(reference: str) -> str:
    for scope in _SCOPES:
        if reference.lower().startswith(scope):
            reference = reference[len(scope) :]
    return reference.partition(".")[0]


@contextmanager
def whole(path: Path) -> Iterator[TextIO]:
    """Open ``path`` for writing; it is there only when all has been written."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8", errors="surrogateescape") as out:
        yield out
    unfinished.replace(path)


def _location(ad: Any) -> dict[str, str]:
    return {name: str(ad[name]) for name in LOCATION if name in ad}


def _taken(ads: list[Any]) -> Iterable[Any]:
    """Yield ``ads`` in their order, each of which can be freed before the next is looked at."""
    ads.reverse()
    while ads:
        yield ads.pop()


def query_collector(pool: str | None, ad_type: str, projection: Sequence[str], path: Path) -> Written:
    """Write the ads of ``ad_type`` (a name of htcondor2.AdType) to ``path``, and tell where their daemons are."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(getattr(htcondor2.AdType, ad_type), projection=list(projection))
    locations, form, count = [], LongForm(), 0
    with whole(path) as out:
        for ad in _taken(found):
            count += 1
            locations.append(_location(ad))
            out.write(form.text(ad))
    return Written(count, tuple(locations), pool=pool or str(htcondor2.param.get("COLLECTOR_HOST", "")))


def query_slot_expressions(pool: str | None) -> Written:
    """Return what the expressions of slots name in jobs, and the assets that slots hand out."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(
        htcondor2.AdType.Startd, _NOT_DYNAMIC, projection=list(projections.SLOT_EXPRESSIONS)
    )
    references, count = References(), 0
    assets: set[str] = set()
    for ad in _taken(found):
        count += 1
        resources = ad.get("MachineResources")
        assets.update(str(resources).replace(",", " ").split() if isinstance(resources, str) else ())
        for name in ad:
            if name != "Name":
                references.add(ad, name)
    return Written(
        count, named=references.wanted(), assets=frozenset(asset for asset in assets if asset.isidentifier())
    )


def query_slots(pool: str | None, projection: Sequence[str], path: Path) -> Written:
    """Write the slots' ads to ``path``, and tell where one startd of each distinct policy is."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(htcondor2.AdType.Startd, projection=list(projection))
    policies: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    form, count = LongForm(), 0
    with whole(path) as out:
        for ad in _taken(found):
            count += 1
            if ad.get("DynamicSlot") is not True:
                policies.setdefault(_policy(ad), _location(ad))
            out.write(form.text(ad))
    return Written(count, tuple(policies.values()))


def _policy(ad: Any) -> tuple[tuple[str, str], ...]:
    names = ("slotweight", "condorversion")
    kept = [name for name in ad if name.lower() in names or name.lower().startswith("consumption")]
    return tuple(sorted((name.lower(), str(ad.lookup(name))) for name in kept))


def location_ad(location: dict[str, str]) -> Any:
    """Return a daemon's location as the bindings take it; only after :func:`load`."""
    import classad2

    ad = classad2.ClassAd()
    for name, value in location.items():
        ad[name] = value
    return ad


def query_jobs(location: dict[str, str], projection: Sequence[str], path: Path) -> Written:
    """Write the jobs of one schedd to ``path``, and tell what their expressions name in slots.

    ScheddName is added to each: condor_q prints it above the jobs instead.
    """
    htcondor2 = load()
    found = htcondor2.Schedd(location_ad(location)).query(projection=list(projection))
    references, form, count = References(), LongForm(), 0
    schedd = location_ad({"ScheddName": location["Name"]}).printOld().strip()
    expressions = tuple(name.lower() for name in projections.JOB_EXPRESSIONS)
    with whole(path) as out:
        for ad in _taken(found):
            count += 1
            for name in ad:
                if name.lower() in expressions or name.lower().startswith("request"):
                    references.add(ad, name)
            out.write(form.text(ad, schedd))
    return Written(count, named=references.wanted())


def records_in(ad: Any) -> list[Any]:
    """Return the accounting records that the bindings have put into one ad.

    The negotiator numbers the attributes of its records from 1 on. The bindings take only the last digit for the number
    (htcondor2/_negotiator.py, 25.14), so that Name12 is Name1 in the ad of record 2.
    """
    import classad2

    found: dict[str, Any] = {}
    for name in ad:
        stem = name.rstrip("0123456789")
        found.setdefault(name[len(stem) :], classad2.ClassAd())[stem] = ad.lookup(name)
    return [found[number] for number in sorted(found, key=lambda each: int(each or 0))]


def query_priorities(location: dict[str, str], path: Path) -> Written:
    """Write a negotiator's accounting records to ``path``."""
    htcondor2 = load()
    found = [each for ad in htcondor2.Negotiator(location_ad(location)).getPriorities() for each in records_in(ad)]
    form = LongForm()
    with whole(path) as out:
        out.writelines(form.text(ad) for ad in found)
    return Written(len(found))
