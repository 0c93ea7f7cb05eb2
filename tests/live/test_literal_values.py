"""A process that is not confined takes plain values of ads: an expression is neither evaluated nor fatal."""

from __future__ import annotations

import math
from typing import Any

import classad2
import pytest

from htcq.live import negotiators, reconfig
from htcq.live.ads import literal_number, literal_text
from htcq.live.reconfig import published_in
from htcq.live.vacating import _claim


def ad(**attributes: Any) -> Any:
    return classad2.ClassAd(attributes)


def expression(text: str) -> Any:
    return classad2.ExprTree(text)


ODD = ad(
    Name=expression('strcat("m", "ine")'),
    Machine=expression("MY.Name"),
    LastHeardFrom=expression("1 + 2"),
    Odd=True,
)


def test_an_expression_is_no_value() -> None:
    assert [literal_text(ODD, name) for name in ("Name", "Machine", "None", "Odd")] == [""] * 4
    assert [literal_number(ODD, name) for name in ("LastHeardFrom", "None", "Odd")] == [None] * 3
    sound = ad(Name="mine", LastHeardFrom=5)
    assert (literal_text(sound, "Name"), literal_number(sound, "LastHeardFrom")) == ("mine", 5.0)


class _Collector:
    """A collector with these ads."""

    ads: tuple[Any, ...] = ()

    def __init__(self, pool: str | None) -> None:
        pass

    def query(self, *_: object, **__: object) -> tuple[Any, ...]:
        return self.ads


class _Bindings:
    """HTCondor's bindings, as far as they are asked."""

    Collector = _Collector
    AdType = type("AdType", (), {"Negotiator": 1, "Startd": 2})
    param: dict[str, str] = {"FULL_HOSTNAME": "cm1.site"}  # noqa: RUF012


def test_one_odd_ad_hides_no_negotiator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiators, "load", lambda: _Bindings)
    monkeypatch.setattr(_Collector, "ads", (ODD, ad(Name="a", Machine="cm1.site", LastHeardFrom=5)))
    assert negotiators._asked(None) == ("cm1.site", [("", "", 0.0), ("a", "cm1.site", 5.0)])


def test_one_odd_slot_hides_not_when_the_others_were_heard_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reconfig, "load", lambda: _Bindings)
    monkeypatch.setattr(_Collector, "ads", (ODD, ad(Name="slot1@node1", LastHeardFrom=5)))
    ages = reconfig._slot_ages(None)
    assert ages is not None
    assert ages.heard == {"slot1@node1": 5.0}


def test_an_odd_group_is_not_published() -> None:
    group = {"SurplusPolicy": "no", "LastHeardFrom": 9, "DaemonLastReconfigTime": 7}
    told = published_in([ODD, ad(Name="physics", ConfigQuota=expression("1/0"), **group)])
    assert (told.heard, told.reconfigured, list(told.groups)) == (9.0, 7.0, ["physics"])
    assert math.isnan(told.groups["physics"][0])


def test_a_claim_that_is_spelled_as_an_expression_is_nobodys() -> None:
    """It is that of no plan, and its job stays."""
    odd = ad(JobId=expression('strcat("1", ".0")'), AccountingGroup=expression('"a" + "b"'))
    assert (_claim(odd, 10.0).submitter, _claim(odd, 10.0).job) == ("", ("", ""))
