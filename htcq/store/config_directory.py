"""A directory of HTCondor configuration files, opened in the order in which HTCondor reads them.

Follows get_config_dir_file_list of src/condor_utils/condor_config.cpp (25.14): files by the bytes
of their names; no subdirectory; none of the names of LOCAL_CONFIG_DIR_EXCLUDE_REGEXP, here its
default. The directory may be anybody's: links in it are not followed, and what it holds has limits.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from htcq.errors import InputError
from htcq.limits import USUAL, Limits
from htcq.pool.files import IGNORED_NAMES
from htcq.store.expanded import Descriptor, reason
from htcq.store.snapshot import Member, Opened, check_count, open_member

_HOW = "name a directory of configuration files, such as /etc/condor/config.d"


def open_directory(path: Path, limits: Limits = USUAL) -> Opened:
    """Open the configuration files of the directory ``path``, which itself may be a link.

    Raises:
        InputError: it is no directory, holds no such file, or more than ``limits`` allow.
    """
    ignored = re.compile(IGNORED_NAMES)
    members: dict[str, Member] = {}
    try:
        top = Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for name in sorted(os.listdir(top.number), key=os.fsencode):  # noqa: PTH208
            if ignored.match(name) or _is_directory(name, top.number):
                continue
            members[name] = open_member(name, top.number, limits)
            check_count(path, members, limits)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}", _HOW) from error
    if not members:
        raise InputError(f"{path} holds no configuration file", _HOW)
    return Opened(path, None, members, limits)


def _is_directory(name: str, directory: int) -> bool:
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return stat.S_ISDIR(status.st_mode)
