"""Ceilings of submitters, through HTCondor's own tool condor_userprio.

The bindings have no leases and cannot take a ceiling away (htcondor2.Negotiator.setCeiling
refuses -1; 25.14). A negotiator of 25.11 or newer lends a ceiling for some seconds: then the one
before is back, whoever lives by then. A second lease is refused while one is in force. Seen with
25.14 and 23.9.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from htcq import time_limit
from htcq.errors import NESTED_VARIABLE, PoolError

_TOOL = "condor_userprio"
_USUAL_PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin")
NO_CEILING = -1


@dataclass(frozen=True)
class SubmitterPriority:
    """The ceiling of a submitter (-1: none), and the end of its lease.

    ``until`` is in seconds since 1970, 0 where the ceiling is no lease.
    """

    ceiling: int
    until: int = 0


@dataclass(frozen=True)
class UserPriorities:
    """A negotiator's record of submitters.

    ``pool`` None is this machine's; ``leases`` says whether the negotiator lends ceilings.
    """

    pool: str | None
    name: str = ""
    leases: bool = True
    timeout: float = 60.0

    def ceilings(self) -> dict[str, SubmitterPriority]:
        """Return the ceilings of submitters that have one.

        Raises:
            PoolError: the negotiator does not answer, or the tool is not there.
        """
        printed = self._run(
            "-negotiator", "-allusers", "-af:t", "Name", "Ceiling", "CeilingLeaseExpiration"
        )
        found = {}
        for line in printed.splitlines():
            name, _, numbers = line.partition("\t")
            ceiling, _, until = numbers.partition("\t")
            if "@" in name and _whole(ceiling) >= 0:
                found[name] = SubmitterPriority(_whole(ceiling), max(0, _whole(until)))
        return found

    def lend(self, submitter: str, ceiling: int, seconds: int) -> None:
        """Set a ceiling, for so many seconds where the negotiator lends.

        Raises:
            PoolError: it refuses, such as where another lease is in force.
        """
        arguments = ["-setceiling", submitter, str(ceiling)]
        if self.leases:
            arguments += ["-duration", str(seconds)]
        self._run(*arguments)

    def cancel(self, submitter: str, lease: bool) -> None:
        """Take a ceiling away: a lease, so that the one before is back, or any.

        Raises:
            PoolError: it refuses, such as where no lease is in force.
        """
        if lease:
            self._run("-cancelceilinglease", submitter)
        else:
            self._run("-setceiling", submitter, str(NO_CEILING))

    def _run(self, *arguments: str) -> str:
        where = list[str]()
        if self.pool:
            where += ["-pool", self.pool]
        if self.name:
            where += ["-name", self.name]
        done = _finished([_path(), *where, *arguments], time_limit.within(self.timeout))
        complaint = " ".join((done.stderr or done.stdout).split())[:300]
        # At a mistake on its command line the tool prints all of its options.
        if done.returncode or complaint.startswith("usage:"):
            why = complaint or "failed"
            if "usage:" in complaint:
                why = "it knows no such option: it is older than the negotiator"
            raise PoolError(
                f"{_TOOL} {' '.join(arguments[:2])}: {why}",
                "ADMINISTRATOR access is needed",
            )
        return done.stdout


def _finished(command: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            env={**os.environ, NESTED_VARIABLE: "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise PoolError(
            f"{_TOOL}: no answer within {timeout:g} s", "is the negotiator there?"
        ) from error
    except OSError as error:
        raise PoolError(
            f"{_TOOL} cannot be run: {error.strerror}", "it is part of HTCondor"
        ) from error


def _path() -> str:
    found = shutil.which(_TOOL, path=os.pathsep.join([os.environ.get("PATH", ""), *_USUAL_PLACES]))
    if found is None:
        raise PoolError(
            f"{_TOOL} is not there", "reclaim needs HTCondor's tools on this machine, for ceilings"
        )
    return found


def _whole(text: str) -> int:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return NO_CEILING
