"""Changes of HTCondor from one version to another that matching, claims and usage depend on.

One table: versions are compared by it and nowhere else, and ``htcq simulate --as-version`` prints
what of it lies between two versions. Read from HTCondor's sources, 23.0 to 25.14, and seen with
23.9.6 and 25.14.1 where both differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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


# Access points
# --------------------------------------------------------------------------------------------------

EVALUATED_LIMITS = Change(
    ACCESS,
    (24, 7),
    "Concurrency limits that are an expression are evaluated before a schedd compares them with "
    "those of a match that it uses for another job.",
)
SCHEDD_SCOPE = Change(
    ACCESS, (24, 7), "START_VANILLA_UNIVERSE may refer to attributes of the schedd as SCHEDD.Name."
)
SINGLE_REQUESTS = Change(
    ACCESS,
    (24, 9),
    "With a NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE of 1, or without request counts, a schedd asks "
    "for one job at a time, but for the second request of each talk; before, each request was for "
    "all jobs that are alike.",
)
DEFAULT_REQUESTS = Change(
    ACCESS,
    (25, 2),
    "Jobs submitted without a request ask for 128 MB of memory and at least 1 GB of disk, instead "
    "of what they used and the size of their files.",
    followed=False,
)
RETRIED_REQUESTS = Change(
    ACCESS,
    (25, 2, 1),
    "A job with retry_request_memory asks for more memory after it ran out of it.",
    followed=False,
)
USER_LIMITS = Change(
    ACCESS, (25, 4), "MaxJobsRunning of a user's record limits how many jobs of the user run."
)
REMOVED_BY_DEFAULT = Change(
    ACCESS,
    (25, 5, 1),
    "Attributes such as MemoryUsage tell no autoclusters apart: REMOVE_SIGNIFICANT_ATTRIBUTES has "
    "a default.",
)
OFFER_LIMIT = Change(
    ACCESS,
    (25, 11),
    "A schedd offers at most MAX_CONCURRENT_UPLOADS_PER_USER (20 by default) jobs of a submitter "
    "in each talk, unless SCHEDD_ENABLE_PER_USER_MATCH_LIMITS is false.",
    rule="offer-budget-used-up",
)
EXPEDITED_CYCLES = Change(
    ACCESS,
    (25, 14),
    "A schedd that gets idle jobs asks the negotiator for a cycle at once.",
    followed=False,
)

# The central manager
# --------------------------------------------------------------------------------------------------

CLOSE_DEFAULT_OPERATOR = Change(
    CENTRAL,
    (23, 10, 1),
    "The operator ?: binds as closely as [ ]: A ?: B != C is (A ?: B) != C; before, it was "
    "A ?: (B != C).",
    rule="default-operator-read-otherwise",
)
REMOVED_BY_NEGOTIATOR = Change(
    CENTRAL,
    (25, 5, 1),
    "The negotiator's REMOVE_SIGNIFICANT_ATTRIBUTES and its pattern take attributes out of those "
    "that tell autoclusters apart.",
    rule="significant-attribute-removed",
)
USAGE_OF_ADS = Change(
    CENTRAL,
    (25, 10, 1),
    "The usage of a claim follows the SlotWeight in its slot's ad in each cycle; before, a change "
    "of weights came to count with the next claim.",
    followed=False,
)
USAGE_GROWS = Change(
    CENTRAL,
    (25, 10, 1),
    "ResourcesUsed and HierWeightedResourcesUsed grow in each cycle and are never reset.",
    rule="usage-grows",
    followed=False,
    until=(25, 13, 3),
)
SKIPPED_SUBMITTERS = Change(
    CENTRAL, (25, 11), "Submitters whose ad says SkipMatchmaking are passed over."
)
LENT_CEILINGS = Change(
    CENTRAL,
    (25, 11),
    "Ceilings of submitters can be set for some time, after which the former one is back.",
    followed=False,
)

# Execution points
# --------------------------------------------------------------------------------------------------

BROKEN_SLOTS = Change(
    EXECUTE,
    (24, 5, 1),
    "A dynamic slot whose job cannot be cleaned up is broken, and its share is taken from the "
    "partitionable slot until the startd restarts.",
    followed=False,
)
STATIC_LIMITS = Change(
    EXECUTE,
    (24, 7, 3),
    "Static slots refuse jobs that request more than they have, as partitionable slots do.",
    rule="default-operator-read-otherwise",
)
DISK_QUANTUM = Change(
    EXECUTE,
    (25, 7),
    "Requests for disk are rounded up to the slot's DiskQuantum, where it has one.",
    before={(24, 12): (24, 12, 18), (25, 0): (25, 0, 8)},
)
PREEMPTED_DEVICES = Change(
    EXECUTE,
    (24, 9),
    "A request for a partitionable slot gets GPUs of the dynamic slots that are preempted for it; "
    "before, a startd knew of these GPUs after the request.",
)
ABSOLUTE_DISK = Change(
    EXECUTE,
    (25, 4),
    "Dynamic slots get the disk they ask for; before, the startd added a slop to each of them.",
    rule="disk-slop",
)
CLEANING = Change(
    EXECUTE,
    (25, 11),
    "A claim is in Claimed/Cleaning between two jobs.",
    rule="claims-in-cleaning",
    followed=False,
)
CATALOGS = Change(
    EXECUTE,
    (25, 12, 2),
    "What a node holds of a job's catalogs of common files is subtracted from RequestDisk.",
    rule="catalog-space-with-policy",
)

#: All of them, in the order in which they came.
CHANGES: tuple[Change, ...] = tuple(
    sorted(
        (each for each in list(globals().values()) if isinstance(each, Change)),
        key=lambda change: (change.since, change.role),
    )
)
