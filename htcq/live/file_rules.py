"""The places that a confined process may read: nothing else of the disk can be opened.

Rules of Landlock, for good and for all children; what is open already stays open. Layouts and
numbers are those of linux/landlock.h and asm-generic/unistd.h, Linux 6.1 (ABI 2); calls have these
numbers on all processors.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
#: How many kinds of access each version of Landlock knows; later ones know at least as many.
_KINDS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_KINDS = 16


class _Beneath(ctypes.Structure):
    """A landlock_path_beneath_attr."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def limit_files(places: Iterable[str]) -> str:
    """Let this process read ``places`` and what is below them only; return why that cannot be.

    A place that is not there is left out. Privileges that can be gained must have been given up
    (PR_SET_NO_NEW_PRIVS).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return f"the kernel has no Landlock ({os.strerror(ctypes.get_errno())})"
    kinds = ctypes.c_uint64((1 << _KINDS.get(version, _MOST_KINDS)) - 1)
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(kinds), ctypes.sizeof(kinds), 0)
    if rules < 0:
        return os.strerror(ctypes.get_errno())
    try:
        for place in places:
            with contextlib.suppress(OSError):
                _allow(libc, rules, place)
        if libc.syscall(_RESTRICT_SELF, rules, 0):
            return os.strerror(ctypes.get_errno())
    finally:
        os.close(rules)
    return ""


def _allow(libc: ctypes.CDLL, rules: int, place: str) -> None:
    handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = _READ_FILE
        if os.path.isdir(f"/proc/self/fd/{handle}"):  # noqa: PTH112
            allowed |= _READ_DIRECTORY
        rule = _Beneath(allowed, handle)
        if libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0):
            raise OSError(ctypes.get_errno(), "no rule", place)
    finally:
        os.close(handle)
