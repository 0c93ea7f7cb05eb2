"""The schemas of ``htcq audit --json`` and ``htcq explain --json``."""

from __future__ import annotations

from htcq.audit.catalog import FAMILIES
from htcq.audit.fix import Role
from htcq.audit.input import Input
from htcq.audit.rule import Severity
from htcq.report.schemas.pool import about_pool, incomplete, version
from htcq.report.schemas.shape import Shape, listing, number, record, text, texts, whole

_SEVERITIES = tuple(each.word for each in Severity)


def audit() -> Shape:
    """Return the schema of an audit."""
    finding = {
        **_finding(),
        "evidence": listing("The facts that the finding rests on.", record("A fact.", _evidence())),
        "fix": _fix("The settings that fix it."),
        "advice": text("What else to do."),
        "examples": texts("The names of up to three of the things that it hurts."),
        "harm": record("What the finding does to the pool.", _harm()),
        "caused": listing(
            "The findings that follow from this one.", record("A finding.", _finding())
        ),
    }
    missing = {"rule": text("The id of the rule."), "missing": text("The data that was not there.")}
    failed = {"rule": text("The id of the rule."), "error": text("Why it failed.")}
    keys = {
        **about_pool(),
        "findings": listing("The findings, the worst first.", record("A finding.", finding)),
        "known": whole("How many findings were left out because the baseline has them."),
        "gone": texts("Fingerprints of the baseline that are not found any more."),
        "not_checked": listing(
            "The rules that had no data.", record("A rule that was not checked.", missing)
        ),
        "failed": listing("The rules that failed.", record("A rule that failed.", failed)),
        "checked": whole("How many rules were checked."),
        "incomplete": incomplete(),
        "gaps": texts(
            "What rules needed, a live pool has, and this capture lacks, one sentence each."
        ),
    }
    return record("What 'htcq audit --json' and 'htcq quota lint --json' print.", keys)


def rules() -> Shape:
    """Return the schema of the manual text of rules."""
    rule = {
        "id": text("The name of the rule, which never changes."),
        "family": text("The family that the rule belongs to.", *FAMILIES),
        "severity": text("The severity of its findings.", *_SEVERITIES),
        "needs": listing(
            "The data that the rule cannot do without.",
            text("Data.", *(each.value for each in Input)),
        ),
        "summary": text("What is wrong."),
        "consequence": text("Consequence."),
        "fix": _fix("The settings that fix it wherever it is found."),
        "advice": text("How to fix it."),
        "source": text("Where in HTCondor the fact comes from, or how it was measured."),
    }
    keys = {"schema": version(), "rules": listing("The rules.", record("A rule.", rule))}
    return record("What 'htcq explain --json' prints.", keys)


def _finding() -> dict[str, Shape]:
    return {
        "rule": text("The id of the rule."),
        "severity": text("How bad it is.", *_SEVERITIES),
        "subject": text("What is hurt, or the first of it: a slot, group, knob or submitter."),
        "message": text("What is wrong."),
        "count": whole("How many things it hurts."),
        "fingerprint": text(
            "The rule and the cause: the same in every audit until the cause is fixed."
        ),
    }


def _evidence() -> dict[str, Shape]:
    return {
        "attribute": text("The attribute or knob."),
        "value": text("Its value, as it was found."),
        "place": text("The file and the line; empty where they are not known."),
    }


def _harm() -> dict[str, Shape]:
    return {
        "shut": number("The part of the pool that takes no job, from 0 to 1."),
        "starved": texts("The groups that get nothing."),
        "overrun": texts("The groups that can use more than their quota."),
        "jobs": whole("How many jobs wait or fail for it, as far as the rule knows."),
    }


def _fix(about: str) -> Shape:
    setting = {
        "role": text("The machines that need the setting.", *(each.value for each in Role)),
        "nodes": texts("Their names; empty for all machines of that role."),
        "file": text("The file that sets the knob now; empty where none does or it is not known."),
        "knob": text("The name of the knob."),
        "value": text("The value to set; empty where the setting has to go."),
    }
    return listing(about, record("A setting.", setting))
