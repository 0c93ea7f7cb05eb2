"""Requests that the startd makes larger than its slot (Resource.cpp:create_dslot, 25.14)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import collector, found, pool, slot

RULE = "modified-request-above-slot"
MUST = "MUST_MODIFY_REQUEST_EXPRS = True\n"
CHUNK = "MODIFY_REQUEST_EXPR_REQUESTMEMORY = "


def test_every_request_above_the_slot_is_an_error() -> None:
    text = f"{MUST}{CHUNK}max({{20000, RequestMemory}})\n"
    (finding,) = found(RULE, pool(slot(), execute={"node1": text}))

    assert finding.severity is Severity.ERROR
    assert finding.message == (
        "MODIFY_REQUEST_EXPR_REQUESTMEMORY makes 20000 of a request for 1, and the slot has 16384 "
        "of memory: every request for memory is matched and refused, again and again"
    )
    assert [each.line for each in finding.settings] == [
        "MODIFY_REQUEST_EXPR_REQUESTMEMORY = UNDEFINED"
    ]


def test_the_machine_that_does_it_is_named() -> None:
    """Seen on 25.14.1 with MODIFY_REQUEST_EXPR_REQUESTCPUS = 99 on the sixth of eight machines."""
    slots = (slot(), slot("slot1@node2"), slot("slot1@node3"))
    sound = {"node1": "NUM_CPUS = 8\n", "node3": "NUM_CPUS = 8\n"}
    execute = {**sound, "node2": f"{MUST}{CHUNK}20000\n"}
    (finding,) = found(RULE, pool(*slots, execute=execute))
    assert (finding.subject, finding.count) == ("slot slot1@node2", 1)
    assert [each.nodes for each in finding.settings] == [("node2",)]


def test_a_part_of_the_requests_is_a_warning() -> None:
    text = f"{MUST}{CHUNK}quantize(RequestMemory, {{10000}})\n"
    (finding,) = found(RULE, pool(slot(), execute={"node1": text}))

    assert finding.severity is Severity.WARNING
    assert "a request for more than 9728 is matched and refused" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        # The startd falls back on the request as it came.
        f"{CHUNK}max({{20000, RequestMemory}})\n",
        f"{MUST}{CHUNK}quantize(RequestMemory, {{128}})\n",
        f"{MUST}{CHUNK}quantize(RequestMemory, {{8192}})\n",
        f"{MUST}{CHUNK}UNDEFINED\n",
        MUST,
    ],
)
def test_what_fits_or_is_not_insisted_on_is_fine(text: str) -> None:
    assert not found(RULE, pool(slot(), execute={"node1": text}))


def test_a_configuration_alone_says_it_where_it_says_what_the_machine_has() -> None:
    text = f"{MUST}{CHUNK}max({{3072, RequestMemory}})\n"

    assert not found(RULE, pool(collector(), execute={"node1": text}))
    (finding,) = found(RULE, pool(collector(), execute={"node1": f"{text}MEMORY = 2048\n"}))
    assert "the slot has 2048 of memory" in finding.message


def test_a_knob_of_the_slot_type_comes_first() -> None:
    text = f"{MUST}SLOT_TYPE_1_{CHUNK}99999\n{CHUNK}RequestMemory\n"
    (finding,) = found(RULE, pool(slot(), execute={"node1": text}))

    assert finding.evidence[0].attribute == "SLOT_TYPE_1_MODIFY_REQUEST_EXPR_REQUESTMEMORY"
