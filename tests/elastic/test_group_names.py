"""Groups whose names HTCondor cannot have, or takes for those of other groups, are never written."""

from __future__ import annotations

import pytest

from htcq.audit.elastic import refuse_unsound
from htcq.elastic.group_names import unnamed_parents, unwritable
from htcq.elastic.quota_file import file_of
from htcq.elastic.step_simulation import forecast
from htcq.emit.elastic import quota_text
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticGroup
from tests.elastic.quotas import group, quotas


def test_a_parent_that_the_name_does_not_say_is_refused_with_the_name_to_use() -> None:
    groups = [ElasticGroup("P"), ElasticGroup("a", parent="P"), ElasticGroup("P.b", parent="P")]
    (refusal,) = unnamed_parents(groups)

    assert refusal.message == "group a has the parent P, which its name lacks"
    assert "name it P.a" in refusal.hint


def test_a_group_that_its_name_puts_below_another_is_refused_if_it_is_declared_beside_it() -> None:
    (refusal,) = unnamed_parents([ElasticGroup("P"), ElasticGroup("P.b", parent="")])

    assert refusal.message == "group P.b has no parent, but HTCondor takes it for one of P"
    assert "name it b" in refusal.hint


@pytest.mark.parametrize("name", ["a b", "a,b", ".a", "a.", ".", "ä", "a-b"])
def test_a_group_that_htcondor_cannot_have_is_refused_and_breaks_no_forecast(name: str) -> None:
    (refusal,) = unwritable([ElasticGroup("a"), ElasticGroup(name)])

    assert (refusal.gate, repr(name) in refusal.message) == ("name", True)
    assert "make a group's name" in refusal.hint
    file = file_of({"a": (1.0, True), name: (1.0, True)})
    assert name in forecast(file, 4.0, {"a": 4.0, name: 4.0}, {}).after


@pytest.mark.parametrize("name", ["dynamic_a", "ROUND_ROBIN_RATE", "Max_Allocation_Rounds"])
def test_a_group_whose_quota_would_be_another_knob_is_refused(name: str) -> None:
    (refusal,) = unwritable([ElasticGroup(name)])

    assert f"GROUP_QUOTA_{name} would be" in refusal.hint
    with pytest.raises(InputError, match="cannot be written for HTCondor"):
        quota_text(file_of({name: (1.0, True)}), "i")


def test_the_root_s_name_is_reserved_in_any_case() -> None:
    with pytest.raises(InputError, match="group <NONE> has a reserved name"):
        refuse_unsound(quotas(group("<NONE>", {}, {"cpus": 1})), "q.toml")
