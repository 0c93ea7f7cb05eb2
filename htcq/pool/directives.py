"""Lines of a configuration that are commands to HTCondor's parser, and values that could make some.

The parser takes a line to end at a line feed alone, joins lines that end in a backslash, and
passes over white space, a colon or an at sign before a command (src/condor_utils/config.cpp:
getline_implementation, ConfigIfStack::line_is_if, Parse_macros, 25.14). ``include`` can run
programs there, ``use`` and ``include`` read other text, ``error`` and ``if`` decide what of the
rest counts, and ``@=`` swallows lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from htcq.pool.config_lines import SPACE, STATEMENTS, lines_of

_WORD = re.compile(rf"[:@{SPACE}]*([^{SPACE}=:]*)")
#: A value of several lines up to a tag: NAME @=tag.
_HERE = re.compile(r"[^=:@+]*@=")
#: $(NAME) stands for another knob, which is usual; $ENV(NAME), $INT(NAME) and others compute
#: something.
_FUNCTION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\(")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def commands(text: str) -> Iterator[str]:
    """Yield the commands among the lines of ``text``, and the parser's functions that it calls.

    White space is made even, so that two texts can be compared.
    """
    for each in lines_of(text):
        line = each.text
        if each.is_comment:
            continue
        word = _WORD.match(line)
        if (word and word.group(1).lower() in STATEMENTS) or _HERE.match(line):
            yield " ".join(line.split())
        for function in _FUNCTION.findall(line):
            yield f"${function}("


def smuggling(value: object) -> str | None:
    """Return the first text in ``value`` that could end or continue its line.

    ``value`` is searched at any depth; None where there is no such text.
    """
    if isinstance(value, str):
        if _CONTROL.search(value) or value.rstrip().endswith("\\"):
            return value
        return None
    parts: Iterable[object] = ()
    if isinstance(value, Mapping):
        parts = (*value.keys(), *value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = value
    for part in parts:
        found = smuggling(part)
        if found is not None:
            return found
    return None
