"""Every string that a daemon's ad can hold goes through a capture and a snapshot as it is."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from htcq.live.long_form import LongForm
from htcq.pool.ads import read_collector
from htcq.pool.record import SUBMITTER
from htcq.pool.secrets import scrub
from htcq.pool.shared_attributes import Expressions
from tests.classad.drawn_texts import PIECES

#: Each string of up to four of these.
LETTERS = ("\\", '"', "'", "a", "@", "\t", " ", "$", "\n", "\r", "\udce9")


def _ad(name: str) -> Any:
    import classad2

    ad = classad2.ClassAd()
    ad["MyType"] = "Submitter"
    ad["Name"] = name.encode("utf-8", "surrogateescape")
    ad["IdleJobs"] = 5
    ad["Text"] = classad2.ExprTree('strcat("a\\\\", "\\n\\"") == [ a = {1, "\\\\w"} ].a')
    return ad


def _read(names: list[str]) -> list[str]:
    form = LongForm()
    text = "".join(form.text(_ad(name)) for name in names).encode("utf-8", "surrogateescape")
    read = read_collector(lambda: [text], Expressions())
    found = read.records[SUBMITTER]

    assert not read.damage.sentences()
    assert all(record.number("IdleJobs") == 5 for record in found)
    return [record.text("Name") for record in found]


def test_short_strings_are_read_as_they_were_advertised() -> None:
    names = [
        f"g{''.join(letters)}z" for count in (1, 2, 3) for letters in product(LETTERS, repeat=count)
    ]
    names += [name[:-1] for name in names]

    assert _read(names) == names


def test_random_strings_are_read_as_they_were_advertised(pytestconfig: pytest.Config) -> None:
    draw = Random(f"{pytestconfig.option.old_seed}-captured")
    drawn = ["g" + "".join(draw.choice(PIECES) for _ in range(9)) for _ in range(1000)]
    # A capture takes out what looks like a password in an address.
    names = [name for name in drawn if scrub(name) == name]

    assert len(names) > 900
    assert _read(names) == names
