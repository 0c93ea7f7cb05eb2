"""The file of a plan, from an account that looks at a pool to one that may write.

It is put in place whole and read with care.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from htcq.elastic.handover import Handover, handover_from, handover_json
from htcq.errors import InputError
from htcq.operations.output_files import put_file
from htcq.operations.trusted import OTHERS_WRITE, ROOT

#: Ten thousand groups are less than half of that.
_MAX_BYTES = 4 * 2**20
_HINT = "'htcq elastic plan --save FILE' writes one, as the account that --planner names"


def save_handover(name: str, given: Handover) -> None:
    """Replace the file ``name`` by the plan ``given``.

    Raises:
        InputError: it could not be; nothing was changed.
    """
    put_file(name, json.dumps(handover_json(given), indent=1) + "\n")


def read_handover(name: str, planner: str | None) -> Handover:
    """Return the plan in the file ``name``.

    Only the account ``planner`` (None: the caller) or root may have written the file.

    Raises:
        InputError: there is no such account or file, somebody else could have written it, or it is
            no plan.
    """
    owners = {_uid(planner), ROOT}
    path = Path(name)
    try:
        content = _read(path, owners)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", _HINT) from error
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON", _HINT) from error
    return handover_from(parsed, str(path))


def _uid(planner: str | None) -> int:
    if planner is None:
        return os.geteuid()
    import pwd

    try:
        return pwd.getpwnam(planner).pw_uid
    except KeyError:
        pass
    if planner.isdigit() and len(planner) < 10:
        return int(planner)
    raise InputError(
        f"--planner {planner}: there is no such account", "contrib/systemd/htcq.conf makes htcq"
    )


def _read(path: Path, owners: set[int]) -> bytes:
    """Return the content of the file.

    The file and its directory are opened once, and the open ones are checked.
    """
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _check(f"the directory of {path}", os.fstat(directory), owners)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path.name, flags, dir_fd=directory)
    finally:
        os.close(directory)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        _check(str(path), status, owners)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise InputError(f"{path} is not a regular file, or has hard links", _HINT)
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InputError(f"{path} is longer than {_MAX_BYTES} bytes", _HINT)
    return content


def _check(what: str, status: os.stat_result, owners: set[int]) -> None:
    if status.st_uid not in owners:
        raise InputError(f"{what} belongs to user {status.st_uid}, who may not save plans", _HINT)
    if status.st_mode & OTHERS_WRITE:
        raise InputError(
            f"others can write {what} (mode {stat.S_IMODE(status.st_mode):04o})", _HINT
        )
