"""Names that HTCondor knows are those of its sources from 8.6 to 25.14; the misspelt ones were made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.audit.rule import Severity
from htcq.limits import USUAL
from htcq.operations.config_directory import UNKNOWN_MACHINE, pool_of_files
from htcq.store.config_directory import open_places
from tests.audit.sites import found, lines, look, pool, slot

RULE = "unknown-knob"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GROUP_QOUTA_phys", "GROUP_QUOTA_phys"),
        ("GROUPQUOTA_phys", "GROUP_QUOTA_phys"),
        ("GROUP_ACCEPT_SURPLUSS_phys", "GROUP_ACCEPT_SURPLUS_phys"),
        ("GROUP_AUTO_REGROUP_phys", "GROUP_AUTOREGROUP_phys"),
        ("GROUP_NAME", "GROUP_NAMES"),
        ("CONSUMTION_CPUS", "CONSUMPTION_CPUS"),
        ("CONSUMPTION_CPU", "CONSUMPTION_CPUS"),
        ("CONSUMPTION_MEM", "CONSUMPTION_MEMORY"),
        ("CONSUMPTION_TOKEN", "CONSUMPTION_TOKENS"),
        ("SLOT_WIEGHT", "SLOT_WEIGHT"),
        ("SlotWeight", "SLOT_WEIGHT"),
        ("SCHEDD_SLOT_WEIGHTS", "SCHEDD_SLOT_WEIGHT"),
        ("NUM_CLAIM", "NUM_CLAIMS"),
        ("SLOT_TYPE_2_PARTITONABLE", "SLOT_TYPE_2_PARTITIONABLE"),
        ("SLOT_TYPE_1_SLOT_WIEGHT", "SLOT_TYPE_1_SLOT_WEIGHT"),
        ("SLOT_TYPE_1_CONSUMPTION_GPU", "SLOT_TYPE_1_CONSUMPTION_GPUS"),
        ("NUM_SLOT_TYPE_1", "NUM_SLOTS_TYPE_1"),
        ("NEGOTIATOR_STRICT_ENFORCE_QUOTAS", "NEGOTIATOR_STRICT_ENFORCE_QUOTA"),
        ("NEGOTIATOR.GROUP_QOUTA_phys", "NEGOTIATOR.GROUP_QUOTA_phys"),
        ("MODIFY_REQUEST_EXPR_REQUESTCPU", "MODIFY_REQUEST_EXPR_REQUESTCPUS"),
    ],
)
def test_a_misspelt_knob_is_found_with_its_right_name(name: str, meant: str) -> None:
    config = f"MACHINE_RESOURCE_tokens = 4\n{name} = 7\n"
    (finding,) = found(RULE, pool(slot(), config=config))
    assert (finding.subject, lines(finding)) == (f"knob {name}", [f"{meant} = 7", f"{name} ="])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GROUP_QUOTAphys", "GROUP_QUOTA_phys"),
        ("GROUP_QUOTA.phys", "GROUP_QUOTA_phys"),
        ("GROUP_QUOTA_DYNAMICphys", "GROUP_QUOTA_DYNAMIC_phys"),
        ("GROUP_ACCEPT_SURPLUSphys.multi", "GROUP_ACCEPT_SURPLUS_phys.multi"),
        ("NEGOTIATOR.GROUP_QUOTAphys", "NEGOTIATOR.GROUP_QUOTA_phys"),
        ("SLOT_TYPE1", "SLOT_TYPE_1"),
        ("NUM_SLOTS_TYPE1", "NUM_SLOTS_TYPE_1"),
        ("SLOT_TYPE1_PARTITIONABLE", "SLOT_TYPE_1_PARTITIONABLE"),
        ("CONSUMPTIONCPUS", "CONSUMPTION_CPUS"),
        ("MACHINE_RESOURCEtokens", "MACHINE_RESOURCE_tokens"),
        ("GROUP_QUOTA-phys", "GROUP_QUOTA_phys"),
        ("GROUP-QUOTA-phys", "GROUP_QUOTA_phys"),
        ("GROUPQUOTAphys", "GROUP_QUOTA_phys"),
        ("GROUP_QUOTA_DYNAMC_phys", "GROUP_QUOTA_DYNAMIC_phys"),
        ("GROUP_DYNAMIC_QUOTA_phys", "GROUP_QUOTA_DYNAMIC_phys"),
        ("GROUP_PRIO_FACTORphys", "GROUP_PRIO_FACTOR_phys"),
        ("NEGO.GROUP_QUOTAphys", "NEGO.GROUP_QUOTA_phys"),
        ("NEGOTIATOR_PRE_JOBRANK", "NEGOTIATOR_PRE_JOB_RANK"),
        ("SLOTTYPE1", "SLOT_TYPE_1"),
        ("SLOT_TYPE_1PARTITIONABLE", "SLOT_TYPE_1_PARTITIONABLE"),
    ],
)
@pytest.mark.parametrize("groups", ["GROUP_NAMES = phys, phys.multi\n", ""])
def test_a_missing_separator_is_found(name: str, meant: str, groups: str) -> None:
    """The file that declares the groups need not be among those that were given."""
    config = f"MACHINE_RESOURCE_tokens = 4\n{groups}{name} = 7\n"
    (finding,) = found(RULE, pool(slot(), config=config))
    assert f"did you mean {meant}?" in finding.message


@pytest.mark.parametrize(
    "line",
    [
        "GROUP_QUOTAS = 7",
        "GROUP_QUOTAFILE = /etc/quotas",
        "GROUP_QUOTAphys = 7\nGROUP_QUOTA_phys = $(GROUP_QUOTAphys)",
        "GROUP_QUOTA_phys = 7",
        "SLOT_TYPES = 2",
    ],
)
def test_without_groups_a_macro_of_the_site_is_no_slip(line: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{line}\n"))


@pytest.mark.parametrize(
    ("line", "sets", "ignored", "severity"),
    [
        ("NEGOTIATOR .GROUP_NAMES = a", "NEGOTIATOR", ".GROUP_NAMES", Severity.ERROR),
        ("NEGOTIATOR. GROUP_QUOTA_a = 5", "NEGOTIATOR.", "GROUP_QUOTA_a", Severity.WARNING),
        ("GROUP QUOTA_a += 5", "GROUP", "QUOTA_a", Severity.WARNING),
    ],
)
def test_a_space_in_a_name_ends_it(
    line: str, sets: str, ignored: str, severity: Severity, tmp_path: Path
) -> None:
    """condor_config_val of 25.14.1 prints the value under the name before the space."""
    (tmp_path / "10").write_text(f"GROUP_NAMES = a\n{line}\nGROUP_SORT_EXPR : 1\n")
    places = open_places([str(tmp_path)])
    given = pool_of_files(places, str(tmp_path), USUAL, UNKNOWN_MACHINE)
    (finding,) = found(RULE, given)
    assert finding.message.startswith(f"{tmp_path}/10:2 sets {sets}: ")
    assert finding.message.endswith(f": {ignored}")
    assert finding.severity is severity
    assert not given.failed


def test_a_macro_that_only_begins_like_a_knob_is_no_slip() -> None:
    config = "GROUP_NAMES = phys\nGROUP_QUOTAS = 7\nSLOT_TYPES = 2\nCONSUMPTIONS = 1\n"
    assert not found(RULE, pool(slot(), config=config))


def test_a_knob_that_is_set_under_its_right_name_too_keeps_its_value() -> None:
    (finding,) = found(RULE, pool(slot(), config="GROUP_NAMES = phys\nGROUP_NAME = chem\n"))
    assert lines(finding) == ["GROUP_NAME ="]


def test_an_empty_knob_does_nothing_under_any_name() -> None:
    assert not found(RULE, pool(slot(), config="GROUP_NAME =\n"))


def test_file_and_line_are_told() -> None:
    config = "SLOT_WIEGHT = Cpus\n # at: /etc/condor/config.d/50, line 3\n"
    (finding,) = found(RULE, pool(slot(), config=config))
    assert finding.evidence[0].place == "/etc/condor/config.d/50:3"


def test_the_same_slip_on_many_machines_is_one_finding() -> None:
    (finding,) = found(
        RULE, pool(slot(), execute={f"node{number}": "NUM_CLAIM = 8\n" for number in range(6)})
    )
    assert finding.count == 6
    assert finding.examples[0] == "execution point node0"


KNOWN = """
GROUP_NAMES GROUP_QUOTA_phys GROUP_QUOTA_DYNAMIC_phys.atlas GROUP_ACCEPT_SURPLUS GROUP_ACCEPT_SURPLUS_phys
GROUP_SORT_EXPR GROUP_AUTOREGROUP GROUP_AUTOREGROUP_phys GROUP_PRIO_FACTOR_phys GROUP_QUOTA_ROUND_ROBIN_RATE
GROUP_DYNAMIC_MACH_CONSTRAINT GROUP_QUOTA_MAX_ALLOCATION_ROUNDS HFS_ROUND_ROBIN_RATE HFS_MAX_ALLOCATION_ROUNDS
CONSUMPTION_POLICY CONSUMPTION_CPUS CONSUMPTION_GPUS CONSUMPTION_TOKENS CONSUMPTION_SWAP NUM_CLAIMS NUM_SLOTS
NUM_SLOTS_TYPE_1 NUM_CPUS SLOT_TYPE_1 SLOT_TYPE_1_CONSUMPTION_MEMORY SLOT_TYPE_1_PARTITIONABLE
SLOT_TYPE_3_NAME_PREFIX SLOT_TYPE_1_START SLOT_TYPE_1_BACKFILL SLOT1_EXECUTE SLOTS_CONNECTED_TO_CONSOLE
NEGOTIATOR_LOCK NEGOTIATOR_LOG NEGOTIATOR_ARGS NEGOTIATOR_NAME NEGOTIATOR_HOST NEGOTIATOR_ADDRESS_FILE
NEGOTIATOR_CYCLE_DELAY NEGOTIATOR_STATE_FILE NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT NEGOTIATOR_IGNORE_JOB_RANKS
NEGOTIATOR_PREFETCH_REQUESTS_TIMEOUT NEGOTIATOR_ADVERTISE_ACCOUNTING NEGOTIATOR_STRICT_ENFORCE_QUOTA
NEGOTIATOR_CLASSAD_USER_MAP_NAMES NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION SCHEDD_SLOT_WEIGHT SCHEDD_USE_SLOT_WEIGHT
SCHEDD.SLOT_WEIGHT MACHINE_RESOURCE_NAMES MACHINE_RESOURCE_INVENTORY_GPUS OFFLINE_MACHINE_RESOURCE_GPUS
PREEMPTION_REQUIREMENTS_STABLE PREEMPTION_RANK_STABLE JOB_DEFAULT_REQUESTGPUS NUM_VIRTUAL_MACHINES NUM_FRGN_JOBS
CLAIM_PARTITIONABLE_LEFTOVERS ACCOUNTANT_HOST NICE_USER_PRIO_FACTOR
"""


@pytest.mark.parametrize("name", KNOWN.split())
def test_what_some_version_of_htcondor_knows_is_not_found(name: str) -> None:
    assert not found(RULE, pool(slot(), config=f"MACHINE_RESOURCE_tokens = 4\n{name} = 7\n"))


@pytest.mark.parametrize(
    "name", ["OUR_SLOT_WEIGHT", "SLOT_WEIGHT_GPU", "GROUP_ADMINS", "NEGOTIATOR_MACHINE", "QUOTA"]
)
def test_a_name_of_the_sites_own_is_not_found(name: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{name} = 7\n"))


def test_a_macro_that_other_knobs_use_is_not_found() -> None:
    config = "SLOT_WEIGHTS = Cpus\nSLOT_WEIGHT = $(SLOT_WEIGHTS)\n"
    assert not found(RULE, pool(slot(), config=config))


def test_an_attribute_that_the_startd_publishes_is_not_found() -> None:
    assert not found(
        RULE, pool(slot(), execute={"node1": "SlotWeights = 3\nSTARTD_ATTRS = SlotWeights\n"})
    )


def test_an_asset_that_slots_hand_out_is_not_found() -> None:
    ads = slot(MachineResources='"Cpus Memory Disk Swap GPU"', GPU=4)
    assert not found(RULE, pool(ads, config="CONSUMPTION_GPU = 1\n"))


def test_without_any_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(slot())).not_checked


@pytest.mark.parametrize("prefix", ["", "SCHEDD."])
def test_a_knob_that_no_released_version_reads_is_found(prefix: str) -> None:
    """No binary of 25.14.1 has its name, and no tag of a release up to 25.13.2 either."""
    name = f"{prefix}SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS"
    (finding,) = found(RULE, pool(slot(), access={"access1": f"{name} = True\n"}))
    assert (finding.subject, lines(finding)) == (f"knob {name}", [f"{name} ="])
    assert "no released version of HTCondor reads" in finding.message
