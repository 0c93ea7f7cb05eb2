"""Prometheus' text form: escapes, numbers and metrics without samples."""

from __future__ import annotations

import math

import pytest

from htcq.report.formats.prometheus import gauge, gauges, text_of


def test_a_metric_has_its_meaning_its_type_and_its_samples() -> None:
    samples = [({"group": "bio", "kind": "computed"}, 2.5), ({"group": "chem"}, 1)]

    assert text_of(gauges("htcq_x_weight", "What it is.", samples)) == (
        "# HELP htcq_x_weight What it is.\n"
        "# TYPE htcq_x_weight gauge\n"
        'htcq_x_weight{group="bio",kind="computed"} 2.5\n'
        'htcq_x_weight{group="chem"} 1\n'
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [('a"b', r"a\"b"), ("a\\b", r"a\\b"), ("a\nb", r"a\nb"), ("gruppe ä", "gruppe ä"), ("\udcff", r"\\udcff")],
)
def test_the_text_of_a_label_is_escaped(text: str, written: str) -> None:
    assert list(gauges("htcq_x", "X.", [({"group": text}, 0)]))[2] == f'htcq_x{{group="{written}"}} 0'


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (-0.5, "-0.5"), (1e15, "1000000000000000"), (0.1, "0.1"), (1 / 3, "0.3333333333333333"),
     (math.nan, "NaN"), (math.inf, "+Inf"), (-math.inf, "-Inf")],
)  # fmt: skip
def test_a_number_keeps_all_of_its_digits(value: float, written: str) -> None:
    assert list(gauge("htcq_x", "X.", value))[2] == f"htcq_x {written}"
