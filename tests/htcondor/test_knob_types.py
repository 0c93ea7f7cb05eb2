"""The tables of knobs: consistent in themselves, and with what HTCondor's own libraries say."""

from __future__ import annotations

import pytest

from htcq.htcondor.defaults import default_of, expanded_default
from htcq.htcondor.knob_types import Misfit, Type, all_types, knob_type
from htcq.htcondor.tables import rows
from htcq.library import library
from htcq.live.configuration import read_dump
from htcq.policy.defaults import version_tuple


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

    assert len(defaults) > 800
    assert sorted(unknown) == []


#: Of the machine, of the build or of the tool that reads the configuration; or changed between the
#: newest sources and the release 25.14.1. The library is told a NETWORK_HOSTNAME, so that it asks nobody for it.
_OTHERWISE = frozenset(
    (
        "ADSTASH_SE_INDEX_NAME", "ARCH", "CONDOR_BUILD_PLATFORM", "CONDOR_VERSION",
        "ENABLE_CLASSAD_CACHING", "HAVE_EXT_KRB5", "ISTOOL", "LOCALNAME", "NETWORK_HOSTNAME", "OPSYS", "OPSYSANDVER",
        "PYTHON3_MODULE_SUFFIX", "PYTHON3_VERSION_MINOR", "SEC_DEFAULT_AUTHENTICATION_METHODS",
        "SUBSYSTEM", "TRANSFER_JOB_ATTRS",
    )
)  # fmt: skip


def test_plain_defaults_are_those_of_the_installed_library() -> None:
    """Texts with macros are expanded there, and truth values are written otherwise."""
    here = read_dump("A = 1\n", ["A"])[1]
    compared, wrong = 0, []
    for name, value in here.items():
        text = default_of(name, version_tuple(library().classad2.version()))
        if text is None or "$" in text or name.upper() in _OTHERWISE:
            continue
        compared += 1
        if _plain(text) != _plain(value):
            wrong.append((name, text, value))

    assert compared > 500
    assert wrong == []


def _plain(text: str) -> str:
    words = " ".join(text.lower().split())
    try:
        return str(float(words))
    except ValueError:
        return {"true": "1.0", "false": "0.0"}.get(words, words)


def test_a_default_is_that_of_the_version() -> None:
    """The long-term series 24.12 and 25.0 got the disk quantum later than 25.7 is old."""
    knob = "MODIFY_REQUEST_EXPR_REQUESTDISK"

    assert default_of(knob, (23, 9, 6)) == "quantize(RequestDisk,{1024})"
    assert default_of(knob, (24, 12, 18)) == default_of(knob, (25, 0, 8))
    assert default_of(knob, (25, 0, 7)) == default_of(knob, (25, 6, 1))
    assert default_of(knob, (25, 0, 8)) != default_of(knob, (25, 1, 1))
    assert "CatalogSize" in expanded_default(knob, (25, 14, 1))
    assert default_of("REMOVE_SIGNIFICANT_ATTRIBUTES", (25, 4, 0)) is None
    assert "\n" in (default_of("CATALOG_SPACE") or "")
