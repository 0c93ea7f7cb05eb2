"""Runs many inputs, looks at each, counts, and keeps those that failed, so that each can be run again."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from random import Random

import htcq
from tests.fuzz.child import Done, run_htcq
from tests.fuzz.files import beside
from tests.fuzz.inputs import Input, draw
from tests.fuzz.pools import by_hand, recorded
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.verdict import faults, tree

#: What may name a file in a text.
_WORD = re.compile(r"[^\s\"'|=]+")


@dataclass
class Tally:
    """What was run, and what failed: by fault, the first inputs."""

    runs: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    failed: dict[str, list[str]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count what another has counted."""
        self.runs += other.runs
        self.changes += other.changes
        for fault, names in other.failed.items():
            self.failed.setdefault(fault, []).extend(names)

    def as_json(self) -> dict[str, object]:
        """Return it for another process."""
        return {"runs": self.runs, "changes": self.changes, "failed": self.failed}

    @classmethod
    def from_json(cls, told: Mapping[str, Mapping[str, object]]) -> Tally:
        """Return what another process has counted."""
        return cls(Counter(told["runs"]), Counter(told["changes"]), dict(told["failed"]))  # type: ignore[arg-type]


def load_everything() -> None:
    """Import what a command may import, once for all children."""
    for module in pkgutil.walk_packages(htcq.__path__, "htcq."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in (
        "htcondor2",
        "classad2",
        "jinja2",
        "rich.console",
        "rich.table",
        "sqlite3",
        "difflib",
        "csv",
    ):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _named_in_trusted(given: Input) -> Iterator[str]:
    """Yield the words of files that the command line trusts: a site file names its store, a template what it runs."""
    for option, named in zip(given.words, given.words[1:]):
        if option not in ("--config", "--templates"):
            continue
        for name, content in given.files.items():
            if name == named or name.startswith(f"{named}/"):
                yield from map(escape, _WORD.findall(content.decode("utf-8", "replace")))


class Campaign:
    """Inputs of one seed, in a directory of their own; failed ones are kept in ``kept``."""

    def __init__(self, seed: str, room: Path, kept: Path) -> None:
        self.seed, self.kept = seed, kept
        self._room = room
        self._pools = [*(by_hand() for _ in range(6)), *recorded()]
        self._beside = beside()
        self.tally = Tally()
        #: What the last run left behind.
        self.last = Done(0, b"", b"", 0.0, 0.0)
        self._clean()
        self._furnish()

    def run(self, target: Target, number: int) -> list[str]:
        """Run the input of that number and return what is wrong."""
        rng = Random(f"{self.seed}/{target.name}/{number}")
        given = draw(rng, target, self._pools, self._beside)
        found = self.look_at(given, target)
        self.tally.changes.update(given.changes)
        if found:
            name = f"{target.name.replace(' ', '-')}-{number}"
            self._keep(name, given, target, found)
            for fault in found:
                self.tally.failed.setdefault(f"{target.name}: {fault}", []).append(name)
        return found

    def look_at(self, given: Input, target: Target) -> list[str]:
        """Run ``given`` and return what is wrong."""
        place = self._lay_out(given)
        world = self._room / "world"
        before = tree(world)
        done = run_htcq(given.words, place, self._room)
        self.last = done
        named = [escape(word) for word in given.words]
        patterns = (
            *target.writes,
            *named,
            *(f"{name}/*" for name in named),
            *_named_in_trusted(given),
        )
        writes = [*(f"a/b/place/{pattern}" for pattern in patterns), "a/x"]
        found = list(faults(given.words, done, before, world, self._room, writes))
        self.tally.runs[f"{target.name}: {'late' if done.late else done.status}"] += 1
        if not found and target.again and done.status in (0, 1):
            again = run_htcq(given.words, place, self._room)
            self.last = again
            found = [
                f"again: {fault}"
                for fault in faults(given.words, again, before, world, self._room, writes)
            ]
        self._clean()
        return found

    def _clean(self) -> None:
        shutil.rmtree(self._room, ignore_errors=True)
        (self._room / "tmp").mkdir(parents=True)

    def _lay_out(self, given: Input) -> Path:
        place = self._room / "world/a/b/place"
        place.mkdir(parents=True)
        for name, content in given.files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, goal in given.links.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(goal)
        for name in given.pipes:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mkfifo(path)
        return place

    def _furnish(self) -> None:
        """Let htcq itself make the files that only it can: a history, a baseline, the results of a sweep."""
        files = {**self._beside, **{f"snap/{name}": content for name, content in by_hand().items()}}
        place = self._lay_out(Input([], files))
        for line in (
            (
                "drift",
                "record",
                "--snapshot",
                "snap",
                "--store",
                "drift.db",
                "--config",
                "drift.toml",
            ),
            ("simulate", "--sweep", "sweep.toml", "--snapshot", "snap", "--results", "results"),
        ):
            done = run_htcq(line, place, self._room)
            assert done.status == 0, (line, done)
        done = run_htcq(("audit", "--snapshot", "snap", "--json"), place, self._room)
        assert done.status in (0, 1), done
        (place / "baseline.json").write_bytes(done.out)
        made = tree(place)
        self._beside |= {
            name: content for name, content in made.items() if not name.startswith("snap/")
        }
        self._clean()

    def _keep(self, name: str, given: Input, target: Target, found: Sequence[str]) -> None:
        directory = self.kept / name
        shutil.rmtree(directory, ignore_errors=True)
        for file, content in given.files.items():
            path = directory / "files" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        told = {
            "target": target.name, "words": given.words, "links": given.links, "pipes": given.pipes,
            "changes": given.changes, "faults": list(found), "seed": self.seed,
        }  # fmt: skip
        (directory / "input.json").write_text(json.dumps(told, indent=1))
        (directory / "out").write_bytes(self.last.out)
        (directory / "err").write_bytes(self.last.err)


def numbers_for(inputs: int, targets: Sequence[Target]) -> Iterator[tuple[Target, int]]:
    """Yield each target with the numbers of its inputs: of all ``inputs`` so many as it weighs, at least one.

    The targets come in turn, so that a run that is ended early has seen all of them.
    """
    total = sum(target.weight for target in TARGETS)
    order: list[tuple[float, int, int]] = []
    for place, target in enumerate(targets):
        count = max(1, inputs * target.weight // total)
        order += [((number + 1) / count, place, number) for number in range(count)]
    for _, place, number in sorted(order):
        yield targets[place], number


def replay(directory: Path, room: Path) -> tuple[list[str], Done]:
    """Run an input that was kept and return what is wrong with it, and what it printed."""
    told = json.loads((directory / "input.json").read_text())
    files = tree(directory / "files")
    given = Input(told["words"], files, told["links"], told["pipes"])
    target = next(each for each in TARGETS if each.name == told["target"])
    campaign = Campaign(told["seed"], room, directory.parent)
    found = campaign.look_at(given, target)
    return found, campaign.last
