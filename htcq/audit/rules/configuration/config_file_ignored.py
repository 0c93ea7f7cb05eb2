"""A configuration file has a name that HTCondor leaves out when it reads the directory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.config_sources import directories, files
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.pool.configuration import Configuration
from htcq.pool.files import IGNORED_NAMES

_KNOB = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    checked = False
    for whose, configuration in evidence.configurations():
        checked = True
        excluded = configuration.value(_KNOB, IGNORED_NAMES)
        try:
            pattern = re.compile(excluded)
        except re.error:
            yield Unchecked(f"{_KNOB} of {whose}, which Python cannot read")
            continue
        yield from _ignored(configuration, pattern, whose)
    if not checked:
        yield Unchecked(evidence.words(Input.CENTRAL))


def _ignored(configuration: Configuration, pattern: re.Pattern[str], whose: str) -> Iterator[Found]:
    where = directories(configuration)
    for file in files(configuration):
        directory, _, name = file.path.rpartition("/")
        if directory.rstrip("/") in where and pattern.search(name):
            yield Found(
                cause=file.path,
                subject=f"file {file.path}",
                message=(
                    f"{file.path} is in a directory of LOCAL_CONFIG_DIR under a name that "
                    "HTCondor ignores there: it is read only if another setting names it"
                ),
                facts=(file.fact, Fact(_KNOB, pattern.pattern)),
                advice=f"Rename it: mv {file.path} {directory}/{_sound(name)}",
                examples=(whose,),
            )


def _sound(name: str) -> str:
    return f"{name.strip('.#~').rpartition('.')[0] or name.strip('.#~')}.config"


RULE = Rule(
    id="config-file-ignored",
    severity=Severity.WARNING,
    needs=(),
    summary="A configuration file has a name that HTCondor does not read in a directory",
    consequence=(
        "HTCondor silently ignores files that end in .py, .sh, .pl, ~, .rpmsave and others, and "
        "files that begin with a dot. Their content has no effect, unless an include or "
        "LOCAL_CONFIG_FILE names the file, and then it is read at another position than its name "
        "suggests."
    ),
    advice="Rename the file, for example to 50-quota.config.",
    source="src/condor_utils/condor_config.cpp:get_config_dir_file_list, 25.14",
    find=_find,
)
