"""A machine whose config.d is a Puppet module's, and that has a directory of htcq's own, as contrib/config.d says."""

from __future__ import annotations

import json

from conftest import PACE, ROOT
from own_htcq import OwnHtcq, install
from testpool import Pool

_SHARE = ROOT / "contrib/config.d"
#: Where a package puts the files of contrib/config.d, and where HTCondor looks.
_PLACES = {
    "10-htcq-directory.config": "share",
    "00-htcq-directories.config": "htcq.d",
}
_LISTED = "/usr/share/condor/config.d, /etc/condor/config.d"
MODEL = ("--weight", "cpus=1", "--weight", "memory=0.25/GiB")
_PUPPET = (
    "# This file is managed by Puppet.\n"
    "COUNTED = $(COUNTED) once\n"
    "use FEATURE : PartitionableSlot\n"
)


def with_own_directory(pool: Pool) -> OwnHtcq:
    """Include htcq's file with one line in config.d, and install htcq."""
    inside = pool.record.inner_directory
    for name, place in _PLACES.items():
        pool.path(place).mkdir()
        text = (_SHARE / name).read_text()
        assert _LISTED in text or place == "share"
        (pool.path(place) / name).write_text(text.replace(_LISTED, f"{inside}/config.d"))
    (pool.config_dir / "20-site.config").write_text(_PUPPET)
    (pool.config_dir / "60-htcq.config").write_text(
        f"HTCQ_CONFIG_DIR = {inside}/htcq.d\ninclude : {inside}/share/10-htcq-directory.config\n"
    )
    pool.path("htcq.d", "60-own.config").write_text("WINS = the directory of htcq\n")
    pool.configure(f"{PACE}WINS = LOCAL_CONFIG_FILE\n")
    node = {"cpus": 8, "memory_mb": 16384, "disk_kb": 20_000_000}
    pool.path("node.json").write_text(json.dumps(node))
    pool.reconfig()
    return install(pool)


def value(pool: Pool, name: str) -> str:
    """Return a knob as the startd has it."""
    return pool.tool("condor_config_val", "-subsystem", "STARTD", name).strip()
