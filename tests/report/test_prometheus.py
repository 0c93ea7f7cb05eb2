"""Prometheus' text form: escapes, numbers and metrics without samples."""

from __future__ import annotations

import math

import pytest

from htcq.report.formats.prometheus import metrics_text
from htcq.report.metric import Metric, Sample


def lines(name: str, about: str, found: float | list[Sample] | None) -> list[str]:
    metric: Metric[None] = Metric(name, about, lambda _: found)
    return metrics_text([metric], None).splitlines()


def test_a_metric_has_its_meaning_its_type_and_its_samples() -> None:
    samples = [({"group": "bio", "kind": "computed"}, 2.5), ({"group": "chem"}, 1)]

    assert lines("htcq_x_weight", "What it is.", samples) == [
        "# HELP htcq_x_weight What it is.",
        "# TYPE htcq_x_weight gauge",
        'htcq_x_weight{group="bio",kind="computed"} 2.5',
        'htcq_x_weight{group="chem"} 1',
    ]


def test_a_metric_without_samples_is_known_and_one_without_a_value_is_left_out() -> None:
    assert len(lines("htcq_x", "X.", [])) == 2
    assert lines("htcq_x", "X.", None) == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('a"b', r"a\"b"),
        ("a\\b", r"a\\b"),
        ("a\nb", r"a\nb"),
        ("gruppe ä", "gruppe ä"),
        ("\udcff", r"\\udcff"),
    ],
)
def test_the_text_of_a_label_is_escaped(text: str, written: str) -> None:
    assert lines("htcq_x", "X.", [({"group": text}, 0)])[2] == f'htcq_x{{group="{written}"}} 0'


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (-0.5, "-0.5"), (1e15, "1000000000000000"), (0.1, "0.1"), (1 / 3, "0.3333333333333333"),
     (math.nan, "NaN"), (math.inf, "+Inf"), (-math.inf, "-Inf")],
)  # fmt: skip
def test_a_number_keeps_all_of_its_digits(value: float, written: str) -> None:
    assert lines("htcq_x", "X.", value)[2] == f"htcq_x {written}"
