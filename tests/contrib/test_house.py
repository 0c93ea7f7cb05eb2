"""contrib/house: measures of a small checkout, counted by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2] / "contrib" / "house"
#: Three functions with 11 lines of code, without docstring and comment: an if, an ``and``, a
#: conditional expression, a loop, and a comprehension with a condition, which counts twice: 6
#: branches.
ONE = '''
class Group:
    name: str
    quota: int


def first(given, other):
    """Say nothing."""
    # A comment.
    if given and other:
        return 1
    return 2 if given else 3


def second(given):
    found = []
    for each in given:
        found.append(each)
    return found


def third(given):
    return [each for each in given if each]
'''
TWO = "class Group:\n    pass\n"


def house(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HOUSE), str(checkout)], capture_output=True, text=True, check=False
    )


def test_a_small_checkout_has_the_measures_that_are_counted_by_hand(tmp_path: Path) -> None:
    package = tmp_path / "htcq"
    package.mkdir()
    for name, text in (("__init__", ""), ("one", ONE), ("two", TWO)):
        (package / f"{name}.py").write_text(text)

    done = house(tmp_path)
    found = {line[:42].strip(): line[42:].strip() for line in done.stdout.splitlines()}

    assert done.returncode == 0, done.stderr
    assert (found["modules"], found["lines"]) == ("3", str(len((ONE + TWO).splitlines())))
    assert found["classes of one name"] == "1 names for 2"
    assert found["record types of a group"] == "1"
    assert found["branches per 100 lines of functions"] == f"{100 * 6 / 11:.1f}"
    assert found["conditional expressions per 100 functions"] == "33"
    assert found["comprehensions per 100 functions"] == "33"
    assert found["modules that elastic status loads"].startswith("unknown: ")


def test_this_checkout_can_be_measured_and_another_directory_is_refused(tmp_path: Path) -> None:
    found = house(HOUSE.parents[1]).stdout
    assert int(found.partition("elastic status loads")[2].split()[0]) > 50

    done = house(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no sources of htcq" in done.stderr
