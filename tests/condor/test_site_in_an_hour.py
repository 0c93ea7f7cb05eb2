"""docs/a-site-in-an-hour.md, replayed: the packages, then every command of the page, on a real pool of seven machines.

The debs are installed in a copy of the root directory of Debian sid, and what they install does all that follows.
Each machine has its own configuration of HTCondor and its own places: /etc/condor, /etc/htcq, /usr/share/htcq and /var/lib/htcq
of the page are directories of that machine. All of them share one condor_master, so what it would do for one machine,
condor_reconfig and condor_restart, is done with signals; scp is a copy, and systemd enables its timers in a directory."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from access_point import Done
from conftest import NEWEST, ROOT
from fleet import PACE, Fleet, Machine, fleet_pool
from own_htcq import OwnHtcq

from tests.docs.documents import matches
from tests.packages.building import built, copied

pytestmark = pytest.mark.packages
ONLY_SUITES = [NEWEST]

PAGE = ROOT / "docs/a-site-in-an-hour.md"
MACHINES = {
    **dict.fromkeys(("ep1", "ep2"), Machine(16, 65536)),
    **dict.fromkeys(("ep3", "ep4"), Machine(32, 262144)),
}
ACCESS_POINTS = ("ap1", "ap2")
CENTRAL = "cm"
#: Commands that only look: what they show may need a moment to come true.
LOOKS = ("htcq audit", "condor_status")
SECONDS = 90.0
_CONFIG_D = "/etc/condor/config.d"
_STEP = re.compile(r"^(\w+)([#$]) (.*\n(?:>.*\n)*)((?:(?!\w+[#$] ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A command of the page: the machine, whether root types it, and what is shown of its output."""

    machine: str
    root: bool
    command: str
    shown: str


def steps() -> Iterator[Step]:
    """Yield the commands of the page in their order."""
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for found in _STEP.finditer(block):
            machine, who, typed, shown = found.groups()
            command = re.sub(r"^> ?", "", typed, flags=re.MULTILINE).rstrip("\n")
            yield Step(machine, who == "#", command, shown)


class Site:
    """The machines of the page: a fleet, in a root directory where the packages are installed."""

    def __init__(self, fleet: Fleet, place: Path) -> None:
        self.fleet, self.pool, self.place = fleet, fleet.pool, place
        self.htcq = OwnHtcq(fleet.pool, "/usr/bin/htcq")
        self.installed = Path(fleet.pool.record.root)
        for machine in self.machines:
            self._furnish(machine)

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines by their names on the page."""
        return (CENTRAL, *self.fleet.members)

    def config_dir(self, machine: str) -> Path:
        """Return /etc/condor/config.d of a machine."""
        return self.fleet.config_dir("central" if machine == CENTRAL else machine)

    def places(self, machine: str) -> dict[str, str]:
        """Return where the page's places of a machine are."""
        own = f"{self.pool.record.inner_directory}/machines/{machine}"
        condor = str(self.config_dir(machine))[len(self.pool.record.root) :]
        return {
            _CONFIG_D: condor,
            "/etc/condor/htcq.d": f"{own}/htcq.d",
            "/etc/htcq": f"{own}/htcq",
            "/usr/share/htcq": f"{own}/share",
            "/var/lib/htcq": f"{own}/var",
        }

    def _furnish(self, machine: str) -> None:
        """Make a machine's places, with the files of a package in them."""
        places = self.places(machine)
        share = Path(f"{self.pool.record.root}{places['/usr/share/htcq']}/config.d")
        share.mkdir(parents=True)
        Path(f"{self.pool.record.root}{places['/var/lib/htcq']}").mkdir()
        for path in (self.installed / "usr/share/htcq/config.d").iterdir():
            # htcq's own directory is named by HTCQ_CONFIG_DIR instead.
            text = path.read_text().replace(_CONFIG_D, places[_CONFIG_D])
            (share / path.name).write_text(text)

    def here(self, machine: str, text: str) -> str:
        """Return ``text`` with the places of a machine for those of the page."""
        for place, real in self.places(machine).items():
            text = text.replace(place, real)
        return text

    def on_the_page(self, machine: str, text: str) -> str:
        """Return ``text`` with the places of the page for those of a machine."""
        for place, real in self.places(machine).items():
            text = text.replace(real, place)
        return text

    def run(self, step: Step, machine: str) -> Done:
        """Do one step on one machine."""
        words = step.command.split()
        if words[0] == "condor_reconfig":
            return self._reconfig(machine)
        if words == ["condor_restart", "-startd"]:
            self.fleet.restart(machine)
            return Done(0, "", "")
        if words[0] == "scp":
            return self._copy(machine, *words[1:])
        if words[:3] == ["systemctl", "enable", "--now"]:
            return self._enable(words[3:])
        config = self.pool.record.config_file
        if machine != CENTRAL:
            config = self.fleet.config_file(machine)
        user = "root" if step.root else "tester"
        return self.htcq.shell(self.here(machine, step.command), user, CONDOR_CONFIG=config)

    def _reconfig(self, machine: str) -> Done:
        if machine == CENTRAL:
            self.fleet.reconfig_central()
        else:
            self.fleet.reconfig(machine)
        return Done(0, "", "")

    def _copy(self, machine: str, source: str, target: str) -> Done:
        origin, _, path = source.partition(":")
        root = self.pool.record.root
        shutil.copyfile(f"{root}{self.here(origin, path)}", f"{root}{self.here(machine, target)}")
        return Done(0, "", "")

    def _enable(self, timers: list[str]) -> Done:
        units = self.place / "usr/lib/systemd/system"
        shutil.copytree(self.installed / "usr/lib/systemd/system", units)
        command = ["systemctl", f"--root={self.place}", "enable", *timers]
        done = subprocess.run(command, capture_output=True, text=True)
        wanted = self.place / "etc/systemd/system/timers.target.wants"
        assert {path.name for path in wanted.iterdir()} == set(timers)
        return Done(done.returncode, done.stdout, "")

    def replay(self, step: Step, machine: str) -> None:
        """Do one step, and compare what it prints with the page."""
        until = time.monotonic() + SECONDS
        while True:
            done = self.run(step, machine)
            printed = self.on_the_page(machine, done.out + done.err)
            good = done.status == 0 and (not step.shown or matches(step.shown, printed))
            if good:
                return
            again = step.command.startswith(LOOKS) and time.monotonic() < until
            assert again, f"{machine}# {step.command}\nstatus {done.status}\n{printed}"


def _daemons(member: str) -> str:
    """Return which daemons a machine runs, as its own configuration would have it."""
    daemon = "SCHEDD" if member in ACCESS_POINTS else "STARTD"
    return f"DAEMON_LIST = MASTER {daemon}\n"


@pytest.fixture
def roots(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A directory with a copy of the root directory of Debian sid in which the packages are installed."""
    base = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        base = base.parent
    packages = built(base / "built")
    place = tmp_path / "roots"
    place.mkdir()
    root = copied(NEWEST, place)
    root.run("apt-get", "update", "-q")
    files = [packages.found(f"{name}_*.deb") for name in ("htcq", "htcq-timers")]
    root.run("apt-get", "install", "-qy", "--no-install-recommends", *root.bring(files))
    return place


@pytest.fixture
def site(suite: str, roots: Path, tmp_path: Path) -> Iterator[Site]:
    """The pool as it is before the page: HTCondor's own slots and policies, nothing of htcq's."""
    with fleet_pool(suite, MACHINES, ACCESS_POINTS, PACE, roots) as fleet:
        for member in fleet.members:
            inside = f"{fleet.pool.record.inner_directory}/machines/{member}/htcq.d"
            with Path(f"{fleet.pool.record.root}{fleet.config_file(member)}").open("a") as file:
                file.write(f"HTCQ_CONFIG_DIR = {inside}\n{_daemons(member)}")
        fleet.put(
            "central", "01-place.config",
            f"HTCQ_CONFIG_DIR = {fleet.pool.record.inner_directory}/machines/{CENTRAL}/htcq.d\n",
        )  # fmt: skip
        fleet.start()
        yield Site(fleet, tmp_path)


def test_the_page_replayed(site: Site) -> None:
    done = 0
    for step in steps():
        for machine in site.machines if step.machine == "every" else (step.machine,):
            site.replay(step, machine)
            done += 1
    assert done > 60

    # What the page promises: claims of both groups, and pages that say so.
    usage = site.fleet.usage()
    assert usage.keys() == {"chem", "physics"}
    overview = site.pool.path(f"machines/{CENTRAL}/var/pages/index.html").read_text()
    assert "physics" in overview
