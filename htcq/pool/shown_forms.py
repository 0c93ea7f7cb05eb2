"""Form in which attributes and knobs stay in an anonymous snapshot."""

from __future__ import annotations

from collections.abc import Iterable

from htcq.htcondor.knob_names import split_prefix
from htcq.pool.disclosed_knobs import KNOBS, LIMIT, NUMBERED, asset_in, groups_in
from htcq.pool.disclosure import COMPARED, Form, form_of
from htcq.pool.pseudonyms import folded
from htcq.pool.words import Part, Token

_TYPE, _GROUP = "mytype", "isaccountinggroup"


def pair(line: str) -> tuple[str, str]:
    """Return the name of an attribute and its value, from a line of an ad."""
    name, _, value = line.partition("=")
    return name.strip(), value.strip()


def kind_of(lines: Iterable[str], untyped: str) -> tuple[str, bool]:
    """Return an ad's MyType in lower case, and whether it is the account of a group.

    The type is ``untyped`` where the ad has none.
    """
    ad_type, group = untyped, False
    for line in lines:
        if line[:1] in "mM" and line[:6].lower() == _TYPE:
            ad_type = pair(line)[1].strip('"').lower()
        elif line[:1] in "iI" and line[: len(_GROUP)].lower() == _GROUP:
            group = pair(line)[1].lower() == "true"
    return ad_type, group and ad_type == "accounting"


def shown_form(ad_type: str, group: bool, name: str) -> Form | None:
    """Return the form in which an attribute stays; the name of a group's account is a group."""
    if group and name == "name":
        return Form.GROUP
    return form_of(ad_type, name)


def compared_form(found: list[Token], place: int) -> Form | None:
    """Return the form of the attribute that an expression compares with the text at ``place``."""
    near = []
    if place > 1:
        before = found[place - 1]
        if before.is_comparison or before.text in (",", "="):
            near.append(found[place - 2])
    if place + 2 < len(found):
        after, beside = found[place + 1 : place + 3]
        if after.is_comparison or after.text == ",":
            if folded(beside.text) in ("my", "target") and place + 4 < len(found):
                beside = found[place + 4]
            near.append(beside)
    for each in near:
        form = COMPARED.get(folded(each.text))
        if each.kind is Part.WORD and form is not None:
            return form
    return None


def knob_form(name: str) -> Form | None:
    """Return the form in which a knob stays; None where it need not stay."""
    bare = split_prefix(name)[1]
    form = KNOBS.get(bare.upper())
    if form is not None:
        return form
    if groups_in(name) or asset_in(bare) or NUMBERED.match(name) or LIMIT.match(name):
        return Form.EXPRESSION
    return None
