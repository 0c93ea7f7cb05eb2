"""Elastic quotas as the negotiator's configuration, and the proof that it sets their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from htcq import __version__
from htcq.elastic.quota_file import QuotaKnobs, number_text
from htcq.errors import InputError, PolicyError
from htcq.quota.group_tree import why_no_group
from htcq.templating import render


def quota_text(
    file: QuotaKnobs, instance: str, static: bool = False, templates: Path | None = None
) -> str:
    """Return the text of ``file``, which ``instance`` keeps.

    ``templates`` is a site's own directory.

    Raises:
        InputError: a group's name cannot stand in a knob.
        TemplateError: the template cannot be rendered.
    """
    for each in file.groups:
        why = why_no_group(each.group)
        if why:
            raise InputError(f"group {each.group!r} cannot be written for HTCondor", why)
    values = {
        "htcq": __version__,
        "instance": "".join(sign if sign.isprintable() else "?" for sign in instance).rstrip("\\ "),
        "static": static,
        "names": list(file.lines_of_names()),
        "groups": [
            {
                "name": each.group,
                "quota": number_text(each.quota),
                "accept_surplus": str(each.accept_surplus),
            }
            for each in file.groups
        ],
    }
    return render("condor/elastic.config.j2", values, templates)


def check_values(file: QuotaKnobs, values: Mapping[str, str], where: str) -> None:
    """Refuse a configuration in which a knob of ``file`` does not have the value that was meant.

    Raises:
        PolicyError: with the first such knob; ``where`` says what was read.
    """
    for name, meant in file.knobs():
        found = values.get(name, "")
        if _words(found) != _words(meant):
            raise PolicyError(
                f"{name} would be {found or 'not set'} {where}, not {meant}",
                (
                    "nothing was written; what is read later wins: remove it there, or fix the "
                    "template"
                ),
            )


def _words(text: str) -> list[str]:
    return text.replace(",", " ").lower().split()
