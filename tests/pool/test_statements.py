"""Lines that assign nothing, as configuration files have them; a dump has none (config.cpp, 25.14)."""

from __future__ import annotations

import pytest

from htcq.live.configuration import read_dump
from htcq.pool.configuration import Configuration, configuration_from

TEXT = """# a comment
A = 1
include command : /bin/echo A = 2
if defined A
  use ROLE : Execute
endif
include : /etc/one \\
  /etc/two
B @=end
include : /etc/not/a/statement
@end
"""


def read(text: str) -> Configuration:
    return configuration_from("test", text, read_dump)


def test_statements_are_kept_with_their_lines() -> None:
    assert [(each.line, each.text) for each in read(TEXT).statements] == [
        (3, "include command : /bin/echo A = 2"),
        (4, "if defined A"),
        (5, "use ROLE : Execute"),
        (6, "endif"),
        (7, "include : /etc/one /etc/two"),
    ]


def test_a_statement_is_no_knob_and_nothing_is_run_or_read() -> None:
    found = read(TEXT)
    assert [knob.name for knob in found] == ["A", "B"]
    assert found.value("A") == "1"
    assert found.value("B") == "include : /etc/not/a/statement"


@pytest.mark.parametrize(
    ("condition", "is_refused"),
    [
        ("version > 8", True),
        ("version >= 5.9", True),
        ("version < x.y", True),
        ("version !>= 25.12.0", True),
        ("version>=25.0", True),
        ("version => 25.0", True),
        ("version > 8.9", False),
        ("version != 25.12.0", False),
        ("! version == v10.0", False),
        ("version > $(SINCE)", False),
    ],
)
def test_a_version_has_two_numbers_and_is_6_0_or_newer(condition: str, is_refused: bool) -> None:
    """condor_config_val of 25.14.1 ends at those that are refused."""
    (flaw, *_) = (each.flaw for each in read(f"if {condition}\nA = 1\nendif\n").statements)
    assert bool(flaw) is is_refused
