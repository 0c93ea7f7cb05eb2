"""A site's declared groups as the negotiator's configuration, and the proof that it makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from htcq import __version__
from htcq.emit import GROUPS_FILE
from htcq.errors import PolicyError
from htcq.htcondor.knob_names import GROUP_STEMS, names_that_matter, stem_of
from htcq.pool.configuration import Configuration, Parse, configuration_from
from htcq.pool.daemons import NEGOTIATOR
from htcq.pool.pool import Pool
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.settings import DeclaredGroup, GroupSettings
from htcq.templating import render

_LINE = 100
#: A site file says nothing of priority factors: they stay as they are.
_NOT_DECLARED = "GROUP_PRIO_FACTOR"


def groups_configuration(settings: GroupSettings, templates: Path | None = None) -> str:
    """Return the configuration text of the declared groups.

    ``templates`` is a site's own directory.

    Raises:
        TemplateError: the template cannot be rendered.
    """
    values = {
        "htcq": __version__,
        "names": list(_lines(group.name for group in settings.groups)),
        "knobs": list(settings.knobs.items()),
        "groups": [
            {
                "name": each.name,
                "told": _told(each),
                "configured": each.configured,
                "knobs": list(each.knobs),
            }
            for each in settings.groups
        ],
    }
    return render("condor/groups.config.j2", values, templates)


def _lines(names: Iterator[str]) -> Iterator[str]:
    """Yield the names as a list, broken into lines of moderate length."""
    line = ""
    for name in names:
        if line and len(line) + len(name) > _LINE:
            yield line
            line = ""
        if line:
            line += ", "
        line += name
    if line:
        yield line


def _told(group: DeclaredGroup) -> str:
    """Return owner, contact and last day on one line that nothing in it can end or continue."""
    last = ""
    if group.expires:
        last = group.expires.isoformat()
    parts = (("owner", _quiet(group.owner)), ("contact", _quiet(group.contact)), ("expires", last))
    return "; ".join(f"{what} {text}" for what, text in parts if text)


def _quiet(text: str) -> str:
    shown = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))
    # A backslash at its end would make the next line a part of this one.
    return shown.rstrip("\\ ")


def read_back(text: str, parse: Parse) -> Configuration:
    """Return what the rendered text sets; ``parse`` is HTCondor's own parser.

    Raises:
        InputError: the parser refuses it.
    """
    return configuration_from(GROUPS_FILE, text, parse, NEGOTIATOR)


def adopted(pool: Pool, emitted: Configuration) -> Pool:
    """Return ``pool`` with the groups of ``emitted`` instead of its own; other knobs stay."""
    own = pool.central
    if own is None:
        return replace(pool, central=emitted)
    settings = names_that_matter(own.defaults)
    kept = {
        key: knob for key, knob in own.knobs.items() if key in settings or not _of_one_group(key)
    }
    return replace(pool, central=replace(own, knobs={**kept, **emitted.knobs}))


def _of_one_group(knob: str) -> bool:
    stem = stem_of(knob)
    return stem in GROUP_STEMS and stem != _NOT_DECLARED


def check_groups(settings: GroupSettings, quotas: PoolQuotas) -> None:
    """Refuse a text by which the negotiator would exit, or would not have every declared group.

    ``quotas`` is what the negotiator makes of the rendered text, which may come from a site's own
    template.

    Raises:
        PolicyError: with the first such thing.
    """
    hint = "nothing was written; fix the template"
    for problem in quotas.problems:
        if problem.fatal:
            raise PolicyError(f"refused: {problem.message}: the negotiator would exit", hint)
    for group in settings.groups:
        if quotas.tree.find(group.name) is None:
            raise PolicyError(f"refused: the text makes no group {group.name}", hint)
