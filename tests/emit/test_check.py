"""What is refused before it is written."""

from __future__ import annotations

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import SlotType, lay_out
from htcq.emit import ACCESS, CENTRAL, EXECUTE
from htcq.emit.check import check_configuration
from htcq.emit.render import configuration
from htcq.errors import InputError, PolicyError
from htcq.live.configuration import read_configuration
from htcq.node import Node

NODE = Node(8, 16384, 20_000_000)
SLOTS = lay_out(NODE, (SlotType(Choice()),))


@pytest.mark.parametrize(
    ("role", "more", "said"),
    [
        (EXECUTE, "SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number on the full slot"),
        (EXECUTE, "SLOT_WEIGHT = Cpus - 4", "SLOT_WEIGHT is -4 on the empty slot"),
        (EXECUTE, "SLOT_TYPE_1_SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number"),
        (
            EXECUTE,
            "CONSUMPTION_GPUS = target.RequestGPUs",
            "CONSUMPTION_GPUS is undefined for a job",
        ),
        (EXECUTE, "CONSUMPTION_GPUS =", "CONSUMPTION_GPUS is missing"),
        (EXECUTE, "CONSUMPTION_CPUS = 1.5", "CONSUMPTION_CPUS is 1.5"),
        (EXECUTE, "CONSUMPTION_MEMORY = -1", "CONSUMPTION_MEMORY is -1"),
        (EXECUTE, "NUM_CLAIMS = 0", "NUM_CLAIMS is 0"),
        (EXECUTE, "NUM_CLAIMS = 4000000000", "NUM_CLAIMS is 4000000000"),
        (
            EXECUTE,
            "CLAIM_PARTITIONABLE_LEFTOVERS = True",
            "are both on, which HTCondor does not support",
        ),
        (EXECUTE, "STARTD.SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number on the full slot"),
        (EXECUTE, "M1.SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number on the full slot"),
        (
            EXECUTE,
            "if $(IsStartd)\nSLOT_WEIGHT = NoSuchThing\nendif",
            "SLOT_WEIGHT is no number on the full slot",
        ),
        (
            EXECUTE,
            "CONSUMPTION_POLICY = (1 == 1)\nCONSUMPTION_CPUS = 1.5",
            "CONSUMPTION_CPUS is 1.5",
        ),
        (EXECUTE, "CONSUMPTION_POLICY = yes", "CONSUMPTION_POLICY is neither true nor false: yes"),
        (
            EXECUTE,
            "STARTD.CLAIM_PARTITIONABLE_LEFTOVERS = 2 > 1",
            "are both on, which HTCondor does not support",
        ),
        (ACCESS, "SCHEDD.SCHEDD_SLOT_WEIGHT = Cpus", "mentions cpus"),
        (CENTRAL, "NEGOTIATOR.SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number"),
        (ACCESS, "SCHEDD_SLOT_WEIGHT = RequestMemory / 4096.0", "its group would starve"),
        (ACCESS, "SCHEDD_SLOT_WEIGHT = Cpus", "mentions cpus"),
        (CENTRAL, "SLOT_WEIGHT = NoSuchThing", "SLOT_WEIGHT is no number"),
    ],
)
def test_a_text_that_would_harm_a_daemon_is_refused(role: str, more: str, said: str) -> None:
    text = f"{configuration(role, NODE, SLOTS)}{more}\n"
    with pytest.raises(PolicyError) as refused:
        check_configuration(role, text, SLOTS, read_configuration)

    assert said in str(refused.value)
    assert "nothing was written" in refused.value.hint


def test_what_another_daemon_looks_up_is_no_danger() -> None:
    text = f"{configuration(EXECUTE, NODE, SLOTS)}SCHEDD.SLOT_WEIGHT = NoSuchThing\n"

    check_configuration(EXECUTE, text, SLOTS, read_configuration)


def test_several_dangers_are_counted() -> None:
    text = (
        f"{configuration(EXECUTE, NODE, SLOTS)}CONSUMPTION_CPUS = 1.5\nCONSUMPTION_MEMORY = -1\n"
        "NUM_CLAIMS = 0\n"
    )
    with pytest.raises(PolicyError, match=r"\(and 2 more\)"):
        check_configuration(EXECUTE, text, SLOTS, read_configuration)


def test_a_text_that_htcondor_cannot_read_is_refused() -> None:
    with pytest.raises(InputError, match="HTCondor cannot read it"):
        check_configuration(EXECUTE, "this is no assignment\n", SLOTS, read_configuration)


def test_a_text_without_a_weight_has_htcondors_own() -> None:
    """SLOT_WEIGHT = Cpus, CONSUMPTION_POLICY = False: harmless, if not what was asked for."""
    check_configuration(EXECUTE, "A = 1\n", SLOTS, read_configuration)

    assert read_configuration("A = 1\n", ["SLOT_WEIGHT"]) == {"SLOT_WEIGHT": "Cpus"}
