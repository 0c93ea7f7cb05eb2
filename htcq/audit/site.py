"""The choice of rules and the verdicts on them, by the command line and the site file."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from htcq.audit.catalog import ELASTIC, rule, rules_of_pools
from htcq.audit.engine import Verdict
from htcq.audit.rule import AnyRule, Severity
from htcq.audit.site_rules import PREFIX
from htcq.errors import InputError
from htcq.settings import AuditSettings, RuleSettings

#: The severity from which on an audit fails: a word for each, and one for none.
NEVER = "never"
_SEVERITIES = {severity.word: severity for severity in sorted(Severity, reverse=True)}
THRESHOLDS = (*_SEVERITIES, NEVER)


def threshold(word: str, where: str) -> Severity | None:
    """Return the severity that ``word`` names; None for ``never``.

    Raises:
        InputError: there is no such severity; ``where`` says who named it.
    """
    if word == NEVER:
        return None
    return _severity(word, where, THRESHOLDS)


def chosen_rules(
    only: Sequence[str], ignored: Sequence[str], site: AuditSettings, own: Sequence[AnyRule] = ()
) -> tuple[AnyRule, ...]:
    """Return the rules to check: those of ``only`` without those of ``ignored``.

    Both have rule ids or shell patterns of them. An empty ``only`` stands for all rules that the
    site has not disabled. ``own`` are the site's rules.

    Raises:
        InputError: no rule has that id or matches that pattern, or none is left.
    """
    disabled = {id_ for id_, each in site.rules.items() if each.disable}
    rules = (*rules_of_pools(), *own)
    wanted = {each.id for each in rules} - disabled
    if only:
        wanted = _named(only, rules)
    wanted -= _named(ignored, rules)
    chosen = tuple(each for each in rules if each.id in wanted)
    if not chosen:
        raise InputError(
            "no rule is left to check", "leave out --ignore, or see 'htcq explain' for the rules"
        )
    return chosen


def verdicts(site: AuditSettings, own: Sequence[AnyRule] | None = None) -> dict[str, Verdict]:
    """Return the site's verdicts on severities and subjects by rule id.

    ``own`` are the site's rules; None where they are not known: then their ids are not checked.

    Raises:
        InputError: a rule or a severity does not exist.
    """
    return {_known_id(id_, own): _verdict(id_, each) for id_, each in site.rules.items()}


def _verdict(id_: str, given: RuleSettings) -> Verdict:
    where = f"htcq.toml: audit.rules.{id_}.severity"
    severity: Severity | None = None
    if given.severity:
        severity = _severity(given.severity, where, tuple(_SEVERITIES))
    return Verdict(severity=severity, only=given.only, ignore=given.ignore)


def _known_id(id_: str, own: Sequence[AnyRule] | None) -> str:
    if own is None and id_.startswith(PREFIX):
        return id_
    try:
        return rule(id_, own or ()).id
    except InputError as error:
        raise InputError(f"htcq.toml: audit.rules.{id_}: {error}", error.hint) from error


def _severity(word: str, where: str, words: Sequence[str]) -> Severity:
    if word not in _SEVERITIES:
        raise InputError(
            f"{where} is '{word}'", f"it must be {', '.join(words[:-1])} or {words[-1]}"
        )
    return _SEVERITIES[word]


def _named(patterns: Sequence[str], rules: Sequence[AnyRule]) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        ids = {each.id for each in rules if fnmatch.fnmatchcase(each.id, pattern)}
        if not ids:
            raise _unmatched(pattern, rules)
        found |= ids
    return found


def _unmatched(pattern: str, rules: Sequence[AnyRule]) -> InputError:
    """Return the error on a pattern or an id of no rule on pools."""
    if any(mark in pattern for mark in "*?["):
        return InputError(f"no rule matches '{pattern}'", "'htcq explain' lists all rules")
    command = "htcq quota lint"
    if rule(pattern, rules).family == ELASTIC:
        command = "htcq elastic compute"
    return InputError(f"no pool can break the rule '{pattern}'", f"'{command}' checks it")
