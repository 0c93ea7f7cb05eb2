"""Packages of a copy of this checkout, of two versions, and the roots that they are installed in."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debian_root import SUITES, debian_root
from installation import Installation

from htcq import __version__

ROOT = Path(__file__).resolve().parents[2]
ROOTS = ROOT / ".testpool/roots"
#: Directories of the package of timers, with owner and mode as ``stat`` prints them.
PLACES = ("/var/lib/htcq", "/var/lib/htcq-pages", "/var/lib/htcq-elastic")
OWNERS = "/var/lib/htcq htcq 700\n/var/lib/htcq-pages htcq 755\n/var/lib/htcq-elastic root 755\n"
#: The version after this checkout's.
NEXT = f"{__version__}.post1"
_VERSION = "htcq/__init__.py"
_BUILD = "/htcq/contrib/packages/build"
#: Variables of an administrator's shell: none of the tests' own reaches a command in a root.
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}
#: What a distribution's tools and HTCondor's daemons keep for themselves, below a root directory.
_KEPT_BY_OTHERS = re.compile(
    r"^(?:dev|pools|proc|root|run|sys|tmp|var/(?:backups|cache|lib/(?:apt|dpkg|rpm|condor|systemd)|log|tmp))(?:/|$)"
    r"|^etc/(?:passwd|shadow|group|gshadow|subuid|subgid)-?$|^etc/\.pwd\.lock$"
    # Python compiles other packages when htcq imports them.
    r"|-packages/(?!htcq/).*__pycache__(?:/|$)"
)


#: What a bare Debian 12 has before anything is installed there for the build.
_BARE = (
    "mmdebstrap",
    "--quiet",
    "--mode=root",
    "--variant=apt",
    "--include=ca-certificates,git",
    "bookworm",
)


@dataclass(frozen=True)
class Packages:
    """The directories with the packages of this version and of the next.

    ``asked`` holds what the build printed on the bare Debian.
    """

    now: Path
    next: Path
    asked: Path

    def found(self, pattern: str, version: str = __version__) -> Path:
        """Return the package of that version whose file name ``pattern`` describes."""
        place = {__version__: self.now, NEXT: self.next}[version]
        (path,) = place.glob(pattern)
        return path


def built(place: Path) -> Packages:
    """Build both versions in ``place``, unless another worker has done so.

    They are built in a bare Debian 12, which gets what the build asks for and nothing else.
    """
    place.mkdir(exist_ok=True)
    found = Packages(place / "now", place / "next", place / "asked")
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            root = bare_debian(place / "debian")
            checkout = repository(root.path / "htcq")
            found.asked.write_text(root.run(_BUILD, "/now", status=2))
            (command,) = re.findall(r"apt-get install [a-z0-9 -]+", found.asked.read_text())
            root.run("apt-get", "update", "-q")
            root.run(*command.split(), "-qy")
            _build(root, found.now)
            path = checkout / _VERSION
            path.write_text(path.read_text().replace(f'"{__version__}"', f'"{NEXT}"'))
            _git(checkout, "commit", "--quiet", "--all", "--message", "the next version")
            _build(root, found.next)
            shutil.rmtree(root.path)
            (place / "done").touch()
    return found


def bare_debian(place: Path) -> Root:
    """Make a Debian 12 with git and nothing else, and with the network of this machine."""
    mirror = filter(None, [os.environ.get("TESTPOOL_MIRROR")])
    subprocess.run([*_BARE, str(place), *mirror], check=True, timeout=900)
    shutil.copy("/etc/resolv.conf", place / "etc/resolv.conf")
    return Root(place)


def repository(place: Path) -> Path:
    """Return a repository in ``place`` with the files of this checkout as its only commit."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    _git(place, "init", "--quiet")
    _git(place, "add", "--all")
    _git(place, "commit", "--quiet", "--message", "a copy")
    return place


def _git(place: Path, *arguments: str) -> None:
    who = ["-c", "user.name=htcq", "-c", "user.email=htcq@packages.invalid"]
    subprocess.run(["git", *who, *arguments], cwd=place, check=True)


def _build(root: Root, out: Path) -> None:
    root.run(_BUILD, f"/{out.name}")
    shutil.move(root.path / out.name, out)


@dataclass(frozen=True)
class Root:
    """A root directory of a distribution, a copy that may be changed."""

    path: Path

    def run(self, *command: str, status: int = 0) -> str:
        """Run ``command`` inside, expect ``status``, and return all that it prints."""
        done = subprocess.run(
            Installation("", str(self.path)).start_command(command),
            env=ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == status, done.stdout[-4000:]
        return done.stdout

    def bring(self, files: Sequence[Path]) -> list[str]:
        """Copy ``files`` to /tmp of the root, and return their names there."""
        for path in files:
            shutil.copy(path, self.path / "tmp")
        return [f"/tmp/{path.name}" for path in files]

    def files(self) -> set[str]:
        """Return all files and directories but those that the distribution keeps for itself."""
        found = set()
        for directory, directories, names in os.walk(self.path):
            below = Path(directory).relative_to(self.path)
            directories[:] = [
                name for name in directories if not _KEPT_BY_OTHERS.search(str(below / name))
            ]
            found |= {str(below / name) for name in (*directories, *names)}
        return {name for name in found if not _KEPT_BY_OTHERS.search(name)}


def copied(name: str, place: Path) -> Root:
    """Return a copy of the root directory ``name`` that has the network of this machine."""
    original = ROOTS / name
    if name in SUITES:
        debian_root(name, ROOTS)
    assert original.is_dir(), f"{original} is missing: contrib/testall makes it"
    copy = place / name
    copy.mkdir()
    # Pools that run meanwhile have their files there; those come and go.
    lasting = [str(each) for each in original.iterdir() if each.name not in ("pools", "tmp")]
    subprocess.run(["cp", "--archive", "--reflink=auto", *lasting, str(copy)], check=True)
    (copy / "tmp").mkdir()
    (copy / "tmp").chmod(0o1777)
    shutil.copy("/etc/resolv.conf", copy / "etc/resolv.conf")
    return Root(copy)
