"""Lines that assign nothing, as configuration files have them; a dump has none (config.cpp, 25.14)."""

from __future__ import annotations

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
