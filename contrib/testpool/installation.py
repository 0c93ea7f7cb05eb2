"""One installation of HTCondor: the one on PATH, or one inside a Debian root directory; how to start things in it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debian_root import JOB_USER, debian_root
from pool_home import PoolError, PoolRecord

PATH_SUITE = "path"

#: Mounts live in the namespace of this shell and go with it, and so does everything that it
#: started. It stays, as the first process: the kernel forgets that a process is to die with its
#: parent once that process changes its user, as condor_master does.
_ENTER_ROOT = """
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
shift
status=0
chroot "$@" || status=$?
exit "$status"
"""


@dataclass(frozen=True)
class Installation:
    """Where HTCondor's programs are, and as whom they run."""

    suite: str
    root: str = ""  # the root directory; empty: this machine's own

    @property
    def daemon_user(self) -> str | None:
        """Who the daemons of a pool on PATH become when root starts it: neither root nor condor may own jobs."""
        return "nobody" if not self.root and os.geteuid() == 0 else None

    @property
    def release(self) -> dict[str, str]:
        """RELEASE_DIR and the directories under it, wherever the packager put them."""
        sbin = f"{self.root}/usr/sbin" if self.root else str(_master_on_path().parent)
        base = Path(sbin).parent
        libexec = _first_with("condor_limits_wrapper.sh", base / "libexec/condor", base / "libexec")
        libraries = [
            path
            for path in (base / "lib64/condor", base / "lib/condor", base / "lib")
            if path.is_dir()
        ]
        found = {
            "RELEASE_DIR": base,
            "BIN": base / "bin",
            "SBIN": Path(sbin),
            "LIB": libraries[0] if libraries else base / "lib",
            "LIBEXEC": libexec,
        }
        return {knob: str(path)[len(self.root) :] or "/" for knob, path in found.items()}

    def version(self) -> str:
        """HTCondor's version, such as ``25.14.1``."""
        inside = ["chroot", self.root] if self.root else []
        command = [*inside, "condor_version"]
        text = subprocess.run(
            command, env=self.environment(""), capture_output=True, text=True, check=True
        ).stdout
        return text.split()[1]

    def environment(self, config_file: str) -> dict[str, str]:
        """The environment of daemons and tools: nothing of the caller's HTCondor settings gets in."""
        if self.root:
            path = "/usr/sbin:/usr/bin:/sbin:/bin"
            return {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "CONDOR_CONFIG": config_file}
        kept = {
            k: v for k, v in os.environ.items() if not k.upper().startswith(("CONDOR_", "_CONDOR_"))
        }
        kept["PATH"] = f"{_master_on_path().parent}:{kept.get('PATH', os.defpath)}"
        # The tools read a configuration even to print their version.
        kept["CONDOR_CONFIG"] = config_file or "/dev/null"
        return kept

    def start_command(self, command: Sequence[str], user: str = "root") -> list[str]:
        """The command line that runs ``command`` in a root directory, in namespaces that die with it."""
        unshare = [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-ec",
            _ENTER_ROOT,
            "testpool",
        ]
        return [*unshare, self.root, f"--userspec={user}", self.root, *command]

    def join_command(self, command: Sequence[str], master: int, as_job_user: bool) -> list[str]:
        """The command line that runs ``command`` next to the daemons of a living pool."""
        if self.root:
            namespaces = ["nsenter", f"--target={master}", "--mount", "--pid"]
            return [
                *namespaces,
                "chroot",
                f"--userspec={JOB_USER if as_job_user else 'root'}",
                self.root,
                *command,
            ]
        if self.daemon_user:
            group = pwd.getpwnam(self.daemon_user).pw_gid
            return [
                "setpriv",
                f"--reuid={self.daemon_user}",
                f"--regid={group}",
                "--init-groups",
                *command,
            ]
        return list(command)

    def give_away(self, directory: Path) -> None:
        """Give the pool's directory to the account whose daemons will write to it."""
        owner = "condor" if self.root else self.daemon_user
        if owner is None:
            return
        chown = ["chown", "--recursive", owner, str(directory)[len(self.root) :]]
        subprocess.run(["chroot", self.root, *chown] if self.root else chown, check=True)


def installation(suite: str | None, roots: Path) -> Installation:
    """The installation that a suite stands for; without one, HTCondor on PATH before Debian's sid.

    Raises:
        PoolError: there is no such suite or no HTCondor on PATH, or the root directory cannot be
            built.
    """
    if suite is None:
        suite = PATH_SUITE if shutil.which("condor_master", path=_search_path()) else "sid"
    if suite != PATH_SUITE:
        return Installation(suite, str(debian_root(suite, roots)))
    _master_on_path()
    return Installation(suite)


def installation_of(record: PoolRecord) -> Installation:
    """The installation that a pool's daemons run from."""
    return Installation(record.suite, record.root)


def _search_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"


def _master_on_path() -> Path:
    found = shutil.which("condor_master", path=_search_path())
    if found is None:
        raise PoolError(
            "condor_master is not on PATH", "install HTCondor, or use --suite sid as root on Debian"
        )
    return Path(found).absolute()


def _first_with(file: str, *directories: Path) -> Path:
    return next(
        (directory for directory in directories if (directory / file).exists()), directories[0]
    )
