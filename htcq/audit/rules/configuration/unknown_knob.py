"""A knob that HTCondor does not know.

Its name is near one that it knows, or no released version reads it yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import settings_of
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.htcondor.knob_names import (
    ASSET_STEM,
    GROUP_STEMS,
    NUMBERED_STEMS,
    names_that_matter,
    split_prefix,
    stem_of,
    stems,
)
from htcq.htcondor.knob_types import knob_type
from htcq.pool.config_lines import LEGAL_NAME
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import NEGOTIATOR, prefix_of
from htcq.quota.knobs import number_of, truth_of
from htcq.spelling import near_to, nearest

#: Proposed, but in no binary of 25.14.1 and in no tag of a release from 23.0.0 to 25.13.2.
_UNRELEASED = frozenset(("SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS",))
_REFERENCE = re.compile(r"\$[A-Za-z]*\(\s*([A-Za-z0-9_./]+)")
_ASSETS = frozenset(("CPUS", "MEMORY", "DISK", "SWAP", "GPUS", "POLICY"))
_ASSET_KNOB = re.compile(r"MACHINE_RESOURCE_(?:INVENTORY_)?(.+)\Z")
#: Somebody's short form of an asset's name: CPU, MEM.
_SHORT_FORM = 3
#: So much of a line is shown.
_LONGEST = 120
_GLUED = re.compile(r"(SLOT_TYPE_[0-9]+)([A-Z]\w*)\Z", re.IGNORECASE)


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    assets = {asset.upper() for kind in evidence.slot_classes for asset in kind.assets}
    checked = False
    for whose, configuration in evidence.configurations():
        checked = True
        spelling = _Spelling(configuration, assets)
        for knob in configuration:
            # An empty knob does nothing, whatever it was meant to be.
            if not knob.value.strip():
                continue
            meant = spelling.meant(knob.name, knob.value)
            if meant:
                message = f"HTCondor has no knob {knob.name} and ignores it; did you mean {meant}?"
                fix = _corrected(configuration, knob, meant)
            elif _is_unreleased(configuration, knob):
                message = f"no released version of HTCondor reads {knob.name}: it has no effect"
                fix = ((knob.name, ""),)
            else:
                continue
            yield Found(
                cause=knob.name.upper(),
                subject=f"knob {knob.name}",
                message=message,
                facts=(Fact(knob.name, knob.value, knob.place),),
                settings=tuple(settings_of(whose, configuration, fix)),
                examples=(whose,),
                is_root=True,
            )
        if evidence.pool.only_files:
            yield from _with_spaces(whose, configuration)
    if not checked:
        yield Unchecked(evidence.words(Input.CENTRAL))


def _with_spaces(whose: str, configuration: Configuration) -> Iterator[Found]:
    """Yield the lines that set another knob than they seem to, since there is a space in its name.

    They are those of files: a dump may break its lines elsewhere.
    """
    for each in configuration.statements:
        if not each.sets:
            continue
        place = configuration.place_of(each)
        known = knob_type(each.sets)
        yield Found(
            cause=f"{place}: {each.text.upper()}",
            subject=f"knob {each.sets}",
            message=(
                f"{place} sets {each.sets}: HTCondor ignores what stands between the first space "
                f"and the equals sign: {each.text[len(each.sets) :].strip()[:_LONGEST]}"
            ),
            facts=(Fact("line", each.text[:_LONGEST], place),),
            examples=(whose,),
            # A knob that HTCondor reads has a value that was meant for another one.
            severity=Severity.WARNING if known is None else Severity.ERROR,
            is_root=True,
        )


def _is_unreleased(configuration: Configuration, knob: Knob) -> bool:
    """Return whether the knob was proposed only; a later version has a default for it."""
    name = split_prefix(knob.name)[1].upper()
    return name in _UNRELEASED and name not in configuration.defaults


def _corrected(configuration: Configuration, knob: Knob, meant: str) -> tuple[tuple[str, str], ...]:
    """Return the knob under the right name, and the wrong one unset.

    Where the right name has a value of its own, the wrong one alone is returned.
    """
    wrong = (knob.name, "")
    if configuration.knob(meant) is not None:
        return (wrong,)
    return ((meant, " ".join((knob.raw or knob.value).split())), wrong)


class _Spelling:
    """Which knob a name was meant to be, in one configuration."""

    def __init__(self, configuration: Configuration, assets: Iterable[str]) -> None:
        self._defaults = configuration.defaults
        self._matter = names_that_matter(configuration.defaults)
        here = (_ASSET_KNOB.match(knob.bare.upper()) for knob in configuration)
        self._assets = {*_ASSETS, *assets, *(found.group(1) for found in here if found)}
        names = configuration.of(NEGOTIATOR).value("GROUP_NAMES")
        self._groups = {name.strip(";").lower() for name in names.replace(",", " ").split()}
        self._used = _used(configuration)

    def meant(self, name: str, value: str) -> str:
        """Return the knob that ``name`` was probably meant to be; ``value`` is its value.

        Empty where HTCondor or the site itself uses the name.
        """
        if name.upper() in self._defaults:
            return ""
        prefix, own = split_prefix(name)
        right = self._meant(name, own, value)
        if not right and not prefix and prefix_of(name):
            # The local name of a daemon.
            prefix = f"{prefix_of(name)}."
            right = self._meant(name, name[len(prefix) :], value)
        return f"{prefix}{right}" if right else ""

    def _meant(self, name: str, own: str, value: str) -> str:
        upper = own.upper()
        if upper in self._defaults or upper in self._matter or name.upper() in self._used:
            return ""
        stem = stem_of(own)
        if stem == ASSET_STEM:
            return self._asset_knob(upper[len(stem) + 1 :])
        if stem in GROUP_STEMS and own[len(stem) + 1 :].lower() in self._groups:
            return ""
        if stem in NUMBERED_STEMS:
            return self._of_slot_type(own)
        if stem and stem not in GROUP_STEMS:
            return ""
        for right in (self._with_stem(own, stem), self._separated(own, value)):
            if right and right.upper() != upper:
                return right
        return nearest(own, sorted(self._matter))

    def _separated(self, name: str, value: str) -> str:
        """Return ``name`` with an underscore in and after its stem; empty where none makes sense.

        What follows must be a group, an asset or a slot type of this configuration: GROUP_QUOTAS
        may be a macro of the site. Where no group is declared, the value must be a group's.
        """
        for stem in stems():
            found = _loosely(stem).match(name)
            if found is None:
                continue
            rest = found.group(1)
            if stem in GROUP_STEMS:
                follows = self._may_be_group(rest, value)
            elif stem in NUMBERED_STEMS:
                follows = _is_numbered(rest)
            else:
                follows = rest.upper() in self._assets
            if follows:
                return f"{stem}_{rest}"
        return ""

    def _may_be_group(self, name: str, value: str) -> bool:
        if self._groups:
            return name.lower() in self._groups
        fits = truth_of(value.strip()) is not None or number_of(value.strip()) is not None
        return fits and name.upper() != "S" and bool(LEGAL_NAME.match(name))

    def _with_stem(self, name: str, stem: str) -> str:
        """Return ``name`` with its stem corrected; empty where its beginning is near no stem.

        After the stem of groups, which it may begin with, nothing but a group makes sense.
        """
        right = _with_stem(name)
        new = stem_of(right)
        rest = right[len(new) + 1 :]
        if new in NUMBERED_STEMS and not _is_numbered(rest):
            return ""
        if stem and self._groups and rest.lower() not in self._groups:
            return ""
        return right

    def _of_slot_type(self, name: str) -> str:
        """Return SLOT_TYPE_1_KNOB for SLOT_TYPE_1KNOB."""
        found = _GLUED.match(name)
        if found is None or found.group(2).upper() not in self._matter:
            return ""
        return f"{found.group(1)}_{found.group(2)}"

    def _asset_knob(self, name: str) -> str:
        """Return the knob of the asset that ``name`` was probably meant to be.

        Empty where the name is an asset, or is near none.
        """
        if name in self._assets:
            return ""
        asset = ""
        if len(name) >= _SHORT_FORM:
            asset = next((each for each in sorted(self._assets) if each.startswith(name)), "")
        asset = asset or nearest(name, sorted(self._assets))
        if asset:
            return f"{ASSET_STEM}_{asset}"
        return ""


def _is_numbered(rest: str) -> bool:
    return rest.partition("_")[0].isdigit()


def _with_stem(name: str) -> str:
    """Return ``name`` with its stem corrected; empty where its beginning is near no stem."""
    words = name.split("_")
    for stem in stems():
        length = stem.count("_") + 1
        compare = near_to(stem)
        for many in (length, length - 1, length + 1):
            head, rest = "_".join(words[:many]), "_".join(words[many:])
            swapped = sorted(head.upper().split("_")) == sorted(stem.split("_"))
            if head and rest and (swapped or compare(head) is not None):
                return f"{stem}_{rest}"
    return ""


@cache
def _loosely(stem: str) -> re.Pattern[str]:
    """Return the pattern of a stem with other separators, or without any, and what follows it."""
    return re.compile("[-_.]?".join(stem.split("_")) + r"[-_.]*(.+)", re.IGNORECASE)


def _used(configuration: Configuration) -> set[str]:
    """Return the site's own macros.

    They are the names to which other knobs refer, and those that daemons put into their ads.
    """
    used: set[str] = set()
    for knob in configuration:
        if "$" in knob.raw:
            used.update(name.upper() for name in _REFERENCE.findall(knob.raw))
        if knob.bare.upper().endswith(("_ATTRS", "_EXPRS")):
            used.update(knob.value.upper().replace(",", " ").split())
    return used


RULE = Rule(
    id="unknown-knob",
    severity=Severity.WARNING,
    needs=(),
    summary=(
        "A knob that HTCondor does not have, with a name similar to one that it has or with a "
        "space in it, or that no released version reads"
    ),
    consequence=(
        "HTCondor silently accepts every name, because it could be a macro of the site. The "
        "intended knob keeps its default. A name ends at its first space: NEGOTIATOR .GROUP_NAMES "
        "sets NEGOTIATOR, the path of the program."
    ),
    advice="Correct the name; 'condor_config_val -dump' lists HTCondor's knobs.",
    source="src/condor_utils/param_info.in and config.cpp, 25.14",
    find=_find,
)
