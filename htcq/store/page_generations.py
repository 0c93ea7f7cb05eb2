"""Pages that become visible together: each run has a directory of its own, and one link is swapped.

``DIR/index.html`` and the others are links to ``.pages/index.html``, and ``DIR/.pages`` is a link
to the directory of the last whole run, ``.pages-XXXXXXXX``. The one before stays until the next
run: a reader may be in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from htcq.passing import noted, temporary_directory
from htcq.store.lock import held
from htcq.whole_file import sync_directory

_CURRENT, _NEW, _LOCK = ".pages", ".new-pages-", ".pages.lock"
_LETTERS = 4
_PERMISSIONS = 0o777
#: What a run leaves that was killed: directories and links of this module, new files of any page.
_LEFTOVER = re.compile(r"\.(new-pages-|pages-|pages\.|[a-z-]+\.html\.)[0-9a-f]{8}")


@contextmanager
def new_generation(directory: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield a new directory for the pages ``names``, which take the place of all others at once.

    That happens after the block, in the process that entered it, where all of them are there;
    otherwise nothing changes. What a killed run has left is removed first.

    Raises:
        LockedError: another run writes there.
        OSError: the directory cannot be written.
    """
    own = os.getpid()
    with held(directory / _LOCK, f"htcq report, process {own}"):
        _sweep(directory)
        with temporary_directory(directory, _NEW) as new:
            try:
                yield new
            finally:
                if os.getpid() == own and all((new / name).is_file() for name in names):
                    _publish(directory, new, names)


def is_page(path: Path) -> bool:
    """Return whether ``path`` is the link of a page that was put there by an earlier run."""
    return path.is_symlink() and str(path.readlink()) == _target(path.name)


def _target(name: str) -> str:
    return f"{_CURRENT}/{name}"


def _sweep(directory: Path) -> None:
    """Remove what earlier runs have left, but for the pages that are shown."""
    current = directory / _CURRENT
    shown = str(current.readlink()) if current.is_symlink() else ""
    names = [name for name in os.listdir(directory) if _LEFTOVER.fullmatch(name)]  # noqa: PTH208
    with noted(*(directory / name for name in names if name != shown)):
        pass


def _publish(directory: Path, new: Path, names: Sequence[str]) -> None:
    new.chmod(directory.stat().st_mode & _PERMISSIONS)
    sync_directory(new)
    generation = directory / f"{_CURRENT}-{os.urandom(_LETTERS).hex()}"
    new.rename(generation)
    _link(directory / _CURRENT, generation.name)
    for name in names:
        if not is_page(directory / name):
            _link(directory / name, _target(name))
    sync_directory(directory)


def _link(path: Path, target: str) -> None:
    """Put a link in the place of ``path`` in one step."""
    new = path.with_name(f"{_CURRENT}.{os.urandom(_LETTERS).hex()}")
    with noted(new):
        new.symlink_to(target)
        new.replace(path)
