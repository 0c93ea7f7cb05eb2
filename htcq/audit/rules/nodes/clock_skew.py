"""Clocks of machines that differ from that of the collector."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.slot_class import EXAMPLES
from htcq.units import show_span

#: Seconds: an ad may be this long on its way.
_MAX = 60


def _find(evidence: Evidence) -> Iterator[Found]:
    ahead, behind = dict[str, float](), dict[str, float]()
    for name, differs in _differences(evidence):
        if differs > _MAX:
            ahead[name] = max(differs, ahead.get(name, 0.0))
        elif differs < -_MAX:
            behind[name] = min(differs, behind.get(name, 0.0))
    for which, found in (("ahead of", ahead), ("behind", behind)):
        if found:
            yield _found(which, found)


def _differences(evidence: Evidence) -> Iterator[tuple[str, float]]:
    """Yield each machine with the seconds that its clock is ahead of the collector's."""
    for slot in evidence.slots:
        own, heard = as_number(slot.own_time), as_number(slot.last_heard)
        if own is not None and heard is not None:
            yield str(slot.machine), own - heard
    for record in (*evidence.pool.schedds, *evidence.pool.negotiators):
        own, heard = record.number("MyCurrentTime"), record.number("LastHeardFrom")
        if own is not None and heard is not None:
            yield record.text("Machine") or record.name, own - heard


def _found(which: str, found: dict[str, float]) -> Found:
    names = sorted(found, key=lambda name: -abs(found[name]))
    most = abs(found[names[0]])
    return Found(
        cause=which,
        subject=f"machine {names[0]}",
        message=(
            f"the clocks of {counted(len(names), 'machine')} are {which} the collector's by up to "
            f"{show_span(most)}"
        ),
        facts=(Fact("MyCurrentTime - LastHeardFrom", f"{found[names[0]]:.0f}"),),
        count=len(names),
        examples=tuple(names[:EXAMPLES]),
    )


RULE = Rule(
    id="clock-skew",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="The clock of a machine differs from that of the collector",
    consequence=(
        "Times of daemons are compared with each other: leases, cool-downs, START with time(), "
        "tokens and certificates. With a clock that is wrong they begin or end at other times, "
        "and authentication fails without naming the clock."
    ),
    advice="Run a time service (chrony, systemd-timesyncd) on all machines.",
    source="src/condor_collector.V6/collector_engine.cpp (LastHeardFrom), 25.14",
    find=_find,
)
