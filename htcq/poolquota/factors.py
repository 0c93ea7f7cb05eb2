"""The priority of a submitter that the accountant has no record of yet.

Its first jobs are matched by it.

Follows src/condor_negotiator.V6/Accountant.cpp (Initialize, GetPriority, GetPriorityFactor),
HTCondor 25.14. Less is better.
"""

from __future__ import annotations

import re

from htcq.quota.knobs import Knobs

#: The best real priority, which is that of a new submitter.
BEST_PRIORITY = 0.5
#: DEFAULT_PRIO_FACTOR, NICE_USER_PRIO_FACTOR and REMOTE_PRIO_FACTOR where they are not set, and the
#: smallest factor.
_DEFAULT, _NICE, _REMOTE, _MIN = 1e3, 1e10, 1e7, 1.0
_NICE_USERS = "nice-user"
#: What atof(3) takes of a text.
_BEGINNING = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def new_factor(knobs: Knobs, submitter: str, group: str) -> float:
    """Return the priority factor of ``submitter``, which is charged to ``group``.

    A nice user's comes first, then that of the group, then that of a user of another domain.
    """
    if submitter.startswith(_NICE_USERS):
        return max(_MIN, _beginning(knobs, "NICE_USER_PRIO_FACTOR", _NICE))
    of_group = knobs.number(f"GROUP_PRIO_FACTOR_{group}", 0.0, float("-inf"), float("inf"))
    if of_group:
        return max(_MIN, of_group)
    local = knobs.text("ACCOUNTANT_LOCAL_DOMAIN")
    _, at, domain = submitter.rpartition("@")
    is_local = at and domain == local
    if local and not is_local:
        return max(_MIN, _beginning(knobs, "REMOTE_PRIO_FACTOR", _REMOTE))
    return max(_MIN, _beginning(knobs, "DEFAULT_PRIO_FACTOR", _DEFAULT))


def _beginning(knobs: Knobs, name: str, otherwise: float) -> float:
    """Return the number at the beginning of a knob's text.

    These are read by atof(3), never evaluated.
    """
    text = knobs.text(name)
    if text is None:
        return otherwise
    found = _BEGINNING.match(text)
    if found is None:
        return 0.0
    return float(found.group())
