"""phys_mem.cpp takes RESERVED_MEMORY off MEMORY too."""

from __future__ import annotations

import pytest

from tests.audit.sites import collector, found, pool, slot

RULE = "reserved-memory-subtracted"


@pytest.mark.parametrize("memory", ["16384", "2 * 8192", "$(DETECTED) - 1024\nDETECTED = 17408"])
def test_reserved_memory_beside_memory_is_found(memory: str) -> None:
    (finding,) = found(
        RULE, pool(slot(), execute={"node1": f"MEMORY = {memory}\nRESERVED_MEMORY = 1024\n"})
    )
    assert "offers 15360 MB" in finding.message


def test_a_startd_beside_the_central_manager_has_its_configuration() -> None:
    ads = [slot(), collector("node1")]
    assert found(RULE, pool(*ads, config="MEMORY = 16384\nRESERVED_MEMORY = 1024\n"))


@pytest.mark.parametrize(
    "text", ["MEMORY = 16384", "RESERVED_MEMORY = 1024", "MEMORY = 16384\nRESERVED_MEMORY = 0"]
)
def test_one_of_them_alone_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), execute={"node1": f"{text}\n"}))
