"""The build of the packages: what it asks for, and what runs on after it."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packages.building import Packages, repository

pytestmark = pytest.mark.packages
#: Seconds for a step of the build to begin.
DEADLINE = 120


def test_a_bare_debian_is_told_at_once_what_to_install(packages: Packages) -> None:
    """All packages were built where these, and git, were all that was installed."""
    asked = packages.asked.read_text().splitlines()

    assert len(asked) == 1
    assert re.search(
        r"missing: apt-get install .*\bdebhelper\b.*\bpython3-all\b.*\brpm\b", asked[0]
    )
    assert packages.found("htcq_*.deb").stat().st_size > 100_000


def running_in(place: Path) -> Iterator[bytes]:
    """Yield the commands of all processes that work in a directory below ``place``, which may be gone."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            directory = str((process / "cwd").readlink())
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:  # it has ended
            continue
        if directory.startswith(f"{place}/"):
            yield command


def begun(checkout: Path) -> subprocess.Popen[str]:
    """Start the build, and wait until Debian's tools work."""
    build = subprocess.Popen(
        ["contrib/packages/build", "out"],
        cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    until = time.monotonic() + DEADLINE
    while not any(b"dpkg-buildpackage" in each for each in running_in(checkout / "out")):
        assert build.poll() is None, build.communicate()[0]
        assert time.monotonic() < until
        time.sleep(0.05)
    return build


@pytest.mark.parametrize("how", ["a step fails", "SIGTERM"])
def test_nothing_runs_on_after_the_build(how: str, tmp_path: Path) -> None:
    checkout = repository(tmp_path / "checkout")
    spec = checkout / "contrib/packages/htcq.spec.in"
    if how == "a step fails":
        # Late enough that Debian's tools work by then.
        spec.write_text(spec.read_text().replace("%build\n", "%build\nsleep 3; exit 3\n"))
    build = begun(checkout)
    if how.startswith("SIG"):
        build.send_signal(signal.Signals[how])
    build.communicate(timeout=DEADLINE)

    assert build.returncode not in (0, -signal.SIGTERM)
    assert list(running_in(checkout)) == []
    assert not (checkout / "out/work").exists()
