"""Usage over several cycles, and what makes the difference between two courses."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.simulate.course.course import Course, Sample
from htcq.simulate.course.difference import compare_courses, sentences
from htcq.simulate.course.usage import Use, uses
from htcq.simulate.cycle.outcome import Pair


def sample(
    groups: Mapping[str, float], quotas: Mapping[str, float], submitters: Mapping[str, float]
) -> Sample:
    return Sample(0.0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, groups, quotas, submitters)


def course(
    *samples: Sample,
    cpus: float = 8,
    waited: Mapping[str, int] | None = None,
    waiting: Mapping[str, int] | None = None,
) -> Course:
    times = {name: (0.0,) * count for name, count in (waited or {}).items()}
    return Course(samples, cpus, times, waiting or {}, None)


def grouped(usage: float, quota: float = 4, **others: float) -> Sample:
    return sample(
        {"<none>": 0, "a": usage}, {"<none>": 0, "a": quota}, {"a.ann@site": usage, **others}
    )


def test_each_group_has_its_usage_and_its_quotas() -> None:
    found = list(uses(course(grouped(1, 4), grouped(3, 5))))

    assert found == [Use("group", "<none>", (0, 0), (0, 0)), Use("group", "a", (1, 3), (4, 5))]
    assert (found[1].mean, found[1].quota) == (2, 5)


def test_without_groups_submitters_are_told_of_and_have_no_quota() -> None:
    root = {"<none>": 3.0}
    (found,) = uses(course(sample(root, root, {}), sample(root, root, {"ann@site": 3})))

    assert found == Use("submitter", "ann@site", (0, 3), None)
    assert found.quota is None


def test_the_same_course_is_no_different() -> None:
    assert compare_courses(course(grouped(1)), course(grouped(1))) == ()


def test_a_quota_that_changes_is_the_reason() -> None:
    found = compare_courses(course(grouped(1)), course(grouped(3, 6)))

    assert [(each.kind, each.name, each.used) for each in found] == [
        ("group", "a", Pair(1, 3)),
        ("submitter", "a.ann@site", Pair(1, 3)),
    ]
    assert found[0].because == "the quota of a goes from 4 to 6"
    assert found[1].because == "gains, and nobody loses"


def test_who_asks_for_more_has_that_as_the_reason() -> None:
    one = course(grouped(3), waited={"a.ann@site": 2}, waiting={"a.ann@site": 1})
    other = course(grouped(3), waited={"a.ann@site": 4}, waiting={"a.ann@site": 9})

    assert list(sentences(one, other)) == [
        "group a: it asks for 10 more",
        "submitter a.ann@site: it asks for 10 more",
    ]
    assert next(sentences(other, one)) == "group a: it asks for 10 fewer"


def test_jobs_are_those_of_the_longest_group_that_their_submitter_is_named_after() -> None:
    def of(jobs: int) -> Course:
        groups = {"<none>": 0.0, "a": 0.0, "a.b": 0.0}
        return course(sample(groups, groups, {}), waiting={"A.B.bob@site": jobs})

    assert [(each.name, each.asked) for each in compare_courses(of(1), of(3))] == [
        ("a.b", Pair(1, 3)),
        ("A.B.bob@site", Pair(1, 3)),
    ]


def test_other_machines_are_a_reason() -> None:
    one, other = course(grouped(3), cpus=8), course(grouped(4), cpus=12)

    assert next(sentences(one, other)) == "group a: the pool has 4 cores more"
    assert next(sentences(other, one)) == "group a: the pool has 4 cores fewer"
