"""PRIORITY_HALFLIFE or a priority factor near 0: priorities say nothing any more."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.knobs import number_of

_HALFLIFE, _DEFAULT = "PRIORITY_HALFLIFE", 86400
#: Seconds below which past usage is forgotten between two cycles or little more.
_SHORT = 600
#: Factors of submitters, with HTCondor's defaults; below 1 such submitters come before all others.
_FACTORS = {"DEFAULT_PRIO_FACTOR": 1000, "NICE_USER_PRIO_FACTOR": 10000000000}
#: That of submitters of another domain than the accountant's; without one all are of its own.
_REMOTE, _REMOTE_DEFAULT, _DOMAIN = "REMOTE_PRIO_FACTOR", 10000000, "ACCOUNTANT_LOCAL_DOMAIN"
_OF_GROUP = "GROUP_PRIO_FACTOR_"


def _find(evidence: Evidence) -> Iterator[Found]:
    seconds = number_of(evidence.setting(_HALFLIFE, str(_DEFAULT)).strip())
    if seconds is not None and seconds < _SHORT:
        yield _found(
            evidence, _HALFLIFE, str(_DEFAULT),
            f"{_HALFLIFE} = {seconds:g}: usage counts half after {seconds:g} s, so priorities "
            "follow what runs at the moment, and heavy users are forgiven at once",
        )  # fmt: skip
    for knob, default in _factors(evidence):
        factor = number_of(evidence.setting(knob, str(default)).strip())
        if factor is not None and factor < 1:
            yield _found(
                evidence, knob, str(default),
                f"{knob} = {factor:g}: the accountant stores 1 in its place, and new submitters "
                f"come before all that have the default of {_FACTORS['DEFAULT_PRIO_FACTOR']}",
            )  # fmt: skip


def _factors(evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Yield the knobs of factors that the accountant reads, with HTCondor's defaults."""
    yield from _FACTORS.items()
    if evidence.setting(_DOMAIN).strip():
        yield _REMOTE, _REMOTE_DEFAULT
    for knob in evidence.pool.central or ():
        # 0 stands for none: then the default counts.
        if knob.bare.upper().startswith(_OF_GROUP) and number_of(knob.value.strip()):
            yield knob.bare, _FACTORS["DEFAULT_PRIO_FACTOR"]


def _found(evidence: Evidence, knob: str, default: str, message: str) -> Found:
    fact = knob_fact(evidence, knob)
    setting = Setting(Role.CENTRAL, knob, default, file=fact.place.rpartition(":")[0])
    return Found(
        cause=knob, subject=f"knob {knob}", message=message, facts=(fact,), settings=(setting,)
    )


RULE = Rule(
    id="usage-forgotten",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="PRIORITY_HALFLIFE or a priority factor is near 0",
    consequence=(
        "User priorities are meant to balance usage over days. With a half-life of seconds only "
        "the present counts. A factor below 1 is used once and then stored as 1 (the log calls it "
        "invalid): shares go by the inverse, so that such a submitter gets nearly all of the pool."
    ),
    advice="PRIORITY_HALFLIFE is in seconds (a day by default), factors are 1 or more.",
    source="src/condor_negotiator.V6/Accountant.cpp:GetPriorityFactor, SetPriorityFactor, 25.14",
    find=_find,
)
