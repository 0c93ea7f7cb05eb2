"""A trial of this machine's configuration with one more file in a configuration directory.

Another directory is read in place of the real one: the same files, by links, but for the one
that is tried. The main file is included as it is, and what follows it names that directory
instead (src/condor_utils/config.cpp reads LOCAL_CONFIG_DIR after the main file, and
LOCAL_CONFIG_FILE after that; HTCondor 25.14).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from htcq.errors import InputError
from htcq.live.configuration import (
    ParserProcess,
    own_configuration,
    usual_configuration,
    values_here,
)
from htcq.passing import temporary_directory

_DIRECTORIES = "LOCAL_CONFIG_DIR"
_DAEMON = "NEGOTIATOR"


def values_with(
    directory: Path, name: str, text: str, knobs: Sequence[str]
) -> Mapping[str, str] | None:
    """Return the negotiator's ``knobs`` if ``directory`` had the file ``name`` with ``text``.

    None where this machine's HTCondor is not configured, or does not read ``directory``.

    Raises:
        InputError: HTCondor could not read its configuration then.
        BindingsError: HTCondor's bindings are missing.
    """
    main = usual_configuration()
    if main is None:
        return None
    directories = own_configuration((_DIRECTORIES,)).get(_DIRECTORIES, "")
    listed = [Path(each) for each in directories.replace(",", " ").split()]
    if not any(each.resolve() == directory.resolve() for each in listed):
        return None
    with temporary_directory() as temporary:
        beside = temporary / "config.d"
        beside.mkdir()
        for path in directory.iterdir():
            if path.name != name:
                (beside / path.name).symlink_to(path.resolve())
        (beside / name).write_text(text, encoding="utf-8")
        places = []
        for each in listed:
            place = each
            if each.resolve() == directory.resolve():
                place = beside
            places.append(str(place))
        trial = temporary / "condor_config"
        trial.write_text(
            f"include : {main}\n{_DIRECTORIES} = {', '.join(places)}\n", encoding="utf-8"
        )
        try:
            values: Mapping[str, str] = ParserProcess("").call(_read, str(trial), list(knobs))
        except InputError as error:
            raise InputError(f"with {name} {error}", "nothing was written") from error
        return values


def _read(path: str, knobs: Sequence[str]) -> dict[str, str]:
    """Read the configuration at ``path`` as the negotiator does.

    Only inside a :class:`ParserProcess`.
    """
    import htcondor2

    os.environ["CONDOR_CONFIG"] = path
    htcondor2.set_subsystem(_DAEMON)
    htcondor2.reload_config()
    return values_here(knobs)
