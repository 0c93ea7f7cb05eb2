"""The picture in README is what the browser shows of the pages of a recorded pool, and small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PICTURE = ROOT / "docs/overview.png"
MOST_BYTES = 150_000


def size(picture: Path) -> tuple[int, int]:
    """Return width and height of a PNG, which its first chunk has."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


@pytest.mark.browser
def test_the_picture_in_readme_can_be_made_again(tmp_path: Path) -> None:
    """Fonts of machines differ, so bytes do as well."""
    again = tmp_path / "again.png"
    command = [sys.executable, str(ROOT / "contrib/manual/picture"), str(again)]
    subprocess.run(command, check=True, timeout=120)

    assert size(again) == size(PICTURE)
    assert 0.7 < again.stat().st_size / PICTURE.stat().st_size < 1.4
    assert PICTURE.stat().st_size < MOST_BYTES
    assert "](docs/overview.png)" in (ROOT / "README.md").read_text(encoding="utf-8")
