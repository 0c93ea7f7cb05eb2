"""Changes of HTCondor from one version to another that matching, claims and usage depend on.

One table, ``releases.tsv``: versions are compared by it and nowhere else, and ``htcq simulate
--as-version`` prints what of it lies between two versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.htcondor.tables import rows

#: ``(25, 14, 1)``; empty where the version is not known.
Version = tuple[int, ...]

CENTRAL, ACCESS, EXECUTE = "central", "access", "execute"
#: The roles of machines, with the words for them.
ROLES: Mapping[str, str] = {
    CENTRAL: "central manager",
    ACCESS: "access points",
    EXECUTE: "execution points",
}
#: The versions that the table is about: from the first one on, up to that series.
OLDEST, NEWEST = (23, 0), (25, 14)
_NEVER: Version = (10**6,)


@dataclass(frozen=True)
class Change:
    """One change: what daemons of a role do from version ``since`` on, and before ``until``.

    ``effect`` is one sentence on what they do since. ``before`` has releases of older series that
    got it later, the first one of each. ``rule`` is the audit rule that finds the harm,
    ``followed`` tells whether a simulated cycle or course does what the version does.
    """

    role: str
    since: Version
    effect: str
    rule: str = ""
    followed: bool = True
    until: Version = _NEVER
    before: Mapping[Version, Version] = field(default_factory=dict)

    def holds(self, version: Version) -> bool:
        """Return whether a daemon of ``version`` has it.

        One that is not known counts as the newest.
        """
        if not version:
            return self.until == _NEVER
        first = self.before.get(version[:2], self.since)
        return first <= version < self.until


def _version(text: str) -> Version:
    return tuple(int(number) for number in text.split(".") if number)


def _change(cells: Mapping[str, str]) -> Change:
    older = [_version(each) for each in cells["backports"].split()]
    return Change(
        cells["role"],
        _version(cells["since"]),
        cells["effect"],
        cells["rule"],
        cells["followed"] == "yes",
        _version(cells["until"]) or _NEVER,
        {each[:2]: each for each in older},
    )


_BY_NAME = {row.key: _change(row.cells()) for row in rows("releases.tsv")}
#: All of them, in the order in which they came.
CHANGES: tuple[Change, ...] = tuple(
    sorted(_BY_NAME.values(), key=lambda change: (change.since, change.role))
)

CLOSE_DEFAULT_OPERATOR = _BY_NAME["CLOSE_DEFAULT_OPERATOR"]
BROKEN_SLOTS = _BY_NAME["BROKEN_SLOTS"]
EVALUATED_LIMITS = _BY_NAME["EVALUATED_LIMITS"]
KEPT_LIMITS = _BY_NAME["KEPT_LIMITS"]
EXECUTION_COUNTS = _BY_NAME["EXECUTION_COUNTS"]
MAX_RELEASES = _BY_NAME["MAX_RELEASES"]
SCHEDD_SCOPE = _BY_NAME["SCHEDD_SCOPE"]
STATIC_LIMITS = _BY_NAME["STATIC_LIMITS"]
SINGLE_REQUESTS = _BY_NAME["SINGLE_REQUESTS"]
PREEMPTED_DEVICES = _BY_NAME["PREEMPTED_DEVICES"]
DEFAULT_REQUESTS = _BY_NAME["DEFAULT_REQUESTS"]
RETRIED_REQUESTS = _BY_NAME["RETRIED_REQUESTS"]
USER_LIMITS = _BY_NAME["USER_LIMITS"]
ABSOLUTE_DISK = _BY_NAME["ABSOLUTE_DISK"]
REMOVED_BY_DEFAULT = _BY_NAME["REMOVED_BY_DEFAULT"]
REMOVED_BY_NEGOTIATOR = _BY_NAME["REMOVED_BY_NEGOTIATOR"]
DISK_QUANTUM = _BY_NAME["DISK_QUANTUM"]
USAGE_OF_ADS = _BY_NAME["USAGE_OF_ADS"]
USAGE_GROWS = _BY_NAME["USAGE_GROWS"]
OFFER_LIMIT = _BY_NAME["OFFER_LIMIT"]
SKIPPED_SUBMITTERS = _BY_NAME["SKIPPED_SUBMITTERS"]
LENT_CEILINGS = _BY_NAME["LENT_CEILINGS"]
CLEANING = _BY_NAME["CLEANING"]
CATALOGS = _BY_NAME["CATALOGS"]
EXPEDITED_CYCLES = _BY_NAME["EXPEDITED_CYCLES"]
MODIFIED_FRACTIONS = _BY_NAME["MODIFIED_FRACTIONS"]
LONGER_COOL_DOWN = _BY_NAME["LONGER_COOL_DOWN"]
FLOORS_OF_CLAIMS = _BY_NAME["FLOORS_OF_CLAIMS"]
CHARGED_PREEMPTED = _BY_NAME["CHARGED_PREEMPTED"]
TRANSFORMS_AS_ADS = _BY_NAME["TRANSFORMS_AS_ADS"]
UNITS_OF_SLOT_TYPES = _BY_NAME["UNITS_OF_SLOT_TYPES"]
GIVEN_BACK_AT_HOLD = _BY_NAME["GIVEN_BACK_AT_HOLD"]
NOOP_JOBS = _BY_NAME["NOOP_JOBS"]
COOL_DOWN_ENDS = _BY_NAME["COOL_DOWN_ENDS"]
