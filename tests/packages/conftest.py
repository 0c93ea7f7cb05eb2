"""One build of the packages for all tests, and copies of root directories."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.packages.building import Packages, Root, built, copied


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Packages:
    """The packages of two versions, built once however many workers there are."""
    base = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        base = base.parent
    return built(base / "built")


@pytest.fixture
def copy_of(tmp_path: Path) -> Iterator[Callable[[str], Root]]:
    """Makes a copy of a root directory, which is gone after the test."""
    place = tmp_path / "roots"
    place.mkdir()
    yield lambda name: copied(name, place)
    shutil.rmtree(place)
