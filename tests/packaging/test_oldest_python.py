"""What shows on the oldest Python whether the sources are for it: contrib/testall runs this on 3.9 too."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import htcq

ROOT = Path(__file__).resolve().parents[2]


def test_all_sources_compile() -> None:
    for path in sorted(ROOT.glob("[!.]*/**/*.py")):
        compile(path.read_bytes(), str(path.relative_to(ROOT)), "exec", dont_inherit=True)


def test_all_modules_are_imported() -> None:
    """Classes, decorators, default values and aliases of types are evaluated by that."""
    names = [found.name for found in pkgutil.walk_packages(htcq.__path__, "htcq.")]

    assert len(names) > 500
    for name in names:
        if name != "htcq.__main__":
            importlib.import_module(name)
