"""What the process that evaluates strangers' data gives up, rung by rung, and what each came to.

Without one of the needed rungs root does not evaluate them, and others are told. See
``htcq.operations.confined``.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import htcq
from htcq.live.deadline import die_with
from htcq.live.file_rules import limit_files
from htcq.live.process_limits import addresses_now, limit_process, processes_now
from htcq.live.syscall_filter import restrict

_NOBODY = 65534
#: Of prctl(2).
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
#: Of capset(2): version 3 has two words of each set.
_CAPABILITY_VERSION, _CAPABILITY_WORDS = 0x20080522, 6
#: Seconds between the soft and the hard limit of processor time.
_GRACE = 5
#: Bytes that the child may add to one file: its standard output may be one.
_MAX_FILE = 1 << 31
#: Bytes of addresses beside the limit of memory: code of libraries, and stacks.
_CODE = 1 << 30
#: Processes and threads that may begin beside those that the account has: the child needs a few,
#: other programs of the account more.
_MORE_PROCESSES = 1024
#: What the system's libraries read. Other processes' files in /proc are closed by Landlock itself.
_SYSTEM = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/proc",
    "/sys/fs/cgroup",
    "/sys/devices/system/cpu",
    "/dev/null",
    "/dev/urandom",
)
#: For the trial of ``rungs_here``.
_TRIAL_MEMORY, _TRIAL_SECONDS = 400 << 20, 10


@dataclass(frozen=True)
class Rung:
    """One thing that the process gives up; ``missing``: why it does not.

    An ``extra`` is not there on every machine, and missed nowhere.
    """

    name: str
    has: str
    missing: str = ""
    extra: bool = False


def give_up(parent: int, memory: int, seconds: int) -> tuple[Rung, ...]:
    """Give up all that a process that reads and computes does not need; return what came of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    places = tuple(_readable_places())
    account = _leave_root()
    told = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    privileges = os.strerror(ctypes.get_errno()) if told else ""
    # Root that stays root has no rights but those of a file's owner.
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    libc.capset(header, (ctypes.c_uint32 * _CAPABILITY_WORDS)())
    capabilities = _capabilities_left()
    # Its parent cannot be looked into; it has nothing that its own children may not see.
    libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    # After the change of the user, which would make the kernel forget it.
    die_with(parent)
    _set_limits(memory, seconds)
    files = limit_files(places)
    return (
        Rung("account", "not root", account),
        Rung("capabilities", "none", capabilities),
        Rung("privileges", "none can be gained", privileges),
        Rung("limits", "memory, processor time, files, processes"),
        Rung("files", "only Python's and the system's libraries (Landlock)", files, extra=True),
        Rung("system calls", "those that read and compute (seccomp)", restrict()),
    )


def rungs_here() -> tuple[Rung, ...]:
    """Return what a confined process of this account gives up on this machine: one tries it."""
    answers, out = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        try:
            os.close(answers)
            with os.fdopen(out, "wb") as stream:
                pickle.dump(give_up(parent, _TRIAL_MEMORY, _TRIAL_SECONDS), stream)
        finally:
            os._exit(0)
    os.close(out)
    with os.fdopen(answers, "rb") as stream:
        told = stream.read()
    os.waitpid(pid, 0)
    found: tuple[Rung, ...] = pickle.loads(told)
    return found


def _leave_root() -> str:
    """Become nobody for good where this is root; return why that cannot be."""
    if os.geteuid() != 0:
        return ""
    groups, places = os.getgroups(), _places()
    try:
        os.setgroups([])
        os.setegid(_NOBODY)
        os.seteuid(_NOBODY)
    except OSError:
        # As in some containers.
        return "this root may not change its account"
    unread = next((place for place in places if not _can_be_listed(place)), "")
    os.seteuid(0)
    os.setegid(0)
    if unread:
        os.setgroups(groups)
        return f"nobody cannot read {unread}"
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    return ""


def _capabilities_left() -> str:
    """Return which capabilities this process has; empty: none."""
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").split("\n"):
        if line.startswith(("CapPrm:", "CapEff:")) and int(line.split()[1], 16):
            return f"{line.split()[1]} stay"
    return ""


def _places() -> list[str]:
    """Return the directories of the program, of Python and of what is loaded later."""
    modules = {name: each for name, each in sys.modules.items() if name != "__main__"}
    files = [getattr(module, "__file__", None) for module in modules.values()]
    files += _loaded_later()
    return sorted({os.path.dirname(file) for file in files if file})  # noqa: PTH120


def _loaded_later() -> list[str]:
    """Return where the packages begin that a command may load in the process."""
    from importlib.util import find_spec

    found = [find_spec(name) for name in ("classad2", "htcondor2", "jinja2", "numpy")]
    return [spec.origin for spec in found if spec is not None and spec.origin]


def _readable_places() -> Iterator[str]:
    """Yield what the process may read: modules that are not loaded yet, and libraries."""
    yield from _places()
    # Python looks a package up in the directory above it, and a wheel has its libraries there.
    yield from (str(Path(file).parents[1]) for file in _loaded_later())
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix)
    yield from (each for each in sys.path if each.endswith("-packages"))
    # In a checkout they are beside the package; htcq.templating knows, and takes long to load.
    yield str(Path(htcq.__file__).parent.parent / "templates")
    yield from _SYSTEM


def _can_be_listed(place: str) -> bool:
    try:
        os.listdir(place)  # noqa: PTH208
    except OSError:
        return False
    return True


def _set_limits(memory: int, seconds: int) -> None:
    import resource

    # Private memory that can be written; more than the limit, and an allocation fails. The hard
    # limit of time, which kills without a word that it was this, comes after the other.
    addresses, processes = addresses_now() + memory + _CODE, processes_now() + _MORE_PROCESSES
    wanted = (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_DATA, memory, memory),
        (resource.RLIMIT_AS, addresses, addresses),
        (resource.RLIMIT_FSIZE, _MAX_FILE, _MAX_FILE),
        (resource.RLIMIT_NPROC, processes, processes),
        (resource.RLIMIT_CPU, seconds, seconds + _GRACE),
    )
    limit_process(wanted)
