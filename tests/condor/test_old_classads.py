"""Random texts in the ads of a real pool: what ``condor_status`` evaluates is what htcq reads."""

from __future__ import annotations

import math
import re
from random import Random

import pytest
from conftest import NEWEST, Site

from htcq.classads import ERROR, UNDEFINED, Ad, Expr, Value, spelled
from htcq.errors import PolicyError
from tests.classad.drawn_texts import expression

pytestmark = pytest.mark.condor
#: The grammar of 23.9 has the operator ?: in another place.
ONLY_SUITES = [NEWEST]
_COUNT = 200
_OWN_IN_LIST = re.compile(r"\{.*\bMY\b", re.IGNORECASE | re.DOTALL)
_MY = 'A = "x\\"y\\z"\nB = 3\nC = 2.5\n'
_COUNTED = "HtcqNumber"


def drawn(seed: str) -> dict[str, Value]:
    """Return random texts that are expressions, with the values that htcq has for them."""
    draw, found = Random(seed), dict[str, Value]()
    my = Ad({"A": 'x"y\\z', "B": 3, "C": 2.5})
    while len(found) < _COUNT:
        text = expression(draw).replace("\n", " ").strip()
        if "]." in text or _OWN_IN_LIST.search(text):
            # What an ad in an expression lacks is looked up in the ad around it, and MY in a list
            # is that ad, but not where ads share their expressions, as those of condor_status do
            # (classadCache.cpp, 25.14).
            continue
        try:
            parsed = Expr(text)
        except PolicyError:
            continue
        value = parsed.evaluate(my)
        # A list looks like an error to htcq.
        if value is not ERROR or is_error(text, my):
            found[text] = value
    return found


def is_error(text: str, my: Ad) -> bool:
    # A comment may reach to the end of the line, or of the text.
    try:
        return Expr(f"isError({text}\n)").evaluate(my) is True
    except PolicyError:
        return False


def printed(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def equal(value: Value, shown: str) -> bool:
    """Return whether condor_status shows ``value``; reals with 16 digits at most."""
    if value in (UNDEFINED, ERROR):
        return shown == value.value  # type: ignore[union-attr]
    if isinstance(value, float) and not math.isfinite(value):
        return shown == spelled(value)
    if isinstance(value, float):
        return float(shown) == pytest.approx(value, rel=1e-12)
    return shown == printed(value)


def test_a_pool_evaluates_what_htcq_reads(site: Site, pytestconfig: pytest.Config) -> None:
    values = drawn(f"{pytestconfig.option.old_seed}-pool")
    ads = [
        f'MyType = "Generic"\nName = "htcq{number}"\n{_COUNTED} = {number}\n{_MY}R = {text}\n'
        for number, text in enumerate(values)
    ]
    site.pool.run(
        ("condor_advertise", "-multiple", "-tcp", "UPDATE_AD_GENERIC", "-"),
        input="\n".join(ads).encode("utf-8", "surrogateescape"), capture_output=True, check=True,
    )  # fmt: skip
    done = site.pool.run(
        ("condor_status", "-any", "-constraint", f"{_COUNTED} >= 0", "-af", _COUNTED, "R"),
        capture_output=True, check=True,
    )  # fmt: skip
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    shown = {int(line.partition(" ")[0]): line.partition(" ")[2] for line in lines if line}

    assert len(shown) == _COUNT
    for number, (text, value) in enumerate(values.items()):
        assert equal(value, shown[number]), (text, value, shown[number])
