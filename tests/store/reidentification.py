"""Who is found again in an anonymous snapshot by what an outsider may know, as expected shares.

The outsider knows jobs of the pool with their owners, and looks for them in the snapshot. Of several
equal ads he takes any: a job among four that look alike counts as a quarter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

HOUR = 3600
Ad = dict[str, str]


class Pair(NamedTuple):
    """An ad as captured and made anonymous."""

    old: Ad
    new: Ad


class Found(NamedTuple):
    """How many of ``all`` were found again, and how many by chance."""

    found: float
    by_chance: float
    all: int


def ads_of(path: Path) -> list[Ad]:
    if not path.exists():
        return []
    blocks = path.read_text(errors="replace").split("\n\n")
    return [ad for block in blocks if (ad := _ad(block))]


def _ad(block: str) -> Ad:
    pairs = (line.partition("=") for line in block.splitlines())
    return {name.strip().lower(): value.strip() for name, _, value in pairs if value}


def jobs(original: Path, anonymous: Path) -> list[Pair]:
    """Return the jobs, which stand in the same order in both."""
    return _paired(ads_of(original / "jobs.ads"), ads_of(anonymous / "jobs.ads"))


def claims(original: Path, anonymous: Path) -> list[Pair]:
    """Return the claimed slots in which a job runs; ads of other types may have been left out."""
    both = [
        [ad for ad in ads_of(each / "collector.ads") if ad.get("mytype") == '"Machine"']
        for each in (original, anonymous)
    ]
    return [pair for pair in _paired(*both) if "remoteuser" in pair.old and _start(pair.old)]


def _paired(old: Sequence[Ad], new: Sequence[Ad]) -> list[Pair]:
    assert len(old) == len(new)
    return [Pair(*each) for each in zip(old, new)]


def _start(ad: Ad) -> int:
    """Return when the job of a claim began, as its access point knows it."""
    text = ad.get("enteredcurrentactivity", "")
    return int(text) if text.isdigit() else 0


def _numbers(ad: Ad) -> Iterator[tuple[str, int]]:
    """Yield everything in an anonymous ad that may be a moment, or tells one."""
    whole = {name: int(value) for name, value in ad.items() if value.isdigit()}
    yield from whole.items()
    for sent in ("lastheardfrom", "mycurrenttime"):
        if sent in whole and "totaljobruntime" in whole:
            yield f"{sent}-totaljobruntime", whole[sent] - whole["totaljobruntime"]


def by_time(pairs: Sequence[Pair]) -> dict[str, Found]:
    """Look for the claim whose value is nearest to the known second of the start.

    Returns one result for each attribute, or difference of two, that most claims have. By chance:
    among the claims that began in the same hour, which is disclosed.
    """
    columns: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for place, pair in enumerate(pairs):
        for name, value in _numbers(pair.new):
            columns[name][place] = value
    starts = [_start(pair.old) for pair in pairs]
    chance = _alike(starts, lambda start: -(-start // HOUR))
    found = {}
    for name, values in columns.items():
        if len(values) == len(pairs):
            found[name] = Found(sum(_nearest(starts, values)), chance, len(pairs))
    return found


def _nearest(starts: Sequence[int], values: dict[int, int]) -> Iterator[float]:
    for place, start in enumerate(starts):
        away = {each: abs(value - start) for each, value in values.items()}
        least = min(away.values())
        nearest = [each for each, distance in away.items() if distance == least]
        yield (place in nearest) / len(nearest)


def by_order_of_time(pairs: Sequence[Pair], name: str) -> Found:
    """Lay the known order of the starts beside the order of the attribute ``name``."""
    starts = [_start(pair.old) for pair in pairs]
    shown = [int(pair.new[name]) for pair in pairs]
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, value in enumerate(sorted(shown)):
        places[value].append(place)
    found = 0.0
    for place, known in enumerate(sorted(range(len(pairs)), key=starts.__getitem__)):
        alike = places[shown[known]]
        found += (place in alike) / len(alike)
    return Found(found, _alike(starts, lambda start: -(-start // HOUR)), len(pairs))


def _alike(values: Sequence[int], of: Callable[[int], Hashable]) -> float:
    """Return how many are found by chance among those that are alike: one of each kind."""
    return float(len({of(value) for value in values}))


def _user(ad: Ad) -> str:
    """Return who is charged for a job."""
    return ad.get("accountinggroup") or ad.get("owner", "")


SIZES = ("requestcpus", "requestmemory", "requestdisk", "requestgpus")


def by_size(pairs: Sequence[Pair]) -> tuple[float, int, int, int]:
    """Return how many jobs are found by their requests, of how many; and users, of how many.

    A user is found where no other user has a job of the same size.
    """
    sizes = [tuple(pair.new.get(name) for name in SIZES) for pair in pairs]
    known = [tuple(pair.old.get(name) for name in SIZES) for pair in pairs]
    count = Counter(sizes)
    users: defaultdict[tuple[str | None, ...], set[str]] = defaultdict(set)
    for size, pair in zip(sizes, pairs):
        users[size].add(_user(pair.new))
    jobs_found = sum(1 / count[size] for size in known if size in count)
    told = {_user(pair.new) for size, pair in zip(known, pairs) if len(users[size]) == 1}
    return jobs_found, len(pairs), len(told), len({_user(pair.new) for pair in pairs})


def by_count(pairs: Sequence[Pair]) -> tuple[int, int]:
    """Return how many users are the only one with as many jobs, of how many."""
    jobs_of = Counter(_user(pair.new) for pair in pairs)
    alike = Counter(jobs_of.values())
    return sum(alike[count] == 1 for count in jobs_of.values()), len(jobs_of)
