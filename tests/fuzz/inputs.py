"""One input from a seed and a number: a command line, and the files that it is run on."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from random import Random

from tests.fuzz.files import kind_of
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import Target
from tests.fuzz.values import text_value, word_value

_FORMS = ("snap", "snap", "snap.tar.gz", "snap.tar.xz", "snap.tar")
#: Parts of all inputs: those whose command line is changed, and those with something strange among
#: the files.
_WORDS, _STRANGE = 0.1, 0.05


@dataclass
class Input:
    """A command line and files by name; ``links`` and ``pipes`` are no plain files; ``changes`` names what was done."""

    words: list[str]
    files: dict[str, bytes]
    links: dict[str, str] = field(default_factory=dict)
    pipes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


def draw(
    rng: Random, target: Target, pools: Sequence[Mapping[str, bytes]], beside: Mapping[str, bytes]
) -> Input:
    """Return an input for ``target``."""
    pool = {f"snap/{name}": content for name, content in rng.choice(pools).items()}
    other = {f"snap/{name}": content for name, content in rng.choice(pools).items()}
    found = Input(list(rng.choice(target.lines)), {**beside, **pool})
    by_words = not target.changed or rng.random() < _WORDS
    if by_words:
        _change_words(rng, found)
        lost = [word for word in target.ending if word not in found.words]
        # After the name of the action: no option there takes the word for its value.
        after = len(target.name.split())
        found.words[after:after] = lost
    else:
        _change_files(rng, found, target, {**beside, **other})
    if rng.random() < _STRANGE and "snap/*" in target.changed:
        _put_something_strange(rng, found)
    _put_snapshot(rng, found)
    return found


def _change_words(rng: Random, found: Input) -> None:
    """Change, remove, double or add a word after the command."""
    place, way = rng.randrange(1, len(found.words) + 1), rng.randrange(5)
    if way < 3 and place < len(found.words):
        found.words[place] = word_value(rng)
    elif way == 3 and place < len(found.words):
        del found.words[place]
    else:
        found.words.insert(place, word_value(rng))
    found.changes.append("words")


def _change_files(rng: Random, found: Input, target: Target, others: Mapping[str, bytes]) -> None:
    pattern = rng.choice(target.changed)
    names = [name for name in found.files if fnmatch(name, pattern)]
    for _ in range(rng.choice((1, 1, 1, 2, 3)) if names else 0):
        name = rng.choice(names)
        kind = kind_of(name)
        same = [other for other in others if kind_of(other) == kind]
        change, found.files[name] = mutated(
            rng, kind, found.files[name], others[rng.choice(same)] if same else b""
        )
        found.changes.append(change)


def _put_something_strange(rng: Random, found: Input) -> None:
    """Put something into the snapshot that is no plain file, or has a strange name."""
    names = [name for name in found.files if name.startswith("snap/")]
    name, way = rng.choice(names), rng.randrange(6)
    if way == 0:
        del found.files[name]
    elif way == 1:
        found.links[name] = rng.choice(
            (name.rpartition("/")[2], "/dev/zero", "/etc/shadow", "missing", ".", "/")
        )
        del found.files[name]
    elif way == 2:
        found.pipes.append(name)
        del found.files[name]
    elif way == 3:
        found.links["snap/execute/loop"] = "."
    else:
        odd = (
            text_value(rng, "")
            .replace(b"\x00", b"")
            .replace(b"/", b"-")[:200]
            .decode("utf-8", "surrogateescape")
        )
        found.files[f"snap/{rng.choice(('execute', 'access'))}/{odd}.txt"] = b"SLOT_WEIGHT = Cpus\n"
    found.changes.append("strange file")


def _put_snapshot(rng: Random, found: Input) -> None:
    """Let the snapshot be a directory or an archive; archives are damaged too."""
    if "SNAPSHOT" not in found.words:
        return
    form = rng.choice(_FORMS)
    found.words = [form if word == "SNAPSHOT" else word for word in found.words]
    if form == "snap":
        return
    inside = {name: found.files.pop(name) for name in list(found.files) if name.startswith("snap/")}
    damaged = rng.random() < 0.25
    packed = _archive(rng, inside, found, form.rpartition(".")[2], odd=damaged)
    found.links = {name: goal for name, goal in found.links.items() if not name.startswith("snap/")}
    found.pipes = []
    if damaged:
        change, packed = mutated(rng, "archive", packed, packed)
        found.changes.append(change)
    found.files[form] = packed


def _archive(rng: Random, inside: Mapping[str, bytes], found: Input, how: str, odd: bool) -> bytes:
    buffer = io.BytesIO()
    mode = {"gz": "w:gz", "xz": "w:xz", "tar": "w"}[how]
    options = {"preset": 0} if how == "xz" else {}
    with tarfile.open(fileobj=buffer, mode=mode, **options) as archive:  # type: ignore[call-overload]
        for name, content in inside.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, goal in found.links.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = rng.choice((tarfile.SYMTYPE, tarfile.LNKTYPE)), goal
            archive.addfile(member)
        for name in found.pipes:
            member = tarfile.TarInfo(name)
            member.type = rng.choice((tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, b"Z"))
            archive.addfile(member)
        if odd and rng.random() < 0.5:
            _add_odd_member(rng, archive)
    return buffer.getvalue()


def _add_odd_member(rng: Random, archive: tarfile.TarFile) -> None:
    """Add a second file of a name, one above the archive, or one of a strange name."""
    content = b"A = 1\n" * rng.choice((1, 1000))
    odd = text_value(rng, "").replace(b"\x00", b"").decode("utf-8", "surrogateescape")[:3000]
    name = rng.choice(
        (
            "snap/jobs.ads",
            "../jobs.ads",
            "/etc/passwd",
            "snap/../../x",
            f"snap/execute/{odd}.txt",
            odd,
        )
    )
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
