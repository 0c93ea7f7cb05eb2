"""Commands in a configuration text, and values that could make some: what HTCondor's own parser obeys is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.configuration import read_configuration
from htcq.pool.directives import commands, smuggling

#: RUN stands for a command that leaves a file behind.
OBEYED = (
    "include : RUN |",
    "INCLUDE : RUN |",
    " \tinclude:RUN |",
    "include command : RUN",
    "include ifexist command : RUN",
    "@include : RUN |",
    "\finclude : RUN |",
    "\v\rinclude\f: RUN |",
    "inc\\\nlude : RUN |",
    "inc \\\n  # a comment ends in \\\nlude : RUN |".replace("inc ", "inc"),
    "if true\n:include : RUN |\nendif",
    "# a comment is not continued \\\ninclude : RUN |",
    "X = 1 \\\n# nor goes a line on after it\ninclude : RUN |",
    "X @=end\ntext\n@end\ninclude : RUN |",
)


@pytest.mark.parametrize("form", OBEYED)
def test_every_command_that_htcondors_parser_obeys_is_seen(form: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = form.replace("RUN", f"/usr/bin/touch {mark}")
    read_configuration(f"{text}\n", ())

    assert mark.exists()
    assert any("touch" in each for each in commands(text))


@pytest.mark.parametrize(
    "line",
    ["use ROLE: Execute", "@USE feature : GPUs", "error : no", "warning : well", "if defined X", "elif true", "else",
     "endif", "X @=end", "X  @=end"],
)  # fmt: skip
def test_other_commands_are_seen_whatever_stands_before_them(line: str) -> None:
    assert next(commands(f"A = 1\n \f{line}\n")).split() == line.split()


def test_functions_are_seen_by_name_and_other_knobs_are_none() -> None:
    assert list(commands("X = $(A) $(B:3) $ENV(HOME) $INT(A)\n# $ENV(X)\n")) == ["$ENV(", "$INT("]


def test_the_parser_itself_refuses_a_text_by_error() -> None:
    with pytest.raises(InputError, match="no"):
        read_configuration("error : no\n", ())


@pytest.mark.parametrize(
    "line", ["X = include : y", "USED = 1", "#include : x |", "INCLUDES = use x", "ERRORS = 1", ""]
)
def test_assignments_and_comments_are_no_commands(line: str) -> None:
    assert list(commands(f"{line}\n")) == []


@pytest.mark.parametrize(
    "value", ["a\nb", {"x": ["y", ("z", "a\rb")]}, {"a\nb": 1}, "a\0b", "a\\", "a\\ ", "a\x0cb"]
)
def test_a_value_that_leaves_its_line_is_found_at_any_depth(value: object) -> None:
    assert smuggling(value) is not None


@pytest.mark.parametrize("value", ["a", 3, None, ["a\tb", "é", "a\\b"], {"x": {"y": "z"}}])
def test_a_value_of_one_line_is_none(value: object) -> None:
    assert smuggling(value) is None
