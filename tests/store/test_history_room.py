"""A disk that is full, or cannot be written, costs nothing but what could not be recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.full_disk import SIZES_KB
from tests.store.histories import ROOT

#: In a mount namespace of its own a test may mount what it likes; who is not root is root there
#: alone.
NAMESPACE = (
    ["unshare", "--mount"]
    if os.geteuid() == 0
    else ["unshare", "--user", "--map-root-user", "--mount"]
)
MAY_MOUNT = (
    subprocess.run(
        [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True
    ).returncode
    == 0
)


def run(what: str, directory: Path) -> list[str]:
    namespace = [] if what == "small_files" else NAMESPACE
    program = [sys.executable, "-m", "tests.store.full_disk", what, str(directory)]
    done = subprocess.run(
        [*namespace, *program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("what", ["small_disks", "small_files"] if MAY_MOUNT else ["small_files"])
def test_a_full_disk_loses_nothing_and_recording_goes_on_when_there_is_room(
    what: str, tmp_path: Path
) -> None:
    told = run(what, tmp_path)

    assert len(told) == len(SIZES_KB)


def test_a_disk_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    there, new = run("read_only_disk", tmp_path)

    assert "drift.db cannot be written: " in there
    assert "new.db cannot be written: " in new
