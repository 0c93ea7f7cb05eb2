"""Daemons of versions that are no longer supported, or far from that of the central manager."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Value
from htcq.pool.slot_class import EXAMPLES
from htcq.pool.versions import version

#: Long-term series are supported for about two years, and work with the series beside them.
_OLDEST = (23, 0)


def _find(evidence: Evidence) -> Iterator[Found]:
    found: dict[tuple[int, ...], dict[str, None]] = {}
    for name, text in _versions(evidence):
        number = version(text)
        if number and number[:2] < _OLDEST:
            found.setdefault(number, {})[name] = None
    for number in sorted(found):
        names, shown = list(found[number]), ".".join(map(str, number))
        yield Found(
            cause=shown,
            subject=f"machine {names[0]}",
            message=(
                f"{counted(len(names), 'machine')} such as {names[0]} "
                f"{'runs' if len(names) == 1 else 'run'} HTCondor {shown}"
            ),
            facts=(Fact("CondorVersion", shown),),
            count=len(names),
            examples=tuple(names[:EXAMPLES]),
        )


def _versions(evidence: Evidence) -> Iterator[tuple[str, Value]]:
    for slot in evidence.slots:
        yield str(slot.machine), slot.frame.value("CondorVersion")
    pool = evidence.pool
    for record in (*pool.schedds, *pool.negotiators, *pool.collectors):
        yield record.text("Machine") or record.name, record.value("CondorVersion")


RULE = Rule(
    id="old-daemons",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="Daemons run a version of HTCondor that is no longer supported",
    consequence=(
        "Versions before 23.0 get no security fixes. Newer daemons drop what old ones need. htcq "
        "is checked against HTCondor 23.9 and newer."
    ),
    advice="Update them; daemons of two neighbouring long-term series work together.",
    source="docs/version-history/introduction-version-history.rst, 25.14",
    find=_find,
)
