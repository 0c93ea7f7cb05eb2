"""A later assignment of GROUP_NAMES replaces a former one, and drops groups that it listed."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.htcondor.knob_names import names_that_matter, stem_of
from htcq.pool.configuration import Configuration, Knob
from htcq.quota.group_tree import name_key
from htcq.spelling import nearest

_NAMES = "GROUP_NAMES"
_QUOTAS = ("GROUP_QUOTA", "GROUP_QUOTA_DYNAMIC")
#: Where no file is known: so many groups with quotas are not listed by mistake one by one.
_SEVERAL = 2


def _find(evidence: Evidence) -> Iterator[Found]:
    central = evidence.pool.central
    if central is None:
        return
    knob = central.knob(_NAMES)
    if knob is None or ";" in knob.value:
        # Of "a; b" another rule says that commas separate names.
        return
    now = _names(knob.value)
    with_quota = _with_quota(central, now)
    if knob.overridden:
        dropped = _missing(_listed_before(knob), now)
        keys = {name_key(name) for name in with_quota}
        hurt = [name for name in dropped if name_key(name) in keys]
        fewest = 1
    else:
        dropped = hurt = with_quota
        fewest = _SEVERAL
    if len(hurt) < fewest:
        return

    starved = tuple(name for name in hurt if _waits(evidence, name))
    severity = Severity.ERROR if starved else None
    whole = ", ".join([*dropped, *now])
    yield Found(
        cause=_NAMES,
        subject=f"knob {_NAMES}",
        message=_message(knob, dropped, starved),
        facts=(*_former(central, knob, hurt), knob_fact(evidence, _NAMES)),
        count=len(dropped),
        examples=tuple(dropped),
        severity=severity,
        settings=(Setting(Role.CENTRAL, knob.name, whole, file=_file(knob.place)),),
        is_root=True,
    )


def _names(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _listed_before(knob: Knob) -> list[str]:
    """Return the groups that the former assignments list."""
    found: list[str] = []
    for former in knob.overridden:
        found += _names(former.raw)
    return found


def _missing(names: list[str], now: list[str]) -> list[str]:
    known = {name_key(name) for name in now}
    return [name for name in dict.fromkeys(names) if name_key(name) not in known]


def _with_quota(central: Configuration, now: list[str]) -> list[str]:
    """Return the groups that have a quota and are not listed.

    A group whose name is near a listed one is left out.
    """
    others = names_that_matter(central.defaults)
    found = []
    for knob in central:
        own = knob.bare
        stem = stem_of(own)
        if stem in _QUOTAS and own.upper() not in others and knob.value.strip():
            found.append(own[len(stem) + 1 :])
    return [name for name in _missing(found, now) if not nearest(name, now)]


def _waits(evidence: Evidence, group: str) -> bool:
    """Return whether jobs wait that name ``group`` or one below it."""
    path = name_key(group) + b"."
    waiting = (each.name for each in evidence.quotas.submitters if each.idle > 0)
    return any(name_key(name).startswith(path) for name in waiting)


def _message(knob: Knob, dropped: list[str], starved: tuple[str, ...]) -> str:
    groups = counted(len(dropped), "group")
    jobs = ""
    if starved:
        jobs = f"; jobs of {listed(starved)} wait"
    if not knob.overridden:
        return (
            f"{_NAMES} lists only {listed(_names(knob.value)) or 'no group'}, and {groups} with "
            f"quotas are not listed ({listed(dropped)}): probably a later file overrides "
            f"{_NAMES}{jobs}"
        )
    former = knob.overridden[-1].place
    return (
        f"{knob.place} overrides {_NAMES} of {former}, and drops {groups} ({listed(dropped)}){jobs}"
    )


def _former(central: Configuration, knob: Knob, hurt: list[str]) -> Iterator[Fact]:
    if knob.overridden:
        for former in knob.overridden:
            yield Fact(former.name, former.raw, former.place)
        return
    for name in hurt:
        for stem in _QUOTAS:
            quota = central.knob(f"{stem}_{name}")
            if quota is not None:
                yield Fact(quota.name, quota.value, quota.place)


def _file(place: str) -> str:
    return place.rpartition(":")[0]


RULE = Rule(
    id="group-names-overridden",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary=(
        "A later assignment of GROUP_NAMES replaces an earlier one and drops groups that have "
        "quotas"
    ),
    consequence=(
        "HTCondor uses the last assignment of a knob. Groups that are listed only in an earlier "
        "one do not exist: their quotas are ignored, and their jobs belong to no group, so that "
        "they get only what the groups leave. If jobs of such a group wait, this is an error."
    ),
    advice=(
        "List all groups in one file, or extend the list with $(GROUP_NAMES) in the later file. "
        "On the central manager 'condor_config_val -verbose GROUP_NAMES' shows the file that "
        "applies."
    ),
    source="src/condor_utils/config.cpp:Parse_macros, 25.14",
    find=_find,
)
