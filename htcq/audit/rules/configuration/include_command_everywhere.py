"""Configuration comes from a command, which every daemon and every tool runs."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.config_sources import commands
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    seen = False
    for whose, configuration in evidence.configurations():
        seen = True
        for command in commands(configuration):
            if not command.cached:
                yield Found(
                    cause=command.line,
                    subject=f"command {command.line}",
                    message=(
                        f"every daemon and tool of {whose} runs '{command.line}' at each start "
                        "and reconfig"
                    ),
                    facts=(command.fact,),
                    examples=(whose,),
                )
    if not seen:
        yield Unchecked(evidence.words(Input.CENTRAL))


RULE = Rule(
    id="include-command-everywhere",
    severity=Severity.WARNING,
    needs=(),
    summary="A command that prints configuration runs in every daemon and every tool",
    consequence=(
        "It runs at every start and reconfig of every daemon and in every condor_q, with the "
        "identity of the caller. If it is slow or hangs, so does everything; if its output for "
        "users differs from that for root, daemons and tools have different configurations."
    ),
    advice=(
        "Write the configuration to a file in advance, or use include command into FILE, which "
        "runs the command once."
    ),
    source=(
        "src/condor_utils/config.cpp:parse_include_options, condor_config.cpp:process_locals, 25.14"
    ),
    find=_find,
)
