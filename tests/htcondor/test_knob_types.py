"""The tables of knobs: consistent in themselves, and with what HTCondor's own libraries say."""

from __future__ import annotations

import pytest

from htcq.htcondor.knob_types import Misfit, Type, all_types, knob_type
from htcq.htcondor.tables import rows
from htcq.live.configuration import read_dump


@pytest.mark.parametrize(
    ("name", "type_", "misfit", "daemon"),
    [
        ("NEGOTIATOR_PRE_JOB_RANK", Type.EXPRESSION, Misfit.EXITS, "negotiator"),
        ("start", Type.EXPRESSION, Misfit.ERROR, "startd"),
        ("GROUP_QUOTA_physics.higgs", Type.DOUBLE, Misfit.EXITS, "negotiator"),
        ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", Type.INTEGER, Misfit.EXITS, "negotiator"),
        ("CONSUMPTION_POLICY", Type.BOOLEAN, Misfit.EXITS, "startd"),
        ("CONSUMPTION_GPUS", Type.EXPRESSION, Misfit.EXITS, "startd"),
        ("SLOT_TYPE_12_PARTITIONABLE", Type.BOOLEAN, Misfit.DEFAULT, "startd"),
        ("SYSTEM_PERIODIC_HOLD_NAMES", Type.LIST, Misfit.READ, "schedd"),
        ("MAX_JOBS_RUNNING", Type.INTEGER, Misfit.EXITS, "schedd"),
    ],
)
def test_a_knob_has_the_type_that_its_reader_demands(
    name: str, type_: Type, misfit: Misfit, daemon: str
) -> None:
    known = knob_type(name)

    assert known is not None
    assert (known.type, known.misfit) == (type_, misfit)
    assert daemon in known.daemons


@pytest.mark.parametrize("name", ["SLOT_TYPE_x_PARTITIONABLE", "GROUP_QUOTA_", "NO_SUCH_KNOB_EVER"])
def test_what_htcondor_does_not_read_is_no_knob(name: str) -> None:
    assert knob_type(name) is None


def test_every_row_has_a_source_and_stands_once() -> None:
    for file in ("knobs.tsv", "expressions.tsv", "composed.tsv"):
        found = list(rows(file))
        assert len({row.key for row in found}) == len(found)
        assert all(row.cells()["source"].startswith(("src/", "htcondor-")) for row in found)
        assert all(row.cells()["daemons"] for row in found if file != "knobs.tsv")
    assert sum(1 for _ in all_types()) > 1700


def test_every_default_of_the_installed_library_is_a_knob_that_the_table_knows() -> None:
    """The bindings have HTCondor's table of defaults compiled in: it can refute, not confirm."""
    defaults = read_dump("A = 1\n", ["A"])[1]
    # What HTCondor finds out of the machine that reads its configuration.
    of_machine = ("DETECTED_", "CONDORISADMIN", "UNAME_")
    unknown = [
        name
        for name in defaults
        if knob_type(name) is None and not name.upper().startswith(of_machine)
    ]

    assert len(defaults) > 900
    assert sorted(unknown) == []
