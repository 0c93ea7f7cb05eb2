"""A knob that must be a number or a truth value is none, or is out of its range."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import settings_of
from htcq.audit.knob_flaws import flaws_of, knob_as_written
from htcq.audit.rule import Found, Rule, Severity
from htcq.htcondor.knob_types import Type


def _find(evidence: Evidence) -> Iterator[Found]:
    for whose, configuration, flaw, severity in flaws_of(evidence):
        if flaw.known.type is Type.EXPRESSION:
            continue
        name = flaw.knob.name
        default = configuration.defaults.get(flaw.known.name, "")
        yield Found(
            cause=f"{name.upper()} = {flaw.text}",
            subject=f"knob {name}",
            message=f"{name} = {flaw.text} is not {flaw.expected}: {flaw.consequence}",
            facts=(knob_as_written(flaw.knob),),
            examples=(whose,),
            severity=severity,
            # What the site wants instead only the site knows.
            trial=tuple(settings_of(whose, configuration, [(name, default)])),
        )


RULE = Rule(
    id="knob-not-of-its-type",
    severity=Severity.ERROR,
    needs=(),
    summary="The value of a knob is not the number or truth value that it must be",
    consequence=(
        "HTCondor evaluates numbers and truth values as ClassAd expressions: 2 * 3 and "
        '1 == 1 are fine; 5s, 10%, yes, on and "True" in quotes are not. The daemon exits when it '
        "reads such a value, and its master starts it in vain. A few knobs of slot types get "
        "their default instead: a warning."
    ),
    advice="Write a plain number, or True or False, without units and quotes.",
    source="src/condor_utils/condor_config.cpp:param_integer, param_double, param_boolean, 25.14",
    find=_find,
)
