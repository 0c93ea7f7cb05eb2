"""What CONTRIBUTING.md promises: three commands, as a user of a bare Debian 12, lead to a green test in two minutes.

The Debian is a root directory made by mmdebstrap and kept in .testpool; the user's home is new
each time. Where pip finds packages is taken from this machine's own settings of pip."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / ".testpool/newcomer"
USER = "newcomer"
#: Seconds for the three commands.
PROMISED = 120
_SETTING = re.compile(r"^[\w:-]+\.(?P<name>[\w-]+)='(?P<value>.*)'$", re.MULTILINE)
_FILE = re.compile(r"(?:^|\s|file://)(/[^\s?*]+)")
#: As root, in namespaces of its own that end with it: the directory, then places of this machine,
#: then the command.
_ENTER = """
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root$(dirname "$1")"; touch "$root$1"; fi
  mount --bind -o ro "$1" "$root$1"
  shift
done
shift
exec chroot "$root" "$@"
"""


def commands() -> str:
    """Return the commands of the section "Begin", as they stand there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Begin\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(block)


def settings_of_pip() -> dict[str, str]:
    """Return what pip is told on this machine, as environment variables."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    found = _SETTING.finditer(done.stdout)
    return {
        f"PIP_{each['name'].upper().replace('-', '_')}": each["value"].replace("\\n", " ")
        for each in found
    }


def debian() -> Path:
    """Return the root directory of a Debian 12 with what the section names, made first where it is missing."""
    if not DEBIAN.is_dir():
        DEBIAN.parent.mkdir(exist_ok=True)
        making = DEBIAN.with_suffix(".new")
        shutil.rmtree(making, ignore_errors=True)
        command = [
            "mmdebstrap",
            "--quiet",
            "--mode=root",
            "--variant=apt",
            "--include=git,python3-venv,ca-certificates",
        ]
        command += [
            f'--customize-hook=chroot "$1" useradd --shell /bin/sh {USER}',
            "bookworm",
            str(making),
        ]
        subprocess.run(
            [*command, *filter(None, [os.environ.get("TESTPOOL_MIRROR")])], check=True, timeout=900
        )
        making.rename(DEBIAN)
    return DEBIAN


def new_home(root: Path) -> None:
    """Give the user an empty home with this checkout in it, as git would copy it."""
    home = root / "home" / USER
    shutil.rmtree(home, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        listed, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (home / "htcq" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / "htcq" / name)
    subprocess.run(["chroot", str(root), "chown", "-R", USER, f"/home/{USER}"], check=True)
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {os.uname().nodename}\n")


def as_user(
    root: Path, script: str, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ``script`` in the copy of the checkout, with nothing of this machine but the network and pip's settings."""
    places = ["/etc/resolv.conf", *map(_to_mount, _FILE.findall(" ".join(variables.values())))]
    there = [name for name in dict.fromkeys(places) if Path(name).exists()]
    environment = [f"HOME=/home/{USER}", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
    environment += [f"{name}={value}" for name, value in variables.items()]
    inner = [
        "env",
        "-i",
        *environment,
        "setpriv",
        f"--reuid={USER}",
        f"--regid={USER}",
        "--clear-groups",
    ]
    inner += ["sh", "-ec", f"cd ~/htcq\n{script}"]
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    return subprocess.run(
        [*namespaces, "sh", "-ec", _ENTER, "sh", str(root), *there, "--", *inner],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def _to_mount(name: str) -> str:
    """Return what of this machine is needed to use the file or directory: an index lies beside the files it names."""
    path = Path(name)
    return str(path.parent) if path.is_dir() and path.parent != Path("/") else name


def test_the_section_has_three_commands_and_none_needs_root() -> None:
    lines = commands().splitlines()

    assert len(lines) == 3
    assert "sudo" not in commands()
    assert "pytest" in lines[-1]


def test_one_test_needs_no_plugin_of_pytest() -> None:
    off = [
        "-p",
        "no:benchmark",
        "-p",
        "no:xdist",
        "-p",
        "no:hypothesispytest",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *off, "tests/test_units.py"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.newcomer
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a Debian root directory")
def test_three_commands_lead_a_user_to_a_green_test_in_two_minutes() -> None:
    root = debian()
    new_home(root)
    began = time.monotonic()
    done = as_user(root, commands(), settings_of_pip())
    took = time.monotonic() - began

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert re.search(r"^\d{3,} passed in ", done.stdout, re.MULTILINE), done.stdout[-300:]
    assert took < PROMISED, f"{took:.0f} seconds"
