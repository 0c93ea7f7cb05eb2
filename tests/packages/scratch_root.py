"""A root directory to configure: this machine's own, with everything that is written kept in memory and thrown away."""

from __future__ import annotations

import shlex
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.docs.documents import ROOT

#: The first process has systemd's name: by that alone Puppet tells how services are enabled. systemctl itself sees that no
#: systemd runs, and enables units in the file system.
#: The kernel's own view of files: what is written lands above this machine's, in memory, and goes with the shell.
_ENTER = """
mkdir "$1"
mount -t tmpfs htcq-test "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
for each in sys dev tmp; do mount --rbind "/$each" "$1/root/$each"; done
ln -s /bin/bash "$1/root/usr/local/bin/systemd"
exec chroot "$1/root" /usr/local/bin/systemd -euc "$2"
"""
#: What a site gives to its configuration management: the model, a node of the one kind, and elastic quotas.
SITE_FILES = {
    "htcq.toml": (
        '[capacity]\nmodel = "linear"\nweights = { cpus = "1", memory = "0.25/GiB" }\n'
        "[groups.chem]\nquota = 8\n"
    ),
    "standard.json": '{"cpus": 8, "memory_mb": 16384, "disk_kb": 100000000}\n',
    "elastic.toml": (
        '[elastic.write]\ndirectory = "/etc/condor/htcq.d"\n'
        "[groups.chem]\nmin = { cpus = 4 }\nmax = { cpus = 8 }\n"
    ),
}
_PROGRAM = '#!/bin/sh\nPYTHONPATH={root} exec {python} -m htcq "$@"\n'


def prepared(files: Mapping[str, str]) -> str:
    """Return the lines of shell that put htcq and ``files`` (by path) into the root directory.

    htcq is this checkout's, at the places of a package.
    """
    program = _PROGRAM.format(root=shlex.quote(str(ROOT)), python=shlex.quote(sys.executable))
    lines = [
        "mkdir -p /etc/condor/config.d /usr/share/htcq/config.d /etc/site",
        f"cp {ROOT}/contrib/config.d/*.config {ROOT}/contrib/startd_cron/*.config /usr/share/htcq/config.d",
        f"printf %s {shlex.quote(program)} >/usr/bin/htcq",
        "chmod 755 /usr/bin/htcq",
    ]
    for path, text in files.items():
        lines.append(f"mkdir -p {shlex.quote(str(Path(path).parent))}")
        lines.append(f"printf %s {shlex.quote(text)} >{shlex.quote(path)}")
    return "\n".join(lines)


def run(directory: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` in a root directory of its own; what it writes is gone afterwards."""
    command = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-euc",
        _ENTER,
        "enter",
    ]
    return subprocess.run(
        [*command, str(directory / "root"), textwrap.dedent(script)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
