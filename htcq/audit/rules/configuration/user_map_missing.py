"""A user map of the schedd is a file that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.pool.knob_values import is_uncertain
from htcq.pool.user_maps import UserMap, required_attributes, user_maps


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    for name, configuration in evidence.access.items():
        for each in user_maps(configuration):
            there = evidence.pool.map_files.get(each.file)
            if not there and is_uncertain(configuration, each.knob):
                yield Unchecked(f"the file {each.knob.raw}: another file may set its macros")
            elif there is None:
                yield Unchecked(f"the map files of access points, such as {each.file}")
            elif not there:
                yield _found(name, each, required_attributes(configuration, each.name))


def _found(access_point: str, each: UserMap, required: tuple[str, ...]) -> Found:
    harm = f"usermap() finds no user in the map {each.name}"
    if required:
        harm += f", and no job may be submitted without {', '.join(required)}"
    return Found(
        cause=each.file,
        subject=f"access point {access_point}",
        message=(
            f"{each.file} is neither on this machine nor beside the configuration: if the schedd "
            f"does not find it, {harm}"
        ),
        facts=(Fact(each.knob.name, each.file, each.knob.place),),
        examples=(access_point,),
        severity=None if required else Severity.WARNING,
    )


RULE = Rule(
    id="user-map-missing",
    severity=Severity.ERROR,
    needs=(Input.ACCESS,),
    summary="A file of SCHEDD_CLASSAD_USER_MAP_NAMES does not exist",
    consequence=(
        "A schedd that cannot read a map logs it and goes on; usermap() is undefined for "
        "every user. With 'use FEATURE : AssignAccountingGroup' or SetJobAttrFromUsermap every "
        "submission on that access point is refused. Without such a requirement only what the map "
        "sets is missing, which is a warning."
    ),
    advice=(
        "Install the file under that name, or correct the name. htcq looks for it on the machine "
        "where it runs, and beside the configuration."
    ),
    source=(
        "src/condor_utils/classad_usermap.cpp:reconfig_user_maps, param_info.in, 25.14; seen on "
        "25.14.1"
    ),
    find=_find,
)
