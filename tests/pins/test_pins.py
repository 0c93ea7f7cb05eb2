"""What every command prints for machines is what it printed when the pins were written; README.md says why."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from htcq import __version__
from htcq.cli.main import COMMANDS as NAMES
from htcq.cli.main import run
from htcq.errors import NESTED_VARIABLE
from tests.pins.commands import COMMANDS
from tests.pins.differences import differences
from tests.pins.pages import structure
from tests.pins.pinned import PINNED, load, save
from tests.pins.places import furnish
from tests.probe.recorded import recorded_machine

#: What the clock says: 2026-11-21T12:01:00Z, a minute after the snapshot that elastic quotas are
#: planned on.
NOW = 1_795_262_460.0
#: How long something took.
_TOOK = re.compile(r"(duration_seconds\{[^}]*\}) [0-9.e-]+")
#: The key of an item of a sweep, a digest in which the version of htcq is.
_KEY = re.compile(r'"key": "[0-9a-f]{16}"')
#: As many differences are shown.
_SHOWN = 40


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with all pools, in which the clock stands still and nobody has configured anything."""
    directory = tmp_path / "place"
    directory.mkdir()
    furnish(directory)
    with monkeypatch.context() as changed:
        changed.chdir(directory)
        for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
            changed.delenv(name)
        for name in ("CONDOR_CONFIG", NESTED_VARIABLE):
            changed.delenv(name, raising=False)
        changed.setenv("TZ", "UTC")
        changed.setenv("NO_COLOR", "1")
        changed.setenv("COLUMNS", "120")
        changed.setattr(time, "time", lambda: NOW)
        # What 'config check' says of the machine is the machine's.
        changed.setattr("htcq.operations.rungs.rungs_here", tuple)
        time.tzset()
        yield directory
    time.tzset()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_commands_print_what_is_pinned(
    name: str,
    place: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: Any,
) -> None:
    found = {line: _printed(line, place, capfd, monkeypatch) for line in COMMANDS[name]}
    if pytestconfig.option.write_pins:
        save(name, found)
    else:
        told = list(differences(load(name), found))
        rest = len(told) - _SHOWN
        more = f"\n  and {rest} more" if rest > 0 else ""
        again = f"python -m pytest tests/pins -k 'pinned[{name}]' --write-pins"
        assert not told, (
            "\n  ".join(("printed otherwise:", *told[:_SHOWN]))
            + f"{more}\nif that is wanted: {again}"
        )


def test_there_is_a_file_for_all_names_and_no_other() -> None:
    assert sorted(path.stem for path in PINNED.iterdir()) == sorted(COMMANDS)


def test_every_command_is_pinned() -> None:
    """But snapshot, which captures live pools alone."""
    assert {line.split()[0] for lines in COMMANDS.values() for line in lines} == set(NAMES) - {
        "snapshot"
    }


def test_a_difference_names_its_place() -> None:
    before = {"out": {"groups": [{"quota": 1, "name": "a"}], "gone": 1}, "err": ["x", "y"]}
    after = {"out": {"groups": [{"quota": 2, "name": "a"}], "new": None}, "err": ["x", "z"]}

    assert list(differences(before, after)) == [
        "err: -y", "err: +z", "out.gone: 1 -> nothing", "out.groups[0].quota: 1 -> 2", "out.new: nothing -> null",
    ]  # fmt: skip
    assert list(differences([1], [True])) == ["[0]: 1 -> true"]
    assert list(differences({"a": [1]}, {"a": [1, 2]})) == ["a: 1 items -> 2 items", "a: + 2"]


def _printed(
    line: str, place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Run one command; ``@NAME`` is the recorded machine that it probes."""
    words = shlex.split(line)
    (place / "out").mkdir(exist_ok=True)
    capfd.readouterr()
    with monkeypatch.context() as changed:
        if words[-1].startswith("@"):
            machine = recorded_machine(words.pop()[1:])
            changed.setattr("htcq.probe.this_machine", lambda *_: machine)
        status = run(words)
    out, err = capfd.readouterr()
    found: dict[str, Any] = {"status": status, "out": _parsed(_plain(out, place))}
    if err:
        found["err"] = _plain(err, place).splitlines()
    files = {
        str(path.relative_to(place)): _file(path, place)
        for path in sorted(place.glob("out/**/*"))
        # Pages are shown by links into hidden directories.
        if path.is_file() and "/.pages" not in str(path)
    }
    if files:
        found["files"] = files
    for path in sorted(place.glob("out/**/*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    return found


def _file(path: Path, place: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return structure(text) if path.suffix == ".html" else _parsed(_plain(text, place))


def _parsed(text: str) -> Any:
    """Return what ``text`` is as JSON, else its lines."""
    if text.startswith(("{", "[")):
        return json.loads(text)
    return text.splitlines()


def _plain(text: str, place: Path) -> str:
    """Return ``text`` without what is this machine's or this version's own."""
    text = text.replace(str(place), "PLACE")
    text = text.replace(f'"{__version__}"', '"VERSION"').replace(
        f"htcq {__version__}", "htcq VERSION"
    )
    text = _KEY.sub('"key": "KEY"', text)
    return _TOOK.sub(r"\1 TOOK", text)
