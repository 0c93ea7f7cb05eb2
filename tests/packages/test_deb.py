"""The debs on real roots of Debian sid and trixie: installed, at work in a live pool, upgraded, removed, purged."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from testpool import Pool

from htcq import __version__
from tests.packages.building import NEXT, OWNERS, PLACES, Packages, Root

SITE_FILE = "etc/htcq/htcq.toml"
#: What is left after "remove": dpkg keeps what is configuration, and directories may hold a site's files.
KEPT = {
    "etc/htcq",
    SITE_FILE,
    *(f"var/lib/htcq{each}" for each in ("", "-pages", "-elastic")),
}
WITHOUT = ("apt-get", "install", "-qy", "--no-install-recommends")
pytestmark = pytest.mark.packages


def installed(root: Root, packages: Packages, version: str) -> None:
    files = [packages.found(f"{name}_*.deb", version) for name in ("htcq", "htcq-timers")]
    root.run(*WITHOUT, *root.bring(files))
    assert root.run("htcq", "--version") == f"htcq {version}\n"


def at_work(suite: str, root: Root) -> None:
    """Let the installed htcq answer beside the daemons of a live pool in that root."""
    groups = {"GROUP_NAMES": "physics", "GROUP_QUOTA_physics": 4}
    with Pool.start(suite=suite, roots=root.path.parent, settings=groups) as pool:
        emitted = pool.tool("htcq", "emit")
        findings = json.loads(pool.tool("htcq", "audit", "--json", "--fail-on", "never"))
        quotas = pool.tool("htcq", "quota", "--csv")
        captured = pool.run(
            ["htcq", "snapshot", "/tmp/snapshot"], capture_output=True, text=True, check=True
        )

    assert "SLOT_WEIGHT = " in emitted
    assert findings["checked"] > 100
    assert findings["failed"] == []
    assert "physics" in quotas
    users = "the Python bindings of HTCondor 23.9.6 cannot ask for user records"
    assert (users in captured.stderr) == (suite == "trixie"), captured.stderr


@pytest.mark.parametrize("suite", ["sid", "trixie"])
def test_the_life_of_a_deb(suite: str, packages: Packages, copy_of: Callable[[str], Root]) -> None:
    root = copy_of(suite)
    root.run("apt-get", "update", "-q")
    root.run(*WITHOUT, "python3-jinja2", "python3-numpy", "systemd")
    before = root.files()

    installed(root, packages, __version__)
    assert "psutil" in root.run("python3", "-c", "import psutil", status=1)
    at_work(suite, root)
    owners = root.run("stat", "--format=%n %U %a", *PLACES)
    assert owners == OWNERS
    assert list(root.path.glob("etc/systemd/system/*/htcq*")) == []

    with (root.path / SITE_FILE).open("a") as site:
        site.write("# of this site\n")
    installed(root, packages, NEXT)
    root.run("systemctl", "enable", "htcq-drift.timer")
    root.run("apt-get", "remove", "-qy", "htcq", "htcq-timers")
    assert root.files() - before == KEPT

    installed(root, packages, __version__)
    assert (root.path / SITE_FILE).read_text().endswith("# of this site\n")
    root.run("apt-get", "purge", "-qy", "htcq", "htcq-timers")
    assert root.files() - before == set()
    assert before - root.files() == set()
