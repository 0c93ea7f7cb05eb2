"""HTCondor's Python bindings, loaded by this module alone and without any configuration.

The library keeps how it was loaded (src/condor_utils/condor_config.cpp, 25.14): after
CONDOR_CONFIG=ONLY_ENV no later reload reads a file, and a mistake in a file ends the process. The
user's own ~/.condor/user_config is read beside an empty main file as well. So neither this
machine's files nor the environment count while it is loaded: every process of htcq has the same
library. :func:`read_own` reads this machine's configuration afterwards.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from htcq.errors import BindingsError

#: Lines after which nothing of this machine's own configuration is read, and nobody is asked for
#: its name: without an answer the library asks again for a minute (init_local_hostname_impl of
#: src/condor_utils/ipv6_hostname.cpp, 25.8), and a confined process may ask nobody.
ALONE = (
    "\nUSER_CONFIG_FILE =\nLOCAL_CONFIG_FILE =\nLOCAL_CONFIG_DIR =\nNETWORK_HOSTNAME = localhost\n"
)
#: userHome() would look up accounts of this machine.
BLINDING = "CLASSAD_ENABLE_USER_HOME"
BLIND = f"\n{BLINDING} = false\n"
_VARIABLE, _PREFIX = "CONDOR_CONFIG", "_CONDOR_"
_NOTHING = "/dev/null"
_USUAL = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")


class Library(NamedTuple):
    """The modules of HTCondor's bindings."""

    classad2: Any
    htcondor2: Any


@functools.lru_cache(maxsize=1)
def library() -> Library:
    """Return HTCondor's bindings.

    Raises:
        BindingsError: they cannot be imported.
    """
    try:
        with only(ALONE + BLIND):
            import classad2
            import htcondor2

            # HTCondor's own functions (split, versionGE, userMap …) are unknown, and errors, until
            # something has been parsed this way (25.14); the default Requirements of jobs use them.
            classad2.parseOne("A = 1")
    except ImportError as error:
        raise BindingsError(str(error.name or "htcondor2")) from error
    return Library(classad2, htcondor2)


@contextmanager
def only(text: str) -> Iterator[None]:
    """Let the configuration be ``text`` alone for what is loaded or reloaded in the block."""
    kept = {name: value for name, value in os.environ.items() if _counts(name)}
    handle = os.memfd_create("configuration")
    try:
        os.write(handle, text.encode())
        for name in kept:
            del os.environ[name]
        os.environ[_VARIABLE] = f"/proc/self/fd/{handle}"
        yield
    finally:
        del os.environ[_VARIABLE]
        os.environ.update(kept)
        os.close(handle)


def _counts(name: str) -> bool:
    return name == _VARIABLE or name.upper().startswith(_PREFIX)


def read_own() -> Any:
    """Return htcondor2 with this machine's configuration; empty where HTCondor is not configured.

    Only inside a process of its own: the library ends the process at a mistake in it.
    """
    htcondor2 = library().htcondor2
    if not is_configured():
        os.environ[_VARIABLE] = _NOTHING
    htcondor2.reload_config()
    return htcondor2


def is_configured() -> bool:
    """Return whether HTCondor is configured on this machine."""
    return _VARIABLE in os.environ or main_file() is not None


def main_file() -> str | None:
    """Return the main file of this machine's HTCondor configuration; None where there is none."""
    named = os.environ.get(_VARIABLE)
    places: Sequence[str] = _USUAL
    if named:
        places = (named,)
    return next((each for each in places if os.access(each, os.R_OK)), None)
