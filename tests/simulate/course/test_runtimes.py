"""What can be said of how long jobs run."""

from __future__ import annotations

from random import Random
from statistics import mean, median

import pytest

from htcq.errors import InputError
from htcq.simulate.course.runtimes import run_time
from tests.audit.sites import job, pool


def drawn(text: str) -> list[float]:
    (one,) = pool(jobs=[job(ExpectedSeconds=77)]).jobs or ()
    lasts, dice = run_time(text), Random(5)
    return [lasts(one, dice) for _ in range(4000)]


def test_distributions_are_those_that_are_named() -> None:
    assert set(drawn("600")) == {600}
    assert mean(drawn("exponential:600")) == pytest.approx(600, rel=0.1)
    assert median(drawn("lognormal:600:1")) == pytest.approx(600, rel=0.1)
    uniform = drawn("uniform:60..120")
    assert 60 <= min(uniform) < 62
    assert 118 < max(uniform) <= 120


@pytest.mark.parametrize(
    "text", ["", "0", "-5", "inf", "soon", "exponential:", "exponential:x", "uniform:5", "lognormal:5", "poisson:3",
             "attribute:a b"],
)  # fmt: skip
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="run time"):
        run_time(text)


def test_an_attribute_that_a_job_lacks_is_an_error() -> None:
    (one,) = pool(jobs=[job()]).jobs or ()
    with pytest.raises(InputError, match=r"job 1\.0 has no number of seconds in Nothing"):
        run_time("attribute:Nothing")(one, Random(1))
