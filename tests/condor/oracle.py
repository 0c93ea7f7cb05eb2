"""A real negotiator as an oracle: it works out the group quotas of pools that consist of ads alone.

Its pool has neither machines nor schedds. A cycle begins only when it is asked for: all ads of
the case are there by then, and the negotiator has just read its configuration, so that it
remembers nothing of earlier cases."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negotiator_log import LoggedCycle, read_cycle
from random_groups import Case
from testpool import Pool

DAEMONS = ("MASTER", "COLLECTOR", "NEGOTIATOR")
SETTINGS = """
NEGOTIATOR_INTERVAL = 3600
NEGOTIATOR_CYCLE_DELAY = 0
NEGOTIATOR_MIN_INTERVAL = 0
NEGOTIATOR_DEBUG = D_FULLDEBUG
MAX_NEGOTIATOR_LOG = 0
"""
_LOG = "NegotiatorLog"
#: How ads are withdrawn, by what the collector calls them. 25.14 keeps one more for each machine.
_OF_POOLS = (
    ("INVALIDATE_STARTD_ADS", "Machine"),
    ("INVALIDATE_STARTD_ADS", "StartD"),
    ("INVALIDATE_SUBMITTOR_ADS", "Submitter"),
)
_ACCOUNTING = ("INVALIDATE_ACCOUNTING_ADS", "Accounting")
_MY_TYPE = 'MyType = "{}"\n'
_END = "Finished Negotiation Cycle"
_SPECIAL = re.compile(r"""/Expr\(real\("(.*)"\)\)/""")


@dataclass(frozen=True)
class Answer:
    """What the negotiator said of a case in its log and to the collector, and snapshots from before and after."""

    cycle: LoggedCycle
    published: dict[str, dict[str, Any]]
    before: Path
    after: Path


class Oracle:
    """The pool of one HTCondor version."""

    def __init__(self, pool: Pool, patience_seconds: float = 30.0) -> None:
        self.pool = pool
        self._patience = patience_seconds
        self._negotiator = pool.ads("negotiator", ["MyAddress"])[0]["MyAddress"]
        self._read_to = 0
        self._wait_for(_END)  # of the cycle that it begins with

    def answer(self, case: Case, directory: Path) -> Answer:
        """Let the negotiator go through one cycle of ``case``; write the snapshots to ``directory``."""
        before = self.snapshot(directory / "before", self.prepare(case))
        cycle = read_cycle(self.cycle())
        published = self._published(len(cycle.rounds[0].groups))
        return Answer(cycle, published, before, self.snapshot(directory / "after", self._ads()))

    def prepare(self, case: Case) -> str:
        """Give the negotiator its configuration and the collector its ads; return what condor_status prints of them."""
        self._forget()
        self.pool.configure(
            SETTINGS + "".join(f"{name} = {text}\n" for name, text in case.knobs.items())
        )
        os.kill(self.pool.daemon_pids()["negotiator"], signal.SIGHUP)
        self._wait_for("NEGOTIATOR_MIN_INTERVAL = ")
        self._advertise("UPDATE_STARTD_AD", case.slots)
        self._advertise("UPDATE_SUBMITTOR_AD", case.submitters)
        return self._arrived(case)

    def _forget(self) -> None:
        """Withdraw all ads, and let the negotiator see that the claims are gone while it still knows their groups."""
        for command, type_ in (*_OF_POOLS, _ACCOUNTING):
            self._withdraw(command, type_)
        self.cycle()

    def _withdraw(self, command: str, type_: str) -> None:
        self._advertise(
            command, [f'MyType = "Query"\nTargetType = "{type_}"\nRequirements = true\n']
        )

    def _arrived(self, case: Case) -> str:
        """Return all ads once the collector has those of ``case`` and nothing of earlier cycles."""
        expected = {"Accounting": 0, "Machine": len(case.slots), "Submitter": len(case.submitters)}

        def so_many() -> str:
            ads = self._ads()
            if _MY_TYPE.format("Accounting") in ads:
                self._withdraw(*_ACCOUNTING)
            return (
                ads
                if all(
                    ads.count(_MY_TYPE.format(type_)) == count for type_, count in expected.items()
                )
                else ""
            )

        return self.pool.wait(so_many, self._patience, f"{expected} ads", ("CollectorLog",))

    def _advertise(self, command: str, ads: Iterable[str]) -> None:
        text = "\n".join(ads)
        if text:
            self.pool.tool("condor_advertise", "-multiple", "-tcp", command, "-", text=text)

    def cycle(self) -> str:
        """Let the negotiator go through one cycle and return what its log says of it."""
        self.pool.tool("condor_reschedule", "-addr", self._negotiator)
        return self._wait_for(_END)

    def _wait_for(self, line: str) -> str:
        """Return the log up to where it says ``line``, from where it was last read to."""
        path, found = self.pool.path("log", _LOG), bytearray()

        def said() -> bool:
            with path.open("rb") as file:
                file.seek(self._read_to + len(found))
                found.extend(file.read())
            return line.encode() in found

        self.pool.wait(said, self._patience, f"'{line}' in the log", (_LOG,))
        end = found.index(line.encode()) + len(line)
        self._read_to += end
        return found[:end].decode("utf-8", "replace")

    def _ads(self) -> str:
        return self.pool.tool("condor_status", "-any", "-long")

    def snapshot(self, directory: Path, ads: str) -> Path:
        """Save what HTCondor's own tools print of the pool."""
        directory.mkdir()
        (directory / "collector.ads").write_text(ads, encoding="utf-8")
        (directory / "config.txt").write_text(
            self.pool.tool("condor_config_val", "-dump"), encoding="utf-8"
        )
        return directory

    def _published(self, count: int) -> dict[str, dict[str, Any]]:
        """Return the accounting ads of groups by name, once all of them have come."""

        def all_of_them() -> list[dict[str, Any]] | None:
            ads = self.pool.ads("any", constraint='MyType == "Accounting" && IsAccountingGroup')
            return ads if len(ads) >= count else None

        found = self.pool.wait(
            all_of_them, self._patience, f"the accounting ads of {count} groups", (_LOG,)
        )
        return {ad["Name"]: {name: _plain(value) for name, value in ad.items()} for ad in found}


def _plain(value: Any) -> Any:
    """Return the number that an ad in JSON has as an expression: there is no other way to write NaN and infinity."""
    special = _SPECIAL.fullmatch(value) if isinstance(value, str) else None
    return float(special.group(1)) if special else value
