"""Usage over several cycles at a terminal."""

from __future__ import annotations

import io

import pytest

from htcq.report.views.usage_text import show_usage, show_usages
from htcq.simulate.course.course import Course, Plan
from tests.simulate.course.test_usage import course, sample

PLAN = Plan(4, 60.0)


def grouped(*usages: float, quota: float = 8) -> Course:
    return course(
        *(sample({"<none>": 0, "a": each}, {"<none>": 0, "a": quota}, {}) for each in usages)
    )


def shown(*courses: Course, encoding: str = "ascii") -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    if len(courses) == 1:
        show_usage(courses[0], PLAN, stream)
    else:
        show_usages(courses[0], courses[1], PLAN, stream)
    stream.seek(0)
    return stream.read().splitlines()


def row(lines: list[str], name: str) -> list[str]:
    (found,) = (line.split() for line in lines if line.startswith(f"{name} "))
    return found


@pytest.mark.parametrize(("encoding", "picture"), [("ascii", "|_=#^|"), ("utf-8", "|▁▅█▲|")])
def test_each_group_has_its_picture_and_its_numbers(encoding: str, picture: str) -> None:
    """Of a quota of 8: nothing, half, all and more; their mean is 6."""
    lines = shown(grouped(0, 4, 8, 12), encoding=encoding)

    assert row(lines, "a") == ["a", picture, "0", "6", "12", "12", "8"]
    assert any(line.startswith("Each character is 1 min: ") for line in lines)


def test_many_cycles_are_no_wider() -> None:
    lines = shown(grouped(*[8.0] * 480))

    assert row(lines, "a")[1] == f"|{'#' * 24}|"
    assert "Each character is 20 min: # the whole quota, ^ more than that." in lines


def test_submitters_have_no_quota() -> None:
    """A quarter of the most are two eighths: the third mark."""
    root = {"<none>": 4.0}
    lines = shown(course(*(sample(root, root, {"ann@site": each}) for each in (1.0, 4.0))))

    assert row(lines, "ann@site") == ["ann@site", "|:#|", "1", "2.5", "4", "4", "-"]


def test_two_courses_stand_side_by_side() -> None:
    lines = shown(grouped(8, 8), grouped(4, 4, quota=16))

    assert row(lines, "a") == ["a", "|##|", "|::|", "8", "4", "8", "16"]


def test_a_group_that_is_in_one_course_only_has_nothing_in_the_other() -> None:
    lines = shown(grouped(8, 8), course(sample({"<none>": 0, "b": 2}, {"<none>": 0, "b": 2}, {})))

    assert row(lines, "a") == ["a", "|##|", "8", "-", "8", "-"]
    assert row(lines, "b")[-4:] == ["-", "2", "-", "2"]


def test_nobody_is_nothing() -> None:
    assert shown(course(sample({"<none>": 0}, {"<none>": 0}, {}))) == []
    assert shown(*[course(sample({"<none>": 0}, {"<none>": 0}, {}))] * 2) == []
