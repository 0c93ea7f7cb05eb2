"""Maps of users that the schedd cannot read (classad_usermap.cpp:reconfig_user_maps, 25.14)."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.rule import Severity
from tests.audit.sites import found, look, pool

RULE = "user-map-missing"
MAP = "SCHEDD_CLASSAD_USER_MAP_NAMES = labs\nCLASSAD_USER_MAPFILE_labs = /etc/labs\n"
REQUIRED = (
    "JOB_TRANSFORM_NAMES = SetLab\nJOB_TRANSFORM_SetLab @=end\nEVALSET Lab usermap(\"labs\",Owner,Lab)\n@end\n"
    "SUBMIT_REQUIREMENT_NAMES = RequireLab\nSUBMIT_REQUIREMENT_RequireLab = Lab isnt undefined\n"
)  # fmt: skip


def test_a_map_that_is_not_there_is_found() -> None:
    given = replace(pool(access={"a": MAP}), map_files={"/etc/labs": False})
    (finding,) = found(RULE, given)

    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("usermap() finds no user in the map labs")


def test_it_is_an_error_where_no_job_may_be_submitted_without_it() -> None:
    given = replace(pool(access={"a": MAP + REQUIRED}), map_files={"/etc/labs": False})
    (finding,) = found(RULE, given)

    assert finding.severity is Severity.ERROR
    assert finding.message.endswith("and no job may be submitted without Lab")


def test_a_map_that_is_there_or_not_asked_for_is_fine() -> None:
    assert not found(RULE, replace(pool(access={"a": MAP}), map_files={"/etc/labs": True}))
    assert not found(RULE, pool(access={"a": "CLASSAD_USER_MAPFILE_labs = /etc/labs\n"}))


def test_a_macro_that_another_file_sets_is_no_part_of_the_name() -> None:
    text = MAP.replace("/etc/labs", "$(SITE_ETC)/labs")
    given = replace(pool(access={"a": text}), map_files={"/labs": False})
    outcome = look(RULE, given)
    (missing,) = outcome.not_checked

    assert not outcome.findings
    assert missing.missing == "the file $(SITE_ETC)/labs: another file may set its macros"


def test_on_another_machine_it_is_not_known() -> None:
    (missing,) = look(RULE, pool(access={"a": MAP})).not_checked

    assert missing.missing == "the map files of access points, such as /etc/labs"
