"""Rules that a site adds by plug-ins: the accepted ones, and why others are refused.

An accepted rule is a rule like any other. Its id begins with ``site-``, which no id of htcq's
own ever does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from htcq.audit.evidence import Evidence
from htcq.audit.input import Input
from htcq.audit.rule import Found, Results, Rule, Severity, Unchecked

#: What the ids of a site's own rules begin with.
PREFIX = "site-"
_ID = re.compile(r"site(-[a-z0-9]+)+")
_TEXTS = ("summary", "consequence", "advice", "source")


@dataclass(frozen=True)
class PlugIn:
    """One plug-in: its accepted rules, and why it or some of its rules were refused.

    ``name`` is that of its entry point, ``package`` the name and version of the installed package.
    """

    name: str
    package: str
    rules: tuple[Rule[Evidence], ...] = ()
    refusals: tuple[str, ...] = ()


def accepted(name: str, package: str, offered: object, taken: Mapping[str, str]) -> PlugIn:
    """Return the plug-in with those rules of ``offered`` that can be used.

    ``offered`` is what the entry point names: a rule, or any iterable of rules. ``taken`` has the
    owner of each id that is in use.
    """
    if isinstance(offered, Rule):
        offered = (offered,)
    if not isinstance(offered, Iterable):
        refusal = f"it is a {type(offered).__name__}, not a sequence of rules"
        return PlugIn(name, package, refusals=(refusal,))
    rules: dict[str, Rule[Evidence]] = {}
    refusals: list[str] = []
    for each in offered:
        flaw = _flaw(each, {**taken, **dict.fromkeys(rules, f"the plug-in {name}")})
        if flaw:
            refusals.append(flaw)
        elif isinstance(each, Rule):
            rules[each.id] = replace(each, find=_results_only(each.find))
    return PlugIn(name, package, tuple(rules.values()), tuple(refusals))


def _flaw(offered: object, taken: Mapping[str, str]) -> str:
    """Return why ``offered`` cannot be used as a rule; empty where it can."""
    if not isinstance(offered, Rule):
        return f"a {type(offered).__name__} is not a rule"
    if not isinstance(offered.id, str):
        return "a rule has an id that is no text"
    if offered.id in taken:
        return f"rule {offered.id} is refused: {taken[offered.id]} has a rule of that id"
    if not _ID.fullmatch(offered.id):
        return (
            f"rule {offered.id} is refused: its id must be {PREFIX} and words in lower case, "
            "joined by dashes"
        )
    wrong = next(_wrong_fields(offered), "")
    if wrong:
        return f"rule {offered.id} is refused: {wrong}"
    return ""


def _wrong_fields(rule: Rule[Evidence]) -> Iterator[str]:
    for name in _TEXTS:
        if not isinstance(getattr(rule, name), str):
            yield f"its {name} is no text"
    if not isinstance(rule.severity, Severity):
        yield "its severity is no Severity"
    if not isinstance(rule.needs, tuple) or not all(isinstance(need, Input) for need in rule.needs):
        yield "its needs are no tuple of Input"
    if not callable(rule.find):
        yield "its find is no function"


def _results_only(find: Callable[[Evidence], Results]) -> Callable[[Evidence], Results]:
    """Return ``find`` with a check that it yields only what a rule may yield."""

    def results(evidence: Evidence) -> Results:
        for each in find(evidence):
            if not isinstance(each, (Found, Unchecked)):
                raise TypeError(f"it yielded a {type(each).__name__}, not Found or Unchecked")
            yield each

    return results
