"""Expressions with ``?:`` mean something else to a negotiator before 23.10.1."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.policies import on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classad.older import reads_otherwise
from htcq.htcondor.releases import CLOSE_DEFAULT_OPERATOR
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.versions import version, version_text

_WRITTEN = "CondorVersion"
#: What decides whether a slot is matched at all.
_DECIDES = frozenset(("requirements", "start", "withinresourcelimits"))


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    texts = [record.text(_WRITTEN) for record in evidence.pool.negotiators]
    known = [text for text in texts if version(text)]
    if not known:
        yield Unchecked("the negotiator's ad (collector.ads): its version")
        return
    older = [text for text in known if not CLOSE_DEFAULT_OPERATOR.holds(version(text))]
    if not older:
        return
    for kind in evidence.slot_classes_by_frame:
        frame = kind.first.frame
        written = version(frame.value(_WRITTEN))
        if not written or not CLOSE_DEFAULT_OPERATOR.holds(written):
            continue
        names = _read_otherwise(frame)
        if not names:
            continue
        severity = Severity.WARNING
        if not _DECIDES.isdisjoint(names):
            severity = Severity.ERROR
        name = min(names, key=lambda each: (each not in _DECIDES, each))
        shown = frame.names[name]
        yield on_slots(
            kind,
            cause=shown,
            message=(
                f"{shown} has the operator ?: before another one, which the negotiator of "
                f"HTCondor {version_text(older[0])} reads otherwise than the startd of "
                f"{version_text(frame.value(_WRITTEN))} that wrote it"
            ),
            facts=(Fact(shown, frame.texts[name]), Fact("CondorVersion", older[0])),
            severity=severity,
        )


def _read_otherwise(frame: SharedAttributes) -> list[str]:
    return [name for name, text in frame.texts.items() if reads_otherwise(text)]


RULE = Rule(
    id="default-operator-read-otherwise",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="Slots have expressions with ?: that an older negotiator reads otherwise",
    consequence=(
        "Since 23.10.1 the operator ?: binds as closely as [ ]: A ?: B != C is (A ?: B) != C. "
        "Before, it was A ?: (B != C). WithinResourceLimits of a startd since 25.12.2 is an error "
        "to such a negotiator: no job is matched with a slot that has no consumption policy."
    ),
    advice=(
        "Upgrade the central manager before the execution points. In expressions of your own, put "
        "A ?: B in parentheses."
    ),
    source=(
        "src/classad/source.cpp:parseExpression and parsePostfixExpression, 23.9 and 25.13; a "
        "startd of 25.14.1 with a negotiator of 23.9.6"
    ),
    find=_find,
)
