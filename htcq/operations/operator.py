"""Who acts, as journals and locks name him."""

from __future__ import annotations

import getpass
import os
import socket


def operator() -> str:
    """Return who runs this."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def instance_of(journal: str) -> str:
    """Return the name of this htcq, the same at the next start: its machine and its journal."""
    return f"{socket.gethostname()}:{journal}"
