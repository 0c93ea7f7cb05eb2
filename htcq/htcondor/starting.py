"""Knobs on the way from a submission to a job that runs, which no simulation follows.

``starting.tsv`` has them by the daemon that reads them. What a capture shows of them is evidence
where jobs should have started and did not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Callable

from htcq.htcondor.defaults import expanded_default, unset
from htcq.htcondor.knob_names import split_prefix
from htcq.htcondor.matching import pattern_of
from htcq.htcondor.tables import rows

#: In place of a daemon: all of them read the knob.
_EVERY = "every"
#: The transform that schedds have by themselves since 25.6.1 (AUTO_USE_FEATURE_PelicanRetryPolicy).
_OWN_TRANSFORM = "PELICANRETRY"


def is_on_the_way(name: str) -> bool:
    """Return whether the knob ``name`` is one of those of any daemon."""
    bare = split_prefix(name.upper())[1]
    return any(pattern.fullmatch(bare) for pattern in _patterns().values())


def rank_on_the_way(name: str, daemon: str) -> int | None:
    """Return a number that grows from the knobs of ``daemon`` alone to those that every site sets.

    None where the knob ``name`` is none of those that the daemon reads.
    """
    bare = split_prefix(name.upper())[1]
    if _patterns()[daemon].fullmatch(bare):
        return 0
    if not _patterns()[_EVERY].fullmatch(bare):
        return None
    if bare.startswith("DENY_"):
        return 1
    return 3 if bare.startswith(("ALLOW_", "SEC_")) else 2


@lru_cache(maxsize=1)
def _patterns() -> Mapping[str, re.Pattern[str]]:
    names: dict[str, list[str]] = {}
    for row in rows("starting.tsv"):
        names.setdefault(row.rest, []).append(pattern_of(row.key))
    return {daemon: re.compile("|".join(found)) for daemon, found in names.items()}


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
