"""Knobs on the way from a submission to a job that runs, which no simulation follows.

``starting.tsv`` has them by the daemon that reads them, with the stages at which they decide. What
a capture shows of them is evidence where jobs should have started and did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Callable, NamedTuple

from htcq.htcondor.defaults import expanded_default, unset
from htcq.htcondor.knob_names import split_prefix
from htcq.htcondor.matching import pattern_of
from htcq.htcondor.tables import rows

#: In place of a daemon: all of them read the knob.
_EVERY = "every"
#: The transform that schedds have by themselves since 25.6.1 (AUTO_USE_FEATURE_PelicanRetryPolicy).
_OWN_TRANSFORM = "PELICANRETRY"


class _Way(NamedTuple):
    """Knobs of one row: of which daemon, and at which stages they decide.

    Most sites set those that are ``usual``.
    """

    daemon: str
    stages: frozenset[str]
    usual: bool


def is_on_the_way(name: str) -> bool:
    """Return whether the knob ``name`` is one of those of any daemon."""
    return any(True for _ in _ways(name))


def rank_on_the_way(name: str, daemon: str, stage: str = "") -> int | None:
    """Return a number that grows from the knobs of ``daemon`` alone to those that every site sets.

    None where the knob ``name`` is none of those that the daemon reads, or decides nothing at the
    ``stage`` that failed: submit, claim, start, last or hold.
    """
    for way in _ways(name):
        if way.daemon not in (daemon, _EVERY) or (stage and stage not in way.stages):
            continue
        bare = split_prefix(name.upper())[1]
        if way.daemon != _EVERY:
            return 3 if way.usual else 0
        if bare.startswith("DENY_"):
            return 1
        return 5 if bare.startswith(("ALLOW_", "SEC_")) else 4 if way.usual else 2
    return None


def _ways(name: str) -> Iterator[_Way]:
    bare = split_prefix(name.upper())[1]
    return (way for way, pattern in _patterns().items() if pattern.fullmatch(bare))


@lru_cache(maxsize=1)
def _patterns() -> Mapping[_Way, re.Pattern[str]]:
    names: dict[_Way, list[str]] = {}
    for row in rows("starting.tsv"):
        cells = row.cells()
        way = _Way(cells["daemon"], frozenset(cells["stages"].split()), bool(cells["usual"]))
        names.setdefault(way, []).append(pattern_of(row.key))
    return {way: re.compile("|".join(found)) for way, found in names.items()}


def is_default(
    name: str,
    value: str,
    version: tuple[int, ...] = (),
    value_of: Callable[[str], str] = unset,
) -> bool:
    """Return whether ``value`` is what HTCondor has for the knob ``name`` where nobody sets it.

    ``value_of`` returns what the configuration has for a macro that the default names, such as
    SBIN; without it macros have their defaults.
    """
    bare = split_prefix(name.upper())[1]
    words = value.upper().split()
    if bare.endswith(f"_{_OWN_TRANSFORM}") or words == [_OWN_TRANSFORM]:
        return True
    default = expanded_default(bare, version, value_of)
    return words == default.upper().split()
