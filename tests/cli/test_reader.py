"""What htcq says of a snapshot does not depend on who reads it: on the environment, the directory, the account.

The pool is a recorded one (tests/golden/negotiation-2/README.md) with groups and without claimed leftovers: by HTCondor's
defaults, which a reader whose library was loaded with CONDOR_CONFIG=ONLY_ENV got in their place, 'simulate' runs jobs that
the daemons did not. One of its users has a name that is not ASCII here.

What may differ is the width of what goes to a terminal (COLUMNS), and its colours (NO_COLOR): here nothing does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.errors import UNCONFINED_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
POOL = ROOT / "tests/golden/negotiation-2/sid-reserved"
COMMANDS = (
    ("audit",), ("quota",), ("simulate",), ("simulate", "--cycles", "5"), ("why", "--all"), ("cost",),
    ("plan", "--weight", "cpus=1"),
)  # fmt: skip
#: Runs all of them, each in a process that has loaded no library yet, and prints what they print.
_RUN = f"""
import os, sys
import htcq.cli.main, htcq.operations.pool_source
for command in {COMMANDS!r}:
    pid = os.fork()
    if not pid:
        os.dup2(1, 2)
        sys.argv = ["htcq", *command, "--snapshot", sys.argv[1]]
        from htcq.__main__ import main
        main()
    print("ended with", os.WEXITSTATUS(os.waitpid(pid, 0)[1]), *command, flush=True)
"""
#: Settings by which HTCondor would evaluate and count otherwise.
_OTHER = """GROUP_NAMES = q1, q2
GROUP_QUOTA_q1 = 1
GROUP_ACCEPT_SURPLUS = True
CLAIM_PARTITIONABLE_LEFTOVERS = True
NEGOTIATOR_DEPTH_FIRST = True
SLOT_WEIGHT = Memory
STRICT_CLASSAD_EVALUATION = True
CLASSAD_USER_LIBS = /no/such/library.so
"""
_NAMES = [line.partition(" ")[0] for line in _OTHER.splitlines()]
#: Variables of the environment; PLACE is a directory with files of a configuration.
ENVIRONMENTS = {
    "only the environment": {"CONDOR_CONFIG": "ONLY_ENV"},
    "no configuration": {"CONDOR_CONFIG": "/dev/null"},
    "another configuration": {"CONDOR_CONFIG": "PLACE/condor_config"},
    "variables": {
        f"_{prefix}_{name}": "7" for prefix, name in zip(("CONDOR", "condor") * 4, _NAMES)
    },
    "another place on earth": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Kolkata"},
    "broken configuration": {"CONDOR_CONFIG": "PLACE/broken"},
    "no such configuration": {"CONDOR_CONFIG": "/no/such/file"},
    "bytes": {"LC_ALL": "C", "PYTHONHASHSEED": "7", "TZ": "America/St_Johns", "HOME": "/no/such/home"},
    "a terminal's": {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "dumb", "PYTHONPATH": f"PLACE:{ROOT}"},
}  # fmt: skip


def said(pool: Path, place: Path, environment: dict[str, str], *before: str) -> str:
    """Return what the commands print of ``pool`` in an environment of nothing else, in the directory ``place``."""
    values = {name: value.replace("PLACE", str(place)) for name, value in environment.items()}
    done = subprocess.run(
        [*before, sys.executable, "-c", _RUN, str(pool)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        check=True,
        cwd=place,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            UNCONFINED_VARIABLE: "1",
            **values,
        },
    )
    return done.stdout


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pools") / "pool"
    place.mkdir()
    for each in POOL.iterdir():
        text = each.read_text(encoding="utf-8")
        (place / each.name).write_text(
            text.replace("a.ann", "a.\u00e4nn").replace('"ann"', '"\u00e4nn"'), encoding="utf-8"
        )
    return place


@pytest.fixture(scope="module")
def usual(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    found = said(pool, tmp_path_factory.mktemp("usual"), {})
    assert "a.\u00e4nn@" in found
    # Every command has found something to say, and none has failed.
    assert [line for line in found.splitlines() if line.startswith("ended with ")] == [
        " ".join(("ended with 0", *command)) for command in COMMANDS
    ]
    return found


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_the_environment_does_not_matter(
    environment: dict[str, str], pool: Path, usual: str, tmp_path: Path
) -> None:
    (tmp_path / "condor_config").write_text(_OTHER)
    (tmp_path / "broken").write_text("if true\nno assignment\n")

    assert said(pool, tmp_path, environment) == usual


def test_the_mask_and_a_closed_standard_input_do_not_matter(
    pool: Path, usual: str, tmp_path: Path
) -> None:
    assert said(pool, tmp_path, {}, "sh", "-c", 'umask 777; exec "$@" <&-', "sh") == usual


def test_the_accounts_own_configuration_does_not_matter(
    pool: Path, usual: str, tmp_path: Path
) -> None:
    """HTCondor reads ~/.condor/user_config beside any main file, /dev/null too, and asks the system for the home."""
    (tmp_path / "home" / ".condor").mkdir(parents=True)
    (tmp_path / "home" / ".condor" / "user_config").write_text(f"{_OTHER}if true\nno assignment\n")
    for each in (tmp_path, *list(tmp_path.parents)[:3]):
        each.chmod(each.stat().st_mode | 0o055)
    accounts = tmp_path / "passwd"
    accounts.write_text(
        "".join(
            f"{name}:x:{number}:{number}::{tmp_path}/home:/bin/sh\n"
            for name, number in (("root", 0), ("nobody", 65534))
        )
    )
    namespace = (
        "unshare",
        "--mount",
        "sh",
        "-c",
        f'mount --bind {accounts} /etc/passwd && exec "$@"',
        "sh",
    )

    assert said(pool, tmp_path, {}, *namespace) == usual
