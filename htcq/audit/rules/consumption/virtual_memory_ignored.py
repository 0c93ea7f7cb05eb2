"""Requests for virtual memory and shares of swap, which slots with a consumption policy ignore."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import execute
from htcq.audit.nodes import nodes
from htcq.audit.policies import on_knob
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked

_SWAP, _REQUEST = "PROPORTIONAL_SWAP_ASSIGNMENT", "RequestVirtualMemory"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if evidence.with_policy:
        yield from _in_jobs(evidence)
        yield from _in_configuration(evidence)


def _in_jobs(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if evidence.lacks(Input.JOBS):
        yield Unchecked(evidence.words(Input.JOBS))
    for each in evidence.autoclusters:
        if _REQUEST in each.frame:
            name, text = evidence.pool.job_name(each.first), each.frame.text(_REQUEST)
            yield Found(
                cause=_REQUEST,
                subject=f"job {name}",
                message=(
                    f"it requests {_REQUEST} = {text}, but slots with a consumption policy "
                    "provide no virtual memory"
                ),
                facts=(Fact(_REQUEST, text),),
                count=sum(each.idle.values()) + sum(each.running.values()),
                examples=(f"job {name}",),
            )


def _in_configuration(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if evidence.lacks(Input.EXECUTE):
        yield Unchecked(evidence.words(Input.EXECUTE))
    for kind in evidence.with_policy:
        for node in nodes(evidence, kind):
            if node.configuration.truth(_SWAP, False):
                knob = node.configuration.knob(_SWAP)
                if knob is not None:
                    yield on_knob(
                        knob,
                        f"{_SWAP} is on, but a slot with a consumption policy provides no swap",
                        subject=f"slot {node.slot.name}",
                        settings=execute(evidence, kind.places, _SWAP, "False"),
                    )


RULE = Rule(
    id="virtual-memory-ignored",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary=(
        "Virtual memory or swap is requested or assigned, and slots with a consumption policy "
        "ignore it"
    ),
    consequence=(
        "Consumption policies do not support swap. RequestVirtualMemory of jobs and "
        "PROPORTIONAL_SWAP_ASSIGNMENT of nodes have no effect on such slots."
    ),
    advice="Request memory instead, with request_memory, and do not assign swap.",
    source="src/condor_startd.V6/Resource.cpp:create_dslot, 25.14",
    find=_find,
)
