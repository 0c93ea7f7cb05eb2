"""Other pools that access points send jobs to (FLOCK_TO), and whether any job runs there.

Follows src/condor_schedd.V6/schedd.cpp (InitializeFlocking, TotalFlockedJobs), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.record import Record


class Flocking:
    """Access points with the configurations ``access``, and what the ads of ``schedds`` say."""

    def __init__(self, access: Mapping[str, Configuration], schedds: Iterable[Record]) -> None:
        self._access, self._schedds = access, tuple(schedds)

    def to(self, points: Collection[str]) -> str:
        """Return the pools to which ``points`` send jobs without a slot here.

        It is empty where one of them sends none: its jobs have no other pool.
        """
        found = {self._access[name].value("FLOCK_TO").strip() for name in self._known(points)}
        return ", ".join(sorted(found)) if all(found) else ""

    def happens(self, points: Collection[str]) -> bool | None:
        """Return whether jobs of ``points`` run in another pool; None where no ad says."""
        known = self._known(points)
        schedds = [record for record in self._schedds if record.name in known]
        numbers = [record.number("TotalFlockedJobs") for record in schedds]
        if any(number is not None and number > 0 for number in numbers):
            return True
        return None if not numbers or None in numbers else False

    def takes(self, points: Collection[str]) -> bool:
        """Return whether jobs of ``points`` that no slot here takes may run in another pool."""
        return bool(self.to(points)) and self.happens(points) is True

    def text(self, points: Collection[str]) -> str:
        """Return where else jobs of ``points`` may run; empty where nowhere."""
        elsewhere, happens = self.to(points), self.happens(points)
        if not elsewhere:
            return ""
        if happens:
            return f"they may run in {elsewhere}"
        if happens is None:
            return (
                f"FLOCK_TO names {elsewhere}; no ad says whether a job of their access point runs "
                "there (TotalFlockedJobs)"
            )
        return f"FLOCK_TO names {elsewhere}, but no access point has a job there (TotalFlockedJobs)"

    def _known(self, points: Collection[str]) -> Collection[str]:
        """Return those of ``points`` whose configuration is known; all where none is."""
        return self._access.keys() & set(points) or self._access.keys()


def flocking_of(pool: Pool) -> Flocking:
    """Return the flocking of the access points of ``pool``."""
    access = dict(pool.access)
    for each in pool.schedds:
        configuration = pool.schedd_configuration(each.name)
        if configuration is not None:
            access.setdefault(each.name, configuration)
    return Flocking(access, pool.schedds)
