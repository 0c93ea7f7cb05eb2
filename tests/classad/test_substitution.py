"""Parts of an expression replaced; strings, comments and all other text stay as they are."""

from __future__ import annotations

import pytest

from htcq.classad.names import guarded, own_parts, spelling
from htcq.classad.parser import parse
from htcq.classad.substitution import renamed, with_references
from htcq.classad.tree import Reference


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpus + MY.Cpus + Target . CPUS", "Cores + MY.Cores + Target.Cores"),
        ("\"Cpus\" == 'Cpus' // Cpus", '"Cpus" == Cores // Cpus'),
        ("Cpus(1) + x.Cpus + MyCpus", "Cpus(1) + x.Cpus + MyCpus"),
        ("[Cpus = 1; a = Cpus + Memory].a", "[Cpus = 1; a = Cpus + Memory].a"),
        ("(" * 300 + "Cpus" + ")" * 300, "(" * 300 + "Cpus" + ")" * 300),
        ("Cpus &&", "Cpus &&"),
    ],
)
def test_an_attribute_gets_another_name(text: str, expected: str) -> None:
    assert renamed(text, "Cpus", "Cores") == expected


def test_names_are_spelled_as_their_author_did() -> None:
    text = "CPUS + my.MEmory + 'Odd'"
    found = [spelling(text, each) for each in own_parts(parse(text)) if isinstance(each, Reference)]

    assert found == ["CPUS", "MEmory", "odd"]
    assert with_references(text, lambda part: f"<{part.name}>") == "<cpus> + <memory> + <odd>"


def test_names_whose_absence_is_handled() -> None:
    text = (
        "A =?= 1 && 2 isnt MY.B && (C ?: 0) > D && isUndefined(E) && F == 3 "
        "&& evalInEachContext(G =?= 1, H)"
    )

    assert guarded(parse(text)) == {"a", "b", "c", "e"}
