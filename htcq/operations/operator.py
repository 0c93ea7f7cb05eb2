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
    """Return what tells this htcq from others: its machine and its journal, the same at the next start."""
    return f"{socket.gethostname()}:{journal}"
