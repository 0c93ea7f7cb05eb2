"""A knob that HTCondor does not know.

Its name is near one that it knows, or no released version reads it yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import NEGOTIATOR
from htcq.spelling import near_to, nearest

#: Proposed, but in no binary of 25.14.1 and in no tag of a release from 23.0.0 to 25.13.2.
_UNRELEASED = frozenset(("SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS",))
_REFERENCE = re.compile(r"\$[A-Za-z]*\(\s*([A-Za-z0-9_./]+)")
_ASSETS = frozenset(("CPUS", "MEMORY", "DISK", "SWAP", "GPUS", "POLICY"))
_ASSET_KNOB = re.compile(r"MACHINE_RESOURCE_(?:INVENTORY_)?(.+)\Z")
#: Somebody's short form of an asset's name: CPU, MEM.
_SHORT_FORM = 3


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
            meant = spelling.meant(knob.name)
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
    if not checked:
        yield Unchecked(evidence.words(Input.CENTRAL))


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

    def meant(self, name: str) -> str:
        """Return the knob that ``name`` was probably meant to be.

        Empty where HTCondor or the site itself uses the name.
        """
        if name.upper() in self._defaults:
            return ""
        prefix, own = split_prefix(name)
        upper = own.upper()
        if upper in self._defaults or upper in self._matter or name.upper() in self._used:
            return ""
        stem = stem_of(own)
        if not stem:
            right = self._separated(own) or nearest(own, sorted(self._matter)) or _with_stem(own)
        elif stem == ASSET_STEM:
            right = self._asset_knob(upper[len(stem) + 1 :])
        elif stem in GROUP_STEMS and own[len(stem) + 1 :].lower() not in self._groups:
            # GROUP_QUOTA_DYNAMICphys is no quota of a group dynamicphys.
            right = self._separated(own)
        else:
            right = ""
        if right:
            return f"{prefix}{right}"
        return ""

    def _separated(self, name: str) -> str:
        """Return ``name`` with the underscore after its stem; empty where that makes no sense.

        What follows must be a group, an asset or a slot type of this configuration: GROUP_QUOTAS
        may be a macro of the site.
        """
        upper = name.upper()
        for stem in stems():
            rest = name[len(stem) :].lstrip(".-")
            if not upper.startswith(stem) or not rest:
                continue
            if stem in GROUP_STEMS:
                follows = rest.lower() in self._groups
            elif stem in NUMBERED_STEMS:
                follows = rest.partition("_")[0].isdigit()
            else:
                follows = rest.upper() in self._assets
            if follows:
                return f"{stem}_{rest}"
        return ""

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


def _with_stem(name: str) -> str:
    """Return ``name`` with its stem corrected; empty where its beginning is near no stem."""
    words = name.split("_")
    for stem in stems():
        length = stem.count("_") + 1
        compare = near_to(stem)
        for many in (length, length - 1, length + 1):
            head, rest = "_".join(words[:many]), "_".join(words[many:])
            if head and rest and compare(head) is not None:
                return f"{stem}_{rest}"
    return ""


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
        "A knob that HTCondor does not have, with a name similar to one that it has, or that no "
        "released version reads"
    ),
    consequence=(
        "HTCondor silently accepts every name, because it could be a macro of the site. The "
        "intended knob keeps its default."
    ),
    advice="Correct the name; 'condor_config_val -dump' lists HTCondor's knobs.",
    source="src/condor_utils/param_info.in and config.cpp, 25.14",
    find=_find,
)
