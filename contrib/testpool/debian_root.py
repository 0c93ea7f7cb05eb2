"""Debian root directories with HTCondor inside, built by mmdebstrap and shared by all pools of a suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pool_home import PoolError, locked

#: Debian suites whose archive has HTCondor's daemons (bookworm has none).
SUITES = ("sid", "trixie")

#: The unprivileged account in every root directory that submits jobs.
JOB_USER = "tester"

#: python3 is there so that a pool can be started from inside, as on a machine where HTCondor is on
#: PATH.
PACKAGES = ("condor", "ca-certificates", "python3-minimal")

UNREAD = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*")


def debian_root(suite: str, roots: Path) -> Path:
    """Return the root directory of ``suite`` under ``roots``, building it first where it is missing.

    Whoever comes second waits for the first, and a build that breaks off leaves nothing that looks
    finished.

    Raises:
        PoolError: an unknown suite, not root, or mmdebstrap missing or failing.
    """
    root = roots / suite
    if suite not in SUITES:
        raise PoolError(
            f"there is no suite '{suite}'", f"the suites are: path, {', '.join(SUITES)}"
        )
    if os.geteuid() != 0:
        raise PoolError(
            f"a pool of Debian's '{suite}' needs root",
            "with HTCondor on PATH, '--suite path' does not",
        )
    if root.is_dir():
        return root
    with locked(roots / f".{suite}.lock"):
        if not root.is_dir():
            _build(suite, root)
    return root


def _build(suite: str, root: Path) -> None:
    if shutil.which("mmdebstrap") is None:
        raise PoolError(
            "mmdebstrap is missing", "apt-get install mmdebstrap debian-archive-keyring"
        )
    for left in root.parent.glob(f".{suite}-*"):  # a build that was killed
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=f".{suite}-", dir=root.parent) as parent:
        building = Path(parent) / "root"
        done = subprocess.run(
            _mmdebstrap(suite, building),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            lines = done.stdout.strip().splitlines() or ["no message"]
            errors = [line for line in lines if line.startswith("E:")] or lines[-1:]
            raise PoolError(f"mmdebstrap could not build '{suite}': {' '.join(errors)}")
        building.rename(root)


def _mmdebstrap(suite: str, target: Path) -> list[str]:
    return [
        "mmdebstrap",
        "--mode=root",
        "--variant=apt",
        f"--include={','.join(PACKAGES)}",
        # Mirrors of sid lag, and a signature is not worth less for being some days old.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in UNREAD),
        f'--customize-hook=chroot "$1" useradd --create-home --shell /bin/sh {JOB_USER}',
        suite,
        str(target),
        *filter(None, [os.environ.get("TESTPOOL_MIRROR")]),
    ]
