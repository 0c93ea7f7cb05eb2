"""Files of a configuration directory that say of themselves which software manages them.

Such software often deletes from the directory whatever it does not manage. Whether it does is
nowhere in the directory: a site has to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: What such software, and templates for it, put into the first comments of a file.
_BY = r"(?:managed|maintained|controlled|generated|created|written|installed)\s+by\W+"
_SOFTWARE = {
    "Puppet": rf"{_BY}puppet|puppet[- ]managed",
    "Ansible": rf"{_BY}ansible|ansible[- ]managed",
    "Salt": rf"{_BY}salt(?:stack)?\b|salt[- ]managed",
    "Chef": rf"{_BY}chef\b|chef[- ]managed",
    "CFEngine": rf"{_BY}cfengine|cfengine[- ]managed",
    "Quattor": rf"{_BY}(?:quattor|ncm-\w+)",
}
_PATTERNS = {name: re.compile(text, re.IGNORECASE) for name, text in _SOFTWARE.items()}
_MAX_BYTES, _MAX_FILES = 4096, 1000
_OWN = "htcq"


@dataclass(frozen=True)
class Managed:
    """A file and the software that its comments name."""

    path: Path
    software: str

    @property
    def sentence(self) -> str:
        """What is seen, and what to do where the software deletes files."""
        return (
            f"{self.path} says that {self.software} manages it: if {self.software} deletes what it "
            f"does not manage in {self.path.parent}, it deletes this file too; have it managed, or "
            "write to a directory of htcq's own (contrib/config.d)"
        )


def managed_beside(path: Path) -> Managed | None:
    """Return a file in the directory of ``path`` that names the software that manages it.

    None where none does. Files with "htcq" in their names do not count: whoever manages those knows
    of htcq.
    """
    for each in _others(path):
        software = _software(each)
        if software:
            return Managed(each, software)
    return None


def _others(path: Path) -> Iterator[Path]:
    try:
        found = sorted(path.parent.iterdir())[:_MAX_FILES]
    except OSError:
        return
    for each in found:
        if each != path and _OWN not in each.name and each.is_file():
            yield each


def _software(path: Path) -> str:
    """Return the software that the comments at the beginning of ``path`` name; empty for none."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    comments = "\n".join(line for line in text.splitlines() if line.lstrip().startswith("#"))
    return next((name for name, each in _PATTERNS.items() if each.search(comments)), "")
