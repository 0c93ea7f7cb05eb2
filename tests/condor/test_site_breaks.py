"""A sound site has nothing above info; of each thing that is broken there, the audit has one finding, ranked right.

The site has two access points and three kinds of node, groups with quotas that are used up, and
jobs that wait. ``--all-breaks`` makes all 35 breaks; otherwise the first eight stand for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from conftest import FAR_ABOVE, NEWEST, ROOT
from filling import Crowd
from fleet import PACE, Fleet, fleet_pool
from mixed_site import LINEAR, MACHINES, configured
from site_breaks import BREAKS, GROUPS, QUOTAS, REPRESENTATIVE, Break
from testpool import PoolError

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

_SOUND_GROUPS, _BROKEN = "60-groups.config", "90-break.config"
#: While something is broken no cycle must start the jobs that wait.
_SLOW = PACE.replace("NEGOTIATOR_INTERVAL = 3", "NEGOTIATOR_INTERVAL = 800").replace(
    "NEGOTIATOR_CYCLE_DELAY = 3\n", ""
)
#: A counter in the ads of a member tells which configuration it has read.
_COUNTER = "{kind}_ATTRS = $({kind}_ATTRS) BreakCounter\nBreakCounter = {count}\n"
#: What waits when each group has used up its quota, at both access points: of biology's jobs more
#: than its quota takes, so that some wait at either, whichever had its turn first.
_JOBS = (
    Crowd("biology.ann", 12, cpus=2, memory=32768),
    Crowd("chem.ben", 4, cpus=16, memory=4096),
    Crowd("physics.cat", 20, cpus=1, memory=2048),
)


@dataclass
class _Site:
    """The sound site, and what the audit knows of it.

    ``broken`` are the files that are not sound, by member and name, with the text that mends them.
    """

    fleet: Fleet
    sound: list[dict[str, Any]]
    broken: dict[tuple[str, str], str] = field(default_factory=dict)
    count: int = 0

    def audited(self) -> list[dict[str, Any]]:
        """Return the findings that the sound site does not have."""
        known = {each["fingerprint"] for each in self.sound}
        return [each for each in _audit(self.fleet) if each["fingerprint"] not in known]

    def breaks(self, one: Break) -> None:
        """Break it, fix what was broken before, and wait until the daemons concerned have read so."""
        if one.ends:
            # The negotiator would end before anybody could ask it: the collector has read the same
            # files.
            self.fleet.pool.off("negotiator")
        texts = {(member, _BROKEN): text for member, text in one.files.items()}
        if one.groups:
            texts["central", _SOUND_GROUPS] = one.groups
        mended, self.broken = self.broken, {}
        self._put({**mended, **texts}, one)
        self.broken = {
            (member, name): GROUPS if name == _SOUND_GROUPS else "" for member, name in texts
        }

    def mends(self, one: Break) -> None:
        """Take back at once what the next break cannot take back together with its own files."""
        if one.ends or one.restart:
            mended, self.broken = self.broken, {}
            self._put(mended, one)
        if one.ends:
            self.fleet.pool.on("negotiator")

    def _put(self, texts: Mapping[tuple[str, str], str], one: Break) -> None:
        self.count += 1
        for (member, name), text in texts.items():
            counter = ""
            if member != "central":
                kind = "STARTD" if member in self.fleet.machines else "SCHEDD"
                counter = _COUNTER.format(kind=kind, count=self.count)
            self.fleet.put(member, name, text + counter)
        members = list(dict.fromkeys(member for member, _ in texts))
        others = [member for member in members if member != "central"]
        started_anew = [member for member in others if one.restart and member in one.files]
        read_anew = [member for member in others if member not in started_anew]
        if started_anew:
            self.fleet.restart(*started_anew)
        if read_anew:
            self.fleet.reconfig(*read_anew)
        for member in others:
            self._await(member)
        if "central" in members:
            if one.ends:
                self._reconfig_collector()
            else:
                self.fleet.reconfig_central()

    def _reconfig_collector(self) -> None:
        pool = self.fleet.pool
        before = pool.log("CollectorLog").count("Got SIGHUP")
        os.kill(pool.daemon_pids()["collector"], signal.SIGHUP)
        pool.wait(
            lambda: pool.log("CollectorLog").count("Got SIGHUP") > before,
            20,
            "a reconfig of the collector",
        )

    def _await(self, member: str) -> None:
        """Wait until the collector has the ads that a member sent with its newest files."""
        kind = "slots" if member in self.fleet.machines else "schedd"
        where = f'Machine == "{member}.test"'

        def sent() -> bool:
            ads = self.fleet.pool.ads(kind, ["Name", "BreakCounter"], constraint=where)
            return bool(ads) and all(ad.get("BreakCounter") == self.count for ad in ads)

        self.fleet.pool.wait(sent, 40, f"the new ads of {member}")
        if kind == "schedd":
            self._await_demand(member)

    def _await_demand(self, member: str) -> None:
        """Wait until the collector has demand that a schedd counted after the ad that it has now.

        What comes first after that ad may have been counted before; the next is not.
        """
        (schedd,) = self.fleet.pool.ads(
            "schedd", ["LastHeardFrom"], constraint=f'Machine == "{member}.test"'
        )
        heard = schedd["LastHeardFrom"]
        for _ in range(2):
            later = partial(self._heard_after, member, heard)
            heard = self.fleet.pool.wait(later, 40, f"the new demand of {member}")

    def _heard_after(self, member: str, before: int) -> int:
        """Return when the demand of a schedd came, if all that there is came after ``before``; else 0."""
        ads = self.fleet.pool.ads(
            "submitters", ["LastHeardFrom"], constraint=f'ScheddName == "{member}.test"'
        )
        times = [ad["LastHeardFrom"] for ad in ads]
        return max(times, default=before + 1) if min(times, default=before + 1) > before else 0


def _audit(fleet: Fleet) -> list[dict[str, Any]]:
    words = (
        "audit",
        "--pool",
        fleet.pool.collector,
        "--json",
        "--fail-on",
        "never",
        "--config",
        "/dev/null",
    )
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *words], capture_output=True, text=True, cwd=ROOT
    )
    # A site without a negotiator is reported by the exit status as well.
    assert done.returncode in (0, 3), done.stderr
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


@pytest.fixture(scope="module")
def site(suite: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Site]:
    """The site with all quotas used up; nothing starts there any more."""
    with fleet_pool(suite, MACHINES, ("ap1", "ap2")) as fleet:
        configured(fleet, tmp_path_factory.mktemp("site"), LINEAR, GROUPS)
        for access_point in fleet.access_points:
            for crowd in _JOBS:
                fleet.submit(crowd.commands(), crowd.count, access_point)
        fleet.pool.wait(
            lambda: _used_up(fleet), 90, "groups that use up their quotas", ("NegotiatorLog",)
        )
        # Most of biology's demand is at one access point, whichever started more: what is wrong
        # there is seen in all.
        fleet.submit(_JOBS[0].commands(), 2 * _JOBS[0].count, "ap2")
        fleet.pool.configure(_SLOW)
        fleet.reconfig_central()
        yield _Site(fleet, _audit(fleet))


def _used_up(fleet: Fleet) -> bool:
    """Return whether no group has room for one more of its jobs."""
    usage = fleet.usage()
    costs = {"biology": 10.0, "chem": 17.0, "physics": 1.5}
    return all(usage.get(group, 0.0) > quota - costs[group] for group, quota in QUOTAS.items())


def test_a_sound_site_has_nothing_above_info(site: _Site) -> None:
    above_info = [each for each in site.sound if each["severity"] != "info"]
    assert {each["rule"] for each in above_info} <= FAR_ABOVE


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "broken" in metafunc.fixturenames:
        chosen = BREAKS if metafunc.config.getoption("--all-breaks") else BREAKS[:REPRESENTATIVE]
        metafunc.parametrize("broken", chosen, ids=[each.name for each in chosen])


def test_what_is_broken_is_one_finding(site: _Site, broken: Break) -> None:
    findings: list[dict[str, Any]] = []

    def is_found() -> bool:
        findings[:] = site.audited()
        return [(each["rule"], each["severity"]) for each in findings] == [
            (broken.rule, broken.severity)
        ]

    site.breaks(broken)
    try:
        # What follows from a break takes a while to reach the collector where daemons have much to
        # do.
        with suppress(PoolError):
            site.fleet.pool.wait(is_found, 6, f"{broken.rule} alone")
    finally:
        site.mends(broken)
    assert [(each["rule"], each["severity"]) for each in findings] == [
        (broken.rule, broken.severity)
    ], findings
    assert broken.says in f"{findings[0]['subject']}: {findings[0]['message']}"
