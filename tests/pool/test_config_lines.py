"""Lines of configuration are read as HTCondor's own parser reads them, which is the truth in every test here."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from htcq.errors import InputError
from htcq.live.configuration import read_configuration, read_dump
from htcq.pool.config_lines import lines_of
from htcq.pool.config_statements import said_by
from htcq.pool.configuration import configuration_of_files

NAMES = ["A", "B", "C"]


def refused_by_htcondor(text: str) -> bool:
    try:
        read_configuration(text, NAMES)
    except InputError:
        return True
    return False


def flaws(text: str) -> list[str]:
    return [
        f"{each.line}:{each.column} {each.flaw}" for each in said_by(text).statements if each.flaw
    ]


#: Texts, each with the flaw that is told: line and column.
REFUSED = {
    "A = 1\n  garbage line\n": "2:10",
    "garbage\n": "1:8",
    "A\n= 1\n": "1:2",
    "= 3\n": "1:1",
    "A-B = 1\n": "1:1",
    "A+=2\n": "1:1",
    "A@=end\nx\n@end\n": "1:1",
    "A @ = 3\n": "1:2",
    "A +x = 3\n": "1:2",
    "A @=end\nx\n": "1:1",
    "[x y]\n": "1:3",
    "use ROLE Execute\n": "1:4",
    "error : no more\n": "1:1",
    "endif\n": "1:1",
    "else\n": "1:1",
    "if true\nA = 1\n": "1:1",
    "if nonsense here\nendif\n": "1:1",
    "B = 2\nif $(B) == 2\nendif\n": "2:1",
    "if $(B)x > 2\nendif\n": "1:1",
}
TAKEN = [
    "A : 1\n", "A B = 1\n", "[section]\nA = 1\n", "A = 1 \\\n 2\n", "A = 1 \\  \n 2\n", "A = 1 \\\n# a comment\nB = 2\n",
    "A = 1 \\\n# a comment \\\n 2\nB = 2\n", "# c \\\nA = 1\n", "A += 1\nA += 2\nB +,= 3\nB +,= 4\nC +&&= x\nC +&&= y\n",
    "A @=end\n one\n# no\n\n two \\\n more\n@end\nB = 1\n", "if true\n:A = 1\nelse\nA = 2\nendif\n",
    "if false\nA = 1\nelif 1\nA = 2\nelse\nA = 3\nendif\n", "if ! 0\nA = 1\nendif\n", ":if true\nA = 1\n:endif\n",
    "if false\nA @=end\nB = 2\n@end\nif nonsense here\nendif\nendif\nC = 1\n",     "include = 3\nA = 1\n", "warning : A = 1\nB = 2\n", "if version >= 8.1.2\nendif\nA = 1\n",
    "if defined A\nendif\nif $(A)\nendif\nif ! defined A\nendif\nA = 1\n", "A = 1 \\\n\\\n\\\n2\n", "A = 1 \\\\\n\nB = 2\n", "\\\nA = 1\n",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_a_line_that_htcondor_refuses_is_told_with_line_and_column(text: str) -> None:
    assert refused_by_htcondor(text)
    flaw, *_ = flaws(text)
    assert flaw.partition(" ")[0] == REFUSED[text]


@pytest.mark.parametrize("text", TAKEN)
def test_what_htcondor_takes_has_the_values_that_htcondor_gives_it(text: str) -> None:
    assert flaws(text) == []
    found = configuration_of_files("test", {"file": text}, read_dump)
    truth = read_configuration(text, NAMES)
    assert {knob.name: knob.value for knob in found if knob.name in NAMES} == truth


PIECES = st.sampled_from(
    ["A", "B", "C", " ", "  ", "=", ":", "@=", "+=", "+,=", "+&&=", "@", "+", "x", "1", "\\", "\\\n", "\n", "#", "[", "]",
     "if ", "true", "false", "else", "endif", "elif ", "@x", ",", "-", "!", "\t", "\r"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_random_lines_are_refused_where_htcondor_refuses_them(text: str) -> None:
    whole = f"{text}\n\n"
    told = flaws(whole)

    assert bool(told) is refused_by_htcondor(whole), told


def test_a_line_of_very_many_lines_is_joined_once() -> None:
    begun = time.process_time()
    (line,) = [each for each in lines_of("A = 1 \\\n" * 400_000) if each.text]

    assert len(line.text) == len("A = 1 ") * 400_000
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\\\n\\\nb", ["ab"]),
        ("\\\na", ["a"]),
        ("a\\\\\n\nb", ["ab"]),
        ("a\\\n#c\\\nb\nd", ["ab", "d"]),
        ("a\\", ["a"]),
    ],
)
def test_what_a_line_is_made_of(text: str, expected: list[str]) -> None:
    assert [each.text for each in lines_of(text)] == expected


def test_a_byte_order_mark_is_named() -> None:
    text = "\ufeffA = 1\n"

    assert refused_by_htcondor(text)
    assert flaws(text) == ["1:1 an invisible byte order mark stands before the line"]
