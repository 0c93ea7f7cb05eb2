"""CONTRIBUTING.md and docs/architecture.md name what there is, and CI checks first what a commit is checked for."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "docs/architecture.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCUMENTS = [CONTRIBUTING, ARCHITECTURE, ROOT / "README.md", ROOT / "contrib/site_rules/README.md"]
#: A path of this checkout in code marks: with a slash, and without anything that stands for
#: something else.
_PATH = re.compile(r"`([a-z][\w.-]*(?:/[\w.-]+)+/?)`")


def missing(document: Path) -> list[str]:
    """Return the paths that ``document`` names and that are nowhere; those of modules may begin below ``htcq``."""
    named = _PATH.findall(document.read_text(encoding="utf-8"))
    assert named
    return [
        name
        for name in named
        if not any((place / name).exists() for place in (ROOT, ROOT / "htcq"))
    ]


@pytest.mark.parametrize("document", [CONTRIBUTING, ARCHITECTURE], ids=lambda path: path.name)
def test_every_file_that_is_named_exists(document: Path) -> None:
    assert missing(document) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", document.read_text(encoding="utf-8"))

    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_picture_has_every_layer_in_its_order() -> None:
    """The contract "layers" is the truth."""
    (contract,) = [
        each for each in PROJECT["tool"]["importlinter"]["contracts"] if each["id"] == "layers"
    ]
    picture = ARCHITECTURE.read_text(encoding="utf-8").split("```")[1]
    rows = [
        [_line_of(room, picture) for room in layer.split(" | ")] for layer in contract["layers"]
    ]

    assert all(max(above) < min(below) for above, below in zip(rows, rows[1:]))


def _line_of(room: str, picture: str) -> int:
    """Return the line on which ``room`` stands by itself: at least two blanks part it from what is said of it."""
    stands = re.compile(rf"(?:^ |  ){room}(?:  |$)")
    return next(at for at, line in enumerate(picture.splitlines()) if stands.search(line))


def test_every_group_of_packages_is_explained() -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")

    assert [name for name in PROJECT["dependency-groups"] if f"`{name}`" not in text] == []


def test_a_commit_is_checked_for_what_ci_checks_first() -> None:
    """The hooks of pre-commit are the tools of the stage before the tests."""
    hooks = re.findall(
        r"^ +entry: (?:\.venv/bin/)?([\w-]+)",
        (ROOT / ".pre-commit-config.yaml").read_text(),
        re.MULTILINE,
    )
    stage = (
        (ROOT / "contrib/testall").read_text().partition("\nstyle() {\n")[2].partition("\n}\n")[0]
    )

    assert sorted(hooks) == sorted(line.split()[0] for line in stage.splitlines() if line)


def test_every_marker_is_in_the_pyramid() -> None:
    markers = {
        each.partition(":")[0] for each in PROJECT["tool"]["pytest"]["ini_options"]["markers"]
    }

    assert [
        name for name in markers - {"install"} if f"-m {name}" not in CONTRIBUTING.read_text()
    ] == []
