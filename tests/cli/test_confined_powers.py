"""What code in the confined process may do, as if a stranger's ad had taken over the ClassAd library: real processes.

Each power is tried; the machine has the last word, not the list of the filter.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, as_root
from tests.cli.test_confined import anybody_can_list, readable_python

_BEGIN = """
import json, os, resource, signal, socket, subprocess, sys, time
from htcq.operations import confined
from htcq.limits import Limits
confined.enabled = True
parent = os.getpid()
place = sys.argv[1]
held = open(place + "/held", "w+")
with open(place + "/token", "w") as token:
    token.write("of this account")
neighbour = subprocess.Popen(["sleep", "60"]).pid
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
address = server.getsockname()
"""
_CONFINE = 'confined.confine("a pool", Limits(unconfined=True), 400 << 20, 600)\n'
_JUDGED = 'confined.confine("a pool", Limits(), 400 << 20, 600)\n'
_TRY = """
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *words):
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), "")
def forked():
    pid = os.fork()
    if not pid:
        os._exit(0)
    return os.waitpid(pid, 0)[1]
tries = {
    "write": lambda: open(place + "/written", "w"),
    "append": lambda: open(place + "/held", "a"),
    "nameless": lambda: os.open(place, os.O_TMPFILE | os.O_WRONLY),
    "link": lambda: os.symlink("a", place + "/link"),
    "remove": lambda: os.unlink(place + "/held"),
    "rename": lambda: os.rename(place + "/held", place + "/moved"),
    "mode": lambda: os.chmod(place + "/held", 0o777),
    "directory": lambda: os.mkdir(place + "/made"),
    "shell": lambda: __import__("subprocess").run(["/bin/sh", "-c", "exit 0"]),
    "connect": lambda: socket.create_connection(address, 2),
    "datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "pair": lambda: socket.socketpair(),
    "signal the parent": lambda: os.kill(parent, 0),
    "signal all": lambda: os.kill(-1, 0),
    "signal the group": lambda: os.kill(0, 0),
    "memory of the parent": lambda: open(f"/proc/{parent}/mem", "rb"),
    "files of the parent": lambda: open(f"/proc/{parent}/fd/{held.fileno()}"),
    "token of the account": lambda: open(place + "/token").read(),
    "names of its files": lambda: os.listdir(place),
    "variables of its processes": lambda: open(f"/proc/{neighbour}/environ").read(),
    "limits of the parent": lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)),
    "trace the parent": lambda: call(101, 16, parent, 0, 0),
    "shared memory": lambda: mmap.mmap(-1, 2 << 30),
    "large file": lambda: os.truncate(os.memfd_create("m"), 3 << 30),
    "user namespace": lambda: call(272, 0x10000000),
    "own session": lambda: os.setsid(),
    "input of the terminal": lambda: __import__("fcntl").ioctl(0, 0x5412, b"x"),
    "signals by a file": lambda: __import__("fcntl").fcntl(held, 8, parent),
    "other user": lambda: os.setuid(0 if os.getuid() else 1),
    "read": lambda: len(open("/proc/self/status").read()) > 0,
    "fork": forked,
    "memory": lambda: len(mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)),
}
found = {}
# Before a namespace of its own is tried, which has them all.
found["capabilities"] = [
    line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapPrm", "CapEff"))
]
for name, attempt in tries.items():
    try:
        found[name] = str(attempt())
    except BaseException as error:
        found[name] = "refused: " + type(error).__name__
found["uid"] = os.getuid()
print(json.dumps(found))
"""
#: What a process needs to read and to compute; HTCondor's parser is a child of its own.
_ALLOWED = {"read", "fork", "memory"}
#: Where the kernel has no filter, the limits and the account alone refuse these.
_WITHOUT_FILTER = {"shared memory", "large file", "memory of the parent", "other user"}
_CLOSED_BY_LANDLOCK = {"token of the account", "names of its files", "variables of its processes"}
LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1) > 0
_NO_FILTER = "import platform; platform.machine = lambda: 'riscv64'\n"


def ran(
    place: Path, code: str, prefix: tuple[str, ...] = (), seconds: float = 60
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, sys.executable, "-c", code, str(place)],
        capture_output=True, text=True, cwd=place, timeout=seconds, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


def account(place: Path, uid: int | None) -> tuple[str, ...]:
    """Return what runs a program as ``uid``, which can read Python then; None: as this one."""
    readable = readable_python(place)
    if uid is None:
        return ()
    if not uid:
        return readable
    number = str(uid)
    return (*readable, "setpriv", "--reuid", number, "--regid", number, "--clear-groups")


def tried(place: Path, prefix: tuple[str, ...], before: str = "") -> dict[str, str]:
    done = ran(place, before + _BEGIN + _CONFINE + _TRY, prefix)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, str] = json.loads(done.stdout)
    return found


def refused(found: dict[str, str]) -> set[str]:
    return {name for name, each in found.items() if str(each).startswith("refused")}


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that every account can reach; that of pytest is for its owner alone."""
    with tempfile.TemporaryDirectory(prefix="htcq-powers-") as name:
        found = Path(name)
        found.chmod(0o777)
        yield found


#: Whoever calls; None: this account as it is, root that cannot become nobody among others.
CALLERS = [pytest.param(None, id="as-it-is"), pytest.param(0, id="root", marks=as_root),
           pytest.param(1234, id="user", marks=as_root), pytest.param(65534, id="nobody", marks=as_root)]  # fmt: skip


@pytest.mark.parametrize("uid", CALLERS)
def test_it_reads_and_computes_and_nothing_else(uid: int | None, place: Path) -> None:
    found = tried(place, account(place, uid))

    # A kernel without Landlock lets it read what its account can read.
    allowed = _ALLOWED if LANDLOCK else _ALLOWED | _CLOSED_BY_LANDLOCK
    assert set(found) - refused(found) - {"uid", "capabilities"} <= allowed
    assert refused(found).isdisjoint(_ALLOWED)
    assert found["capabilities"] == ["0000000000000000"] * 2
    assert not (place / "written").exists()
    if uid is not None and all(anybody_can_list(each) for each in ROOT.parents):
        assert found["uid"] == (uid or 65534)


@pytest.mark.parametrize("uid", CALLERS)
def test_without_a_filter_the_limits_stay(uid: int | None, place: Path) -> None:
    found = tried(place, account(place, uid), _NO_FILTER)

    assert refused(found) >= _WITHOUT_FILTER
    assert found["capabilities"] == ["0000000000000000"] * 2


# The rungs
# --------------------------------------------------------------------------------------------------

_UNREADABLE = "from htcq.operations import rungs; rungs._can_be_listed = lambda place: False\n"
_NO_LANDLOCK = "from htcq.operations import rungs; rungs.limit_files = lambda places: 'none here'\n"
_GOES_ON = 'print("goes on")\n'
#: A root without the right to change its account, as in some containers.
_BOUND = ("setpriv", "--bounding-set", "-setuid,-setgid")
_MISSING = [
    pytest.param(_UNREADABLE, (), "account: nobody cannot read ", id="unreadable"),
    pytest.param("", _BOUND, "account: this root may not change its account", id="bound"),
    pytest.param(_NO_FILTER, (), "system calls: there is no list of system calls for riscv64", id="no-filter"),
]  # fmt: skip


@as_root
@pytest.mark.parametrize(("before", "prefix", "why"), _MISSING)
def test_root_refuses_where_a_rung_is_missing(
    before: str, prefix: tuple[str, ...], why: str, place: Path
) -> None:
    code = before + _BEGIN + "from htcq.report.failure import told\ntry:\n    "
    code += _JUDGED + "except confined.ConfinementError as error:\n    os._exit(told(error))\n"
    prefix = (*account(place, 0), *prefix)
    done = ran(place, code + _GOES_ON, prefix)

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("htcq: root evaluates no ads where that cannot be confined: ")
    assert why in done.stderr
    assert "or with --unconfined" in done.stderr
    assert done.stderr.count("\n") == 1
    done = ran(place, before + _BEGIN + _CONFINE + _GOES_ON, prefix)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


@as_root
def test_whoever_is_not_root_is_told_and_goes_on(place: Path) -> None:
    done = ran(place, _NO_FILTER + _BEGIN + _JUDGED + _GOES_ON, account(place, 1234))

    assert (done.returncode, done.stdout) == (0, "goes on\n")
    assert done.stderr == (
        "htcq: the evaluation is not wholly confined: system calls: there is no list of system "
        "calls for riscv64 (see LIMITS in htcq(1))\n"
    )


@as_root
def test_a_whole_sandbox_and_one_without_landlock_say_nothing(place: Path) -> None:
    if not all(anybody_can_list(each) for each in ROOT.parents):
        pytest.fail("nobody can read these sources")
    for before in ("", _NO_LANDLOCK):
        done = ran(place, before + _BEGIN + _JUDGED + _GOES_ON, account(place, 0))
        assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


def test_without_landlock_its_account_still_decides_what_it_reads(place: Path) -> None:
    found = tried(place, account(place, None), _NO_LANDLOCK)

    assert set(found) - refused(found) - {"uid", "capabilities"} <= _ALLOWED | _CLOSED_BY_LANDLOCK


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (_NO_FILTER, "sandbox: system calls: not here: there is no list of system calls for riscv64"),
        (_NO_LANDLOCK, "sandbox: files: not here: none here"),
        pytest.param(_UNREADABLE, "sandbox: account: not here: nobody cannot read ", marks=as_root),
        ("", "sandbox: capabilities: none"),
        ("", "sandbox: system calls: those that read and compute (seccomp)"),
    ],
)  # fmt: skip
def test_config_check_says_which_rungs_there_are(before: str, line: str, place: Path) -> None:
    code = before + "import sys\nsys.argv = ['htcq', 'config', 'check']\n"
    done = ran(place, code + "from htcq.__main__ import main\nmain()\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert [each for each in done.stdout.splitlines() if each.startswith(line)]
    assert done.stdout.count("sandbox: ") == 6


@as_root
def test_a_command_of_root_refuses_and_an_option_lets_it(place: Path) -> None:
    snapshot = str(ROOT / "tests/golden/negotiation/cycle-109")
    code = _UNREADABLE + "import os, sys\nos.environ.pop('HTCQ_UNCONFINED', None)\n"
    code += f"sys.argv = ['htcq', 'cost', '--snapshot', {snapshot!r}]\nOPTION"
    code += "from htcq.__main__ import main\nmain()\n"
    refuses = ran(place, code.replace("OPTION", ""))
    goes_on = ran(place, code.replace("OPTION", "sys.argv.append('--unconfined')\n"))

    assert (refuses.returncode, refuses.stdout) == (3, "")
    assert "root evaluates no ads" in refuses.stderr
    assert "root evaluates no ads" not in goes_on.stderr
    assert goes_on.stdout


@as_root
def test_a_machine_whose_name_nobody_knows_is_not_asked_for_it(place: Path) -> None:
    """HTCondor's library would ask for a minute, in vain: the process opens no socket."""
    snapshot = ROOT / "tests/golden/negotiation/cycle-109"
    code = f"import sys\nsys.argv = ['htcq', 'quota', '--snapshot', {str(snapshot)!r}]\n"
    named = ("unshare", "--uts", "sh", "-c", 'hostname known-to-nobody; exec "$@"', "sh")
    done = ran(place, code + "from htcq.__main__ import main\nmain()\n", named, 45)

    assert "slot weight" in done.stdout


# Its end
# --------------------------------------------------------------------------------------------------


def test_what_it_starts_ends_with_the_command(place: Path) -> None:
    """Without the filter they may even leave the session: they are found nevertheless."""
    forks = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        held.write(str(os.getpid()))
        held.flush()
        time.sleep(600)
    os._exit(0)
while not os.fstat(held.fileno()).st_size:
    time.sleep(0.01)
os._exit(0)
"""
    done = ran(place, _NO_FILTER + _BEGIN + _CONFINE + forks)

    assert done.returncode == 0
    assert not Path(f"/proc/{(place / 'held').read_text()}").exists()


def test_half_a_request_holds_nobody_up(place: Path) -> None:
    patience = """
from htcq.operations import keeper
keeper._PATIENCE = 1.0
"""
    half = """
confined._writer.sendall((100).to_bytes(8, "big") + b"half")
time.sleep(2)
print("goes on", flush=True)
os._exit(0)
"""
    done = ran(place, _BEGIN + patience + _CONFINE + half)

    assert (done.returncode, done.stdout) == (0, "goes on\n")


def test_a_child_that_somebody_stops_goes_on(place: Path) -> None:
    waits = """
print(os.getpid(), flush=True)
end = time.monotonic() + 2
while time.monotonic() < end:
    time.sleep(0.1)
print("goes on", flush=True)
os._exit(0)
"""
    with subprocess.Popen(
        [sys.executable, "-c", _BEGIN + _CONFINE + waits, str(place)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as command:  # fmt: skip
        assert command.stdout is not None
        child = int(command.stdout.readline())
        os.kill(child, signal.SIGSTOP)
        assert command.stdout.read() == "goes on\n"
    assert command.returncode == 0


def test_a_large_file_that_it_prints_ends(place: Path) -> None:
    """Standard output may be a file of the caller: it is not filled for ever."""
    fills = """
import os
os.ftruncate(1, 3 << 30)
"""
    with (place / "out").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-c", _BEGIN + _CONFINE + fills, str(place)],
            stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    assert "File too large" in done.stderr
    assert (place / "out").stat().st_size == 0
