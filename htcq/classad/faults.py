"""Where a text stops being an expression of ClassAds.

Follows src/classad/source.cpp and lexer.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from htcq.classad.parser import parse
from htcq.classad.tokens import BROKEN, SYMBOL, tokens
from htcq.classad.tree import Foreign

_PAIRS = {")": "(", "]": "[", "}": "{"}


def fault_of(text: str) -> int | None:
    """Return where ``text`` stops being an expression of old ClassAds, as configuration is read.

    None where it is one, or is too long or too deep to know, and its brackets match. Otherwise it
    is the index of the bracket or quote without a counterpart, else that of the first part that
    fits nowhere.
    """
    tree = parse(text)
    if not isinstance(tree, Foreign):
        return None
    unpaired = _unpaired(text)
    if unpaired is not None:
        return unpaired
    if tree.broken_at < 0:
        return None
    return min(tree.broken_at, max(0, len(text.rstrip()) - 1))


def _unpaired(text: str) -> int | None:
    """Return the place of the first bracket or quote in ``text`` without a counterpart."""
    opened: list[tuple[str, int]] = []
    for token in tokens(text):
        if token.kind == BROKEN and text.startswith('"', token.start):
            return token.start
        if token.kind != SYMBOL:
            continue
        if token.text in _PAIRS.values():
            opened.append((token.text, token.start))
        elif token.text in _PAIRS and (not opened or opened.pop()[0] != _PAIRS[token.text]):
            return token.start
    if opened:
        return opened[-1][1]
    return None
