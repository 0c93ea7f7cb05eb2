"""Two htcq do not write the same file; who holds the lock is told, and it ends with its holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.errors import EXIT_UNKNOWN, LockedError
from htcq.store.lock import held, locked

HOLDER = """
import sys, time
from pathlib import Path
from htcq.store.lock import held
with held(Path(sys.argv[1]), "host-a:/journal"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_second_is_told_who_is_at_it(tmp_path: Path) -> None:
    path = tmp_path / ".file.lock"
    with held(path, "host-a:/journal, process 7"):
        with pytest.raises(LockedError) as caught, held(path, "host-b"):
            raise AssertionError("both hold it")
        assert str(caught.value) == "another htcq is writing there: host-a:/journal, process 7"
        assert caught.value.exit_status == EXIT_UNKNOWN
    with held(path, "host-b"):
        assert path.read_text() == "host-b\n"


def test_it_ends_with_a_holder_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / ".file.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LockedError, match="host-a:/journal"), held(path, "host-b"):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with held(path, "host-b"):
        assert path.read_text() == "host-b\n"


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(LockedError, match="cannot be written"),
        held(tmp_path / "none" / "lock", "host-a"),
    ):
        pass


@pytest.mark.parametrize("before", [None, 0o644])
def test_no_other_account_can_take_the_lock(before: int | None, tmp_path: Path) -> None:
    """flock(2) asks for no more than a file that is open for reading."""
    path = tmp_path / "lock"
    if before is not None:
        path.write_text("")
        path.chmod(before)
    with held(path, "me"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (tmp_path / "lock").symlink_to(precious)
    with pytest.raises(LockedError) as refused, held(tmp_path / "lock", "me"):
        pass

    assert "symbolic link" in refused.value.hint
    assert precious.read_text() == "kept"


def test_a_child_does_not_outlive_its_parent_with_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    program = HOLDER.replace(
        "    time.sleep(600)", "    import os\n    os.fork()\n    time.sleep(600)"
    )
    program = program.replace('print("held", flush=True)', "pass").replace(
        "os.fork()", 'os.fork() or print("born", os.getpid(), flush=True)'
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    child = int(holder.stdout.readline().split()[1])
    with pytest.raises(LockedError), held(path, "host-b"):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    try:
        with held(path, "host-b"):
            assert path.read_text() == "host-b\n"
    finally:
        os.kill(child, signal.SIGKILL)
        holder.stdout.close()


def test_one_that_waits_has_it_as_soon_as_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path), pytest.raises(BlockingIOError), locked(path, patience=0.1):
        raise AssertionError("both hold it")
    with locked(path, patience=60.0):
        assert path.is_file()
