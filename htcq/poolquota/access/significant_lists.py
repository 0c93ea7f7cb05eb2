"""What a schedd's configuration makes of the attributes that a negotiator calls significant.

Follows src/condor_schedd.V6/autocluster.cpp (config) and schedd.cpp (MinimalSigAttrs), HTCondor
23.9 to 25.14. All versions have the three knobs; REMOVE_SIGNIFICANT_ATTRIBUTES has a default
since 25.5 (param_info.in).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from htcq.htcondor.defaults import expanded_default
from htcq.quota.knobs import Knobs

REMOVED, ONLY = "REMOVE_SIGNIFICANT_ATTRIBUTES", "SIGNIFICANT_ATTRIBUTES"
_ADDED = "ADD_SIGNIFICANT_ATTRIBUTES"
#: Significant to every schedd, whatever the negotiator names.
_MINIMUM = frozenset({"requirements", "rank", "concurrencylimits", "flockto"})
_LISTED = re.compile(r"[^\s,]+")


@dataclass(frozen=True)
class SignificantLists:
    """The lists of one schedd, in lower case.

    ``only`` stands for all others, ``removed`` wins over ``added``.
    """

    only: frozenset[str] = frozenset()
    added: frozenset[str] = _MINIMUM
    removed: frozenset[str] = frozenset()

    def significant(self, named: Iterable[str]) -> frozenset[str]:
        """Return the significant attributes where the negotiator names these, in lower case."""
        return self.only or self.added.union(named) - self.removed

    def lacks(self, name: str) -> bool:
        """Return whether these lists let a request lack ``name``, whatever the negotiator names."""
        return name.lower() in self.removed or bool(self.only and name.lower() not in self.only)


def significant_lists(
    knobs: Knobs, version: tuple[int, ...], started_by: Iterable[str]
) -> SignificantLists:
    """Return the lists of a schedd.

    ``version`` is empty where it is not known, then it counts as a new one.

    ``started_by`` are the attributes of jobs that its START_VANILLA_UNIVERSE names.
    """
    added = _MINIMUM.union(
        _listed(knobs.text_or(_ADDED, "")), (name.lower() for name in started_by)
    )
    return SignificantLists(_listed(knobs.text_or(ONLY, "")), added, removed_names(knobs, version))


def removed_names(knobs: Knobs, version: tuple[int, ...]) -> frozenset[str]:
    """Return the lower-case REMOVE_SIGNIFICANT_ATTRIBUTES of a daemon of that version."""
    return _listed(knobs.text_or(REMOVED, expanded_default(REMOVED, version)))


def _listed(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _LISTED.findall(text))
