"""A trial of this machine's configuration with one more file in a configuration directory.

Another directory is read in place of the real one: the same files, by links, but for the one
that is tried. The main file is included as it is, and what follows it names that directory
instead. HTCondor reads the directories of LOCAL_CONFIG_DIR, then the files of LOCAL_CONFIG_FILE,
and then, if that changed LOCAL_CONFIG_DIR, the directories of the changed list, all of them
(src/condor_utils/condor_config.cpp:real_config, 25.14). A last local file puts that directory
into the changed list as well.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from htcq.errors import InputError
from htcq.library import library, main_file
from htcq.live.configuration import values_here
from htcq.live.parser_process import ParserProcess
from htcq.passing import temporary_directory

_DIRECTORIES = "LOCAL_CONFIG_DIR"
_FILES = "LOCAL_CONFIG_FILE"
_NOTHING_IN_THEM = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = .*\n"
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
    main = main_file()
    if main is None:
        return None
    with temporary_directory() as temporary:
        first, second = _lists(main, temporary)
        if not any(_is(each, directory) for each in (*first, *second)):
            return None
        beside = temporary / "config.d"
        beside.mkdir()
        for path in directory.iterdir():
            if path.name != name:
                (beside / path.name).symlink_to(path.resolve())
        (beside / name).write_text(text, encoding="utf-8")
        last = ""
        if second != first:
            last = _assignment(second, directory, beside)
        trial = _trial(main, temporary, _assignment(first, directory, beside), last)
        try:
            values = _read(trial, knobs)
        except InputError as error:
            raise InputError(f"with {name} {error}", "nothing was written") from error
        return values


def _lists(main: str, temporary: Path) -> tuple[Sequence[str], Sequence[str]]:
    """Return the directories that are read before local files, and those after them.

    Both are the same where nothing changes LOCAL_CONFIG_DIR: then they are read once. A command in
    place of local files leaves no room for a last one, and what it changes is not known.
    """
    before = _trial(main, temporary, _NOTHING_IN_THEM, "")
    known = _read(before, (_DIRECTORIES, _FILES))
    first = known.get(_DIRECTORIES, "")
    if known.get(_FILES, "").rstrip().endswith("|"):
        return _words(first), _words(first)
    after = _trial(main, temporary, "", _NOTHING_IN_THEM)
    second = _read(after, (_DIRECTORIES,)).get(_DIRECTORIES, "")
    return _words(first), _words(second)


def _words(text: str) -> Sequence[str]:
    return text.replace(",", " ").split()


def _is(place: str, directory: Path) -> bool:
    return Path(place).resolve() == directory.resolve()


def _assignment(places: Sequence[str], directory: Path, beside: Path) -> str:
    """Return the line that names ``places``, with ``beside`` for ``directory``."""
    named = []
    for each in places:
        place = each
        if _is(each, directory):
            place = str(beside)
        named.append(place)
    return f"{_DIRECTORIES} = {', '.join(named)}\n"


def _trial(main: str, temporary: Path, after_main: str, last: str) -> str:
    """Write a main file that reads ``main``, and ``last`` after local files; return its name."""
    trial = temporary / "condor_config"
    text = f"include : {main}\n{after_main}"
    if last:
        final = temporary / "last.config"
        final.write_text(last, encoding="utf-8")
        text += f"{_FILES} = $({_FILES}), {final}\n"
    trial.write_text(text, encoding="utf-8")
    return str(trial)


def _read(path: str, knobs: Sequence[str]) -> Mapping[str, str]:
    values: Mapping[str, str] = ParserProcess(own=True).call(_read_here, path, list(knobs))
    return values


def _read_here(path: str, knobs: Sequence[str]) -> dict[str, str]:
    """Read the configuration at ``path`` as the negotiator does.

    Only inside a :class:`ParserProcess`.
    """
    htcondor2 = library().htcondor2
    os.environ["CONDOR_CONFIG"] = path
    htcondor2.set_subsystem(_DAEMON)
    htcondor2.reload_config()
    return values_here(knobs)
