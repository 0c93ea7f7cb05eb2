"""What a plan of another account may say of mins in slot weight."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.elastic.handover import Handover, refusals
from htcq.elastic.journal import JournalState, PoolSeen
from htcq.elastic.quota_file import elastic_file
from htcq.elastic.quota_plan import plan_id
from htcq.elastic.quota_targets import targets
from htcq.elastic.records import WEIGHT
from htcq.elastic.static import min_targets, static_file
from htcq.quota.elastic.declaration import ElasticGroup
from htcq.quota.elastic.runtime import compute
from htcq.settings.elastic_write import WriteSettings
from tests.elastic.quotas import quotas
from tests.elastic.writing import NOW
from tests.properties.test_guarantee import look

AMOUNTS = ElasticGroup("a", min={WEIGHT: 1500}, max={WEIGHT: 9000})
PARTS_OF_POOL = ElasticGroup(
    "a", parts={"min": {WEIGHT: Fraction(1, 7)}, "max": {WEIGHT: Fraction(1, 2)}}
)


@pytest.mark.parametrize("group", [AMOUNTS, PARTS_OF_POOL])
def test_a_min_that_is_no_whole_slot_weight_is_held_to_whole_ones(group: ElasticGroup) -> None:
    """The pool of 10 has slots and claims of whole weights: so are its quotas."""
    seen = look((group,), 10, {"a": 0}, {"a": 0})
    total = {"cpus": 10, WEIGHT: 10_000}
    declared = quotas(group).of(total)
    made = targets(compute(declared, seen.demand), seen)
    file = elastic_file(made, {each.group: each.quota for each in made})
    static = static_file(min_targets(declared, seen))
    given = Handover(plan_id(NOW, "i", file), "i", 0, "cm", file, static, PoolSeen(10, 1, 10.0), 0)
    found = refusals(given, [group], WriteSettings(), JournalState(), None, NOW)
    assert [each.message for each in found] == []
