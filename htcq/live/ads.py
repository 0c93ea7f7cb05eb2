"""Queries of daemons, each in a child process, that write the ads of the answer in long form.

The bindings hold all ads of an answer at once, so ads are dropped as soon as they are written;
the child's end frees the rest. Attributes are sorted as condor_status sorts them.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from htcq.classads import spelled
from htcq.errors import OutputError, PoolError
from htcq.library import library
from htcq.live import projections
from htcq.live.asked_startds import AskedStartds
from htcq.live.bindings import OLD_BINDINGS, load
from htcq.live.long_form import LongForm
from htcq.pool.left_out import JOB, SLOT, USER, LeavingOut, LeftOut
from htcq.pool.secrets import is_secret_attribute
from htcq.whole_file import BY_THE_DISK

#: How the reason begins where an answer could not be kept.
NOT_WRITTEN = "the answer cannot be written: "
#: What is needed to reach a daemon.
LOCATION = ("Name", "Machine", "MyAddress", "MyType", "CondorVersion")
#: Static and partitionable slots: they have a policy of their own, dynamic ones have their
#: parent's.
_NOT_DYNAMIC = "DynamicSlot =!= true"
#: Types of ads whose daemons are asked for more.
_ASKED = ("Schedd", "Negotiator")
#: What reading one odd attribute can raise: no UTF-8, a value that the bindings have no type for.
_UNREADABLE = (ValueError, TypeError, RuntimeError, OverflowError)
_SCOPES = ("target.", "my.", "other.", "self.", "parent.")


@dataclass(frozen=True)
class Written:
    """The result of a query besides the file.

    ``count`` is the number of ads, ``locations`` the places of their daemons, ``named`` the
    attributes that their expressions name. ``left_out`` are those ads of the answer that could
    not be written. ``asked`` are the startds that are asked for more.
    """

    count: int
    locations: tuple[dict[str, str], ...] = ()
    named: frozenset[str] = frozenset()
    of_jobs: frozenset[str] = frozenset()
    assets: frozenset[str] = frozenset()
    pool: str = ""
    left_out: tuple[LeftOut, ...] = ()
    asked: AskedStartds = field(default_factory=AskedStartds)


@dataclass
class References:
    """The attributes that expressions name outside their own ad.

    Equal expressions are parsed once.
    """

    names: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def add(self, ad: Any, name: str) -> None:
        """Add the names to which the attribute ``name`` of ``ad`` refers."""
        expression = ad.lookup(name)
        text = str(expression)
        if text in self.seen or not any(letter.isalpha() for letter in text):
            return
        self.seen.add(text)
        try:
            found = ad.externalRefs(expression)
        except ValueError:
            # Too long a chain of scopes for the library: what it names is not asked for.
            return
        for reference in found:
            self.names.add(_unscoped(reference))

    def add_if_readable(self, ad: Any, name: str) -> None:
        """Add the names to which an attribute refers; an unreadable one refers to nothing."""
        with suppress(*_UNREADABLE):
            self.add(ad, name)

    def wanted(self) -> frozenset[str]:
        """Return the names that can be asked for."""
        plain = filter(str.isidentifier, self.names)
        return frozenset(name for name in plain if not is_secret_attribute(name))


def _unscoped(reference: str) -> str:
    for scope in _SCOPES:
        if reference.lower().startswith(scope):
            reference = reference[len(scope) :]
    return reference.partition(".")[0]


@contextmanager
def whole(path: Path) -> Iterator[TextIO]:
    """Open ``path`` for writing; the file appears only when all has been written.

    Raises:
        OutputError: it cannot be written, which is no fault of the daemon that was asked.
    """
    unfinished = path.with_suffix(".unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", errors="surrogateescape") as out:
            yield out
        unfinished.replace(path)
    except OSError as error:
        # EFBIG: the file exceeds the limit of this query, and the disk may still have room.
        if error.errno not in BY_THE_DISK or error.errno == errno.EFBIG:
            raise
        raise OutputError(f"{NOT_WRITTEN}{error.strerror}") from error


def _location(ad: Any) -> dict[str, str]:
    found = {name: literal_text(ad, name) for name in LOCATION}
    return {name: text for name, text in found.items() if text}


def literal_text(ad: Any, name: str) -> str:
    """Return an attribute that is a text; empty where it is none, or cannot be read.

    An expression is none: this process is not confined, and evaluates nothing of strangers.
    """
    try:
        value = ad.get(name)
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "surrogateescape")
    except _UNREADABLE:
        return ""
    if isinstance(value, str):
        return value
    return ""


def literal_number(ad: Any, name: str) -> float | None:
    """Return an attribute that is a number; None where it is none, such as an expression."""
    try:
        value = ad.get(name)
    except _UNREADABLE:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _taken(ads: list[Any]) -> Iterable[Any]:
    """Yield ``ads`` in their order, each of which can be freed before the next is looked at."""
    ads.reverse()
    while ads:
        yield ads.pop()


def query_collector(
    pool: str | None, ad_type: str, projection: Sequence[str], path: Path
) -> Written:
    """Write the ads of ``ad_type`` to ``path``, and return the places of their daemons.

    ``ad_type`` is a name of htcondor2.AdType.
    """
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(
        getattr(htcondor2.AdType, ad_type), projection=list(projection)
    )
    locations, form, left_out = [], LongForm(), LeavingOut()
    with whole(path) as out:
        written = _Writing(out, form, left_out, ad_type.lower())
        for ad in _taken(found):
            location = _location(ad)
            if not written.add(ad):
                continue
            if "Name" in location and "MyAddress" in location:
                locations.append(location)
            elif ad_type in _ASKED:
                left_out.add(
                    written.what,
                    location.get("Name", ""),
                    "its ad has no Name or no MyAddress to ask it at",
                )
    pool = pool or str(htcondor2.param.get("COLLECTOR_HOST", ""))
    return Written(written.count, tuple(locations), pool=pool, left_out=left_out.found())


class _Writing:
    """Writes the ads of one answer; one that cannot be written is left out."""

    def __init__(self, out: TextIO, form: LongForm, left_out: LeavingOut, what: str) -> None:
        self.count = 0
        self.what = what
        self._out, self._form, self._left_out = out, form, left_out

    def add(self, ad: Any, extra: str = "", look: Callable[[Any], None] = lambda ad: None) -> bool:
        """Call ``look`` with ``ad``, write the ad, and return whether that was possible."""
        try:
            look(ad)
            self._out.write(self._form.text(ad, extra))
        except _UNREADABLE as error:
            self._left_out.add(self.what, _name_of(ad), f"it cannot be written down: {error}")
            return False
        self.count += 1
        return True


def _name_of(ad: Any) -> str:
    """Return what a message calls an ad, as far as it can be read."""
    try:
        if "ClusterId" in ad:
            return f"{ad.lookup('ClusterId')}.{ad.lookup('ProcId')}"
        return str(ad.lookup("Name")).strip('"')
    except (KeyError, *_UNREADABLE):
        return ""


def query_slot_expressions(pool: str | None, constraint: str) -> Written:
    """Return what the expressions of slots name in jobs, and the assets that slots hand out."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(
        htcondor2.AdType.Startd,
        f"{_NOT_DYNAMIC} && {constraint}",
        projection=list(projections.SLOT_EXPRESSIONS),
    )
    references, count = References(), 0
    assets: set[str] = set()
    for ad in _taken(found):
        count += 1
        resources = literal_text(ad, "MachineResources")
        assets.update(resources.replace(",", " ").split())
        for name in ad:
            if name != "Name":
                references.add_if_readable(ad, name)
    return Written(
        count,
        named=references.wanted(),
        assets=frozenset(asset for asset in assets if asset.isidentifier()),
    )


def query_slots(
    pool: str | None, constraint: str, projection: Sequence[str], path: Path
) -> Written:
    """Write the slots' ads to ``path``; return the startds that are asked for more."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(
        htcondor2.AdType.Startd, constraint, projection=list(projection)
    )
    asked, left_out = AskedStartds(), LeavingOut()
    with whole(path) as out:
        written = _Writing(out, LongForm(), left_out, SLOT)
        for ad in _taken(found):
            written.add(ad, look=lambda ad: asked.look(ad, _location(ad)))
    return Written(written.count, left_out=left_out.found(), asked=asked)


def query_machines(pool: str | None) -> Counter[str]:
    """Return how many slots each machine has; those whose ad has no plain name are one."""
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(htcondor2.AdType.Startd, projection=["Machine"])
    return Counter(literal_text(ad, "Machine") for ad in _taken(found))


def location_ad(location: dict[str, str]) -> Any:
    """Return a daemon's location as the bindings take it; only after :func:`load`."""
    ad = library().classad2.ClassAd()
    for name, value in location.items():
        ad[name] = value
    return ad


def query_jobs(location: dict[str, str], projection: Sequence[str], path: Path) -> Written:
    """Write the jobs of one schedd to ``path``, and return what their expressions name in slots.

    ScheddName is added to each: condor_q prints it above the jobs instead.
    """
    htcondor2 = load()
    found = htcondor2.Schedd(location_ad(location)).query(projection=list(projection))
    references, left_out = References(), LeavingOut()
    schedd = f"ScheddName = {spelled(location['Name'])}"
    expressions = tuple(name.lower() for name in projections.JOB_EXPRESSIONS)

    def look(ad: Any) -> None:
        for name in ad:
            if name.lower() in expressions or name.lower().startswith("request"):
                references.add(ad, name)

    with whole(path) as out:
        written = _Writing(out, LongForm(), left_out, JOB)
        for ad in _taken(found):
            written.add(ad, schedd, look)
    return Written(written.count, named=references.wanted(), left_out=left_out.found())


def query_users(location: dict[str, str], path: Path) -> Written:
    """Write the user records of one schedd to ``path``; ScheddName is added to each."""
    htcondor2 = load()
    place = htcondor2.Schedd(location_ad(location))
    if not hasattr(place, "queryUserAds"):
        release = htcondor2.version().split()[1]
        raise PoolError(f"{OLD_BINDINGS}{release} cannot ask for user records")
    found = place.queryUserAds(projection=list(projections.USER))
    schedd = f"ScheddName = {spelled(location['Name'])}"
    left_out = LeavingOut()
    with whole(path) as out:
        written = _Writing(out, LongForm(), left_out, USER)
        for ad in _taken(found):
            written.add(ad, schedd)
    return Written(written.count, left_out=left_out.found())


def records_in(ad: Any) -> list[Any]:
    """Return the accounting records that the bindings have put into one ad.

    The negotiator numbers the attributes of its records from 1 on. The bindings take only the
    last digit for the number (htcondor2/_negotiator.py, 25.14), so that Name12 is Name1 in the
    ad of record 2.
    """
    found: dict[str, Any] = {}
    for name in ad:
        stem = name.rstrip("0123456789")
        found.setdefault(name[len(stem) :], library().classad2.ClassAd())[stem] = ad.lookup(name)
    return [found[number] for number in sorted(found, key=lambda each: int(each or 0))]


def query_priorities(location: dict[str, str], path: Path) -> Written:
    """Write a negotiator's accounting records to ``path``."""
    htcondor2 = load()
    found = []
    for ad in htcondor2.Negotiator(location_ad(location)).getPriorities():
        found += records_in(ad)
    form = LongForm()
    with whole(path) as out:
        out.writelines(form.text(ad) for ad in found)
    return Written(len(found))
