"""What the code calls of the arrays is there with numpy and without it."""

from __future__ import annotations

import re
from pathlib import Path

from htcq.columns import arrays, row_arrays

ROOT = Path(__file__).resolve().parents[2]
_CALLED = re.compile(r"\barrays\.([a-z]\w*)\(")


def test_every_function_that_is_called_is_in_both() -> None:
    called = {
        name
        for path in (ROOT / "htcq").rglob("*.py")
        if path.parent.name != "columns"
        for name in _CALLED.findall(path.read_text(encoding="utf-8"))
    }
    assert len(called) > 10
    assert {name for name in called if not hasattr(arrays, name)} == set()
    assert {name for name in called if not hasattr(row_arrays, name)} == set()
