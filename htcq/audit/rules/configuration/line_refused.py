"""A line of a configuration file that HTCondor's parser refuses."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked

_LONGEST = 120


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    # What a daemon prints of its configuration has no such line: the daemon has read it.
    known = False
    for whose, configuration in evidence.configurations():
        known = True
        for each in configuration.statements:
            if each.flaw:
                place = configuration.place_of(each)
                text = each.text[:_LONGEST]
                yield Found(
                    cause=f"{each.file}: {each.text}",
                    subject=f"line {place}",
                    message=f"{place}, column {each.column}: {each.flaw}",
                    facts=(Fact("line", text, place),),
                    examples=(whose,),
                )
    if not known:
        yield Unchecked(evidence.words(Input.CENTRAL))


RULE = Rule(
    id="line-refused",
    severity=Severity.ERROR,
    needs=(),
    summary="A line of a configuration file is no statement of HTCondor",
    consequence=(
        "HTCondor's parser ends the process at such a line: no daemon starts, no tool runs, and "
        "daemons that run end at the next condor_reconfig."
    ),
    advice="Correct the line, or make it a comment; 'condor_config_val -dump' reads it again.",
    source="src/condor_utils/config.cpp:Parse_macros, 25.14",
    find=_find,
)
