"""The manual page htcq-rules(7): every rule in roff, from the text that ``htcq explain`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from htcq.audit.rule import AnyRule
from htcq.report.fix import settings_text
from htcq.report.views.rules import needed

_KNOB = re.compile(r"\s*[A-Za-z0-9_.]+ *@?=")
_ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
#: Longer words may be broken where something other than a letter stands, else a narrow terminal
#: could not show them.
_LONGEST_WORD = 40
_OPENING = r"""
.\" Written by 'htcq explain --man' from the rules themselves: do not edit.
.TH HTCQ-RULES 7 "" "htcq" "htcq manual"
.\" Names of attributes are not to be hyphenated, nor lines stretched between long ones.
.nh
.ad l
.SH NAME
htcq\-rules \- what htcq audit, htcq quota lint and htcq elastic look for
.SH DESCRIPTION
Every rule of
.BR htcq\-audit (1)
and, last, those that
.BR htcq\-quota (1)
adds for declared groups and
.BR htcq\-elastic (1)
for elastic quotas:
its id, which never changes; how bad a finding is; the consequence; how to fix it;
what the rule needs to look at; and where in HTCondor the fact comes from or how it was measured.
.BR htcq\-explain (1)
prints the same for one rule.
.PP
An
.B error
is an outage or starvation, now or at the next match.
A
.B warning
is a wrong result: somebody gets or is charged what nobody intended.
An
.B info
is worth knowing.
A site may think otherwise of a rule and say so in
.BR htcq.toml (5).
.PP
A rule whose evidence is missing is not checked, and the audit says so.
""".lstrip()
_CLOSING = r"""
.SH EXAMPLES
.EX
$ htcq explain weight\-not\-a\-number
weight\-not\-a\-number (consumption, error)
\&...
.EE
.SH SEE ALSO
.BR htcq (1),
.BR htcq\-audit (1),
.BR htcq\-elastic (1),
.BR htcq\-explain (1),
.BR htcq\-quota (1),
.BR htcq.toml (5)
""".lstrip()


def rules_page(families: Mapping[str, Iterable[AnyRule]]) -> str:
    """Return the page."""
    return _OPENING + "".join(f"{line}\n" for line in _families(families)) + _CLOSING


def _families(families: Mapping[str, Iterable[AnyRule]]) -> Iterator[str]:
    for family, rules in families.items():
        for index, rule in enumerate(rules):
            if not index:
                yield f".SH {family.upper()}"
            yield f".SS {_escaped(rule.id)}"
            yield f".BR {rule.severity.word} :"
            yield from _text(f"{rule.summary}.")
            yield ".PP"
            yield from _text(rule.consequence)
            yield ".PP"
            yield ".I To fix it:"
            yield from _text("\n".join([rule.advice, *settings_text(rule.settings)]))
            yield ".PP"
            yield ".I Needs"
            yield from _text(needed(rule))
            yield ".br"
            yield ".I Source:"
            yield from _text(rule.source)


def _text(text: str) -> Iterator[str]:
    """Yield ``text`` as lines of roff, a sentence each; assignments of knobs are not filled."""
    for line in text.splitlines():
        if _KNOB.match(line):
            yield from (".br", ".RS", ".nf", _line(line.strip()), ".fi", ".RE")
        else:
            yield from (
                _line(_breakable(sentence))
                for sentence in re.split(r"(?<=[.;:]) +(?=[A-Z])", line.strip())
            )


def _breakable(sentence: str) -> str:
    return re.sub(
        rf"\S{{{_LONGEST_WORD},}}",
        lambda word: re.sub(r"(?<=[^\w\s])(?=\w)", "\0", word.group()),
        sentence,
    )


def _line(text: str) -> str:
    escaped = _escaped(text).replace("\0", "\\:")
    if escaped.startswith((".", "'")):
        return f"\\&{escaped}"
    return escaped


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)
