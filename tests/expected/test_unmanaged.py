"""Jobs with Managed = "External" that no manager starts: left behind by a job router that was switched off (25.14.1)."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.expected.unmet import MISSING
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found
from tests.expected.pools import LATELY, LONG_AGO, access_point, cycles, free, only, site, waiting

_NO_ROUTER = {"access1": "DAEMON_LIST = MASTER SCHEDD\n"}


def _pool(access: dict[str, str], since: Any = LONG_AGO, **changes: Text | None) -> Pool:
    own: dict[str, Text | None] = {"Managed": '"External"', **changes}
    jobs = [waiting(f"1.{proc}", since, **own) for proc in range(4)]
    return site(free(), access_point(), cycles(), jobs=jobs, access=access)


def test_jobs_that_a_router_left_behind() -> None:
    finding = only(MISSING, _pool(_NO_ROUTER))
    assert finding.message == (
        '4 idle jobs of access1, such as 1.0, with 4 cores requested, have Managed = "External": the '
        "schedd offers them to nobody, none was routed, and access1 runs no job router"
    )
    assert """-constraint 'Managed == "External"' Managed '"Schedd"'""" in finding.advice
    assert finding.severity.word == "warning"


@pytest.mark.parametrize(
    ("access", "since", "changes"),
    [
        ({"access1": "DAEMON_LIST = MASTER SCHEDD JOB_ROUTER\n"}, LONG_AGO, {}),
        ({}, LONG_AGO, {}),
        ({"access1": "SCHEDD_INTERVAL = 300\n"}, LONG_AGO, {}),
        (_NO_ROUTER, LATELY, {}),
        (_NO_ROUTER, LONG_AGO, {"RoutedToJobId": '"7.0"'}),
        (_NO_ROUTER, LONG_AGO, {"ManagedManager": '"Lumberjack"'}),
        (_NO_ROUTER, LONG_AGO, {"JobUniverse": 9}),
    ],
    ids=["router", "unknown", "no-list", "lately", "routed", "exported", "grid"],
)
def test_jobs_that_somebody_manages(
    access: dict[str, str], since: Any, changes: dict[str, Text | None]
) -> None:
    assert not found(MISSING, _pool(access, since, **changes))
