"""What must hold of every run, whatever its input was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path

from tests.fuzz.child import Done
from tests.fuzz.values import SECRET

#: Of a line on standard error.
_LONGEST_LINE = 2000
_MAX_MB = 700
_MAX_LINES = 200
_STATUSES = range(4)
#: What a terminal acts on: C0 but for tab and line end, DEL, C1, marks that turn the direction of
#: writing, separators.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
#: A bug that was caught at the door is a bug.
_BUG = re.compile(
    r"Traceback \(most recent call last\)|\bbug in htcq\b|^[A-Za-z]+Error\b", re.MULTILINE
)


def tree(place: Path) -> dict[str, bytes]:
    """Return what there is below ``place``: the content of files, and what else is not a directory."""
    found = {}
    for path in place.rglob("*"):
        name = str(path.relative_to(place))
        if path.is_symlink():
            found[name] = b"-> " + bytes(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not path.is_dir():
            found[name] = b"special"
    return found


def faults(
    words: Sequence[str],
    done: Done,
    before: Mapping[str, bytes],
    place: Path,
    room: Path,
    writes: Sequence[str],
) -> Iterator[str]:
    """Yield what is wrong with a run."""
    yield from _ending(done)
    yield from _streams(words, done)
    yield from _printed(words, done)
    yield from _left(before, tree(place), writes)
    left = sorted(path.name for path in (room / "tmp").iterdir())
    if left:
        yield f"temporary files are left: {left[0]}"


def _ending(done: Done) -> Iterator[str]:
    if done.late:
        yield "no end in time"
    elif done.status not in _STATUSES:
        yield f"exit status {done.status}"
    if done.peak_mb > _MAX_MB:
        yield f"memory: more than {_MAX_MB} MB"


def _streams(words: Sequence[str], done: Done) -> Iterator[str]:
    said = done.err.decode("utf-8", "replace")
    bug = _BUG.search(said)
    if bug:
        last = said.strip().rpartition("\n")[2]
        yield f"traceback: {last[:200]}"
        return
    lines = said.split("\n")[:-1]
    if said and not said.endswith("\n"):
        yield "standard error: the last line does not end"
    if any(len(line) > _LONGEST_LINE for line in lines):
        yield "standard error: a long line"
    if len(lines) > _MAX_LINES:
        yield "standard error: many lines"
    for stream, text in (
        ("error", said),
        ("output", done.out.decode("utf-8", "replace").replace("\r\n", "\n")),
    ):
        control = _CONTROL.search(text)
        if control:
            yield f"standard {stream}: control character {control[0]!a}"
        # The caller's own templates may name the caller's environment.
        if SECRET in text and "--templates" not in words:
            yield f"standard {stream}: a variable of the caller's environment"
    if done.status in (2, 3) and not (done.err or done.out):
        yield "not a word"


def _no_number(text: str) -> float:
    raise ValueError(text)


def _printed(words: Sequence[str], done: Done) -> Iterator[str]:
    """Check that what is said to be JSON is JSON."""
    if "--json" not in words or done.status not in (0, 1) or not done.out:
        return
    try:
        json.loads(done.out, parse_constant=_no_number)
    except RecursionError:
        return
    except ValueError as error:
        yield f"standard output: no JSON: {str(error)[:40]}"


def _left(
    before: Mapping[str, bytes], after: Mapping[str, bytes], writes: Sequence[str]
) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) and not any(
            fnmatch(name, pattern) for pattern in writes
        ):
            how = "made" if name not in before else "gone" if name not in after else "changed"
            yield f"file {how}: {name[:60]!r}"
