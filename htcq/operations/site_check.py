"""A look at a whole site file: every section, and the files that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.audit.rule import AnyRule
from htcq.errors import HtcqError, InputError
from htcq.operations.site_file import SITE_FILES, is_only_found, refuse_places, site_text, toml_of
from htcq.settings.lines import line_of
from htcq.settings.mistakes import Check, Mistake, mistakes_in
from htcq.settings.site import TOP_KEYS, Settings, settings_from
from htcq.settings.tables import check_keys

#: Keys that are checked together: one of them says what the other may be.
_TOGETHER = (("capacity", "slot_types"), ("groups", "quotas"))
_SYNTAX_LINE = re.compile(r" \(at line (\d+), column \d+\)$")


@dataclass(frozen=True)
class SiteMistake:
    """A mistake; ``line`` is 0 where it has none."""

    line: int
    message: str
    hint: str


@dataclass(frozen=True)
class SiteCheck:
    """What was found in the site file ``path``, which is None where there is no site file.

    ``unseen`` says what could not be looked at.
    """

    path: Path | None
    sections: tuple[str, ...] = ()
    mistakes: tuple[SiteMistake, ...] = ()
    unseen: tuple[str, ...] = ()


def check_site_file(named: str | None, own: Sequence[AnyRule] | None) -> SiteCheck:
    """Return what is wrong in the file ``named``, or in that which every command finds.

    ``own`` are the site's own rules; None where not all of them are known.

    Raises:
        InputError: it cannot be read, or it was not named and is not to be trusted.
    """
    found = site_text(named)
    if found is None:
        return SiteCheck(None)
    path, text = found
    try:
        content = toml_of(text)
    except (ValueError, RecursionError) as error:
        return SiteCheck(path, (), (_of_syntax(error),))
    mistakes = list(_mistakes(content, own, found=is_only_found(named, path)))
    unseen: list[str] = []
    if own is None and "audit" in content:
        unseen.append("audit.rules: not all rules of plug-ins are known")
    if not mistakes:
        settings = settings_from(content)
        mistakes += _in_named_files(settings, content, unseen)
    located = [
        SiteMistake(line_of(text, each.place, toml_of), each.message, each.hint)
        for each in mistakes
    ]
    located.sort(key=lambda each: each.line)
    sections = tuple(key for key in TOP_KEYS if key in content)
    return SiteCheck(path, sections, tuple(located), tuple(unseen))


def _of_syntax(error: Exception) -> SiteMistake:
    """Return the mistake of a text that is no TOML."""
    message = str(error)
    where = _SYNTAX_LINE.search(message)
    line = 0
    if where is not None:
        line = int(where[1])
        message = message[: where.start()]
    return SiteMistake(line, f"this is no TOML: {message}", "nothing behind it was checked")


def _mistakes(
    content: Mapping[str, Any], own: Sequence[AnyRule] | None, *, found: bool
) -> Iterator[Mistake]:
    """Yield the mistakes of the top level, then those of every section."""
    yield from mistakes_in(content, lambda rest: check_keys("", rest, TOP_KEYS))
    if found:
        yield from mistakes_in(content, refuse_places)
    alone = [(key,) for key in TOP_KEYS if not any(key in each for each in _TOGETHER)]
    for keys in (*_TOGETHER, *alone):
        section = {key: content[key] for key in keys if key in content}
        if section:
            yield from mistakes_in(section, _check_of(own))


def _check_of(own: Sequence[AnyRule] | None) -> Check:
    """Return what refuses a mistake in any section."""

    def check(content: Mapping[str, Any]) -> None:
        settings = settings_from(content)
        _check_presets(content)
        if "audit" in content:
            _check_rules(settings, own)

    return check


def _check_presets(content: Mapping[str, Any]) -> None:
    """Refuse names of presets that no command would take."""
    from htcq.capacity.presets import NAMES

    for where, table in _models(content):
        name = table.get("preset")
        if name and name not in NAMES:
            raise InputError(
                f"htcq.toml: {where}.preset is {name!r}", f"choose one of {', '.join(NAMES)}"
            )


def _models(content: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every table that may name a preset."""
    if "capacity" in content:
        yield "capacity", content["capacity"]
    for number, table in content.get("slot_types", {}).items():
        yield f"slot_types.{number}", table
    for name, kind in content.get("nodes", {}).items():
        yield f"nodes.{name}", kind
        for number, table in kind.get("slot_types", {}).items():
            yield f"nodes.{name}.slot_types.{number}", table


def _check_rules(settings: Settings, own: Sequence[AnyRule] | None) -> None:
    """Refuse ids of rules that do not exist, and words that are no severity."""
    from htcq.audit.site import chosen_rules, threshold, verdicts

    verdicts(settings.audit, own)
    if settings.audit.fail_on:
        threshold(settings.audit.fail_on, "htcq.toml: audit.fail_on")
    chosen_rules([], [], settings.audit, own or ())


def _in_named_files(
    settings: Settings, content: Mapping[str, Any], unseen: list[str]
) -> Iterator[Mistake]:
    """Yield what is wrong with the files that the site file names."""
    drift = content.get("drift", {})
    if settings.templates and not Path(settings.templates).is_dir():
        message = f"templates: {settings.templates} is not a directory"
        yield Mistake(("templates",), message, "give a directory that holds condor/")
    if drift.get("quotas"):
        yield from _in_quotas(settings.drift.quotas, unseen)


def _in_quotas(name: str, unseen: list[str]) -> Iterator[Mistake]:
    """Yield what is wrong with a file of elastic quotas."""
    from htcq.audit.elastic import refuse_unsound
    from htcq.operations.elastic_quotas import trees_of

    if not os.access(name, os.R_OK):
        # A machine that does not record has the same site file, and often not the quotas.
        unseen.append(f"drift.quotas: {name} is not here, or this account cannot read it")
        return
    try:
        for quotas in trees_of(name, "").values():
            refuse_unsound(quotas, name)
    except HtcqError as error:
        yield Mistake(("drift", "quotas"), f"drift.quotas: {error}", error.hint)


def places_looked_at() -> str:
    """Return the names of the site files that are looked for, as a text."""
    return " nor ".join(SITE_FILES)
