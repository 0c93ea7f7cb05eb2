"""Configuration comes from a command whose exit status nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.config_sources import commands, refuses_itself
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    seen = False
    for whose, configuration in evidence.configurations():
        others = (each for each in configuration.statements if not each.sets)
        seen = seen or evidence.pool.only_files or any(others)
        for command in commands(configuration):
            if not command.checked and not refuses_itself(configuration):
                yield Found(
                    cause=command.line,
                    subject=f"command {command.line}",
                    message=(
                        f"if '{command.line}' fails, {whose} is configured as if the line did not "
                        "exist"
                    ),
                    facts=(command.fact,),
                    examples=(whose,),
                )
    if not seen:
        yield Unchecked(
            "configuration files: 'condor_config_val -dump' does not print include lines"
        )


RULE = Rule(
    id="include-command-unchecked",
    severity=Severity.WARNING,
    needs=(),
    summary="The configuration depends on an include command whose exit status is ignored",
    consequence=(
        "HTCondor reads the output of the command and ignores its exit status; only a command "
        "that cannot be executed at all is an error. If the command fails half-way, the daemons "
        "start with a part of their configuration, and with defaults for the rest."
    ),
    advice=(
        "Test for a knob that the command sets (if ! defined NAME, then an error line), use "
        "include command into FILE, or write the file in advance."
    ),
    source="src/condor_utils/config.cpp:Parse_macros, 25.14",
    find=_find,
)
