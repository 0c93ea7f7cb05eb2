"""Keys of an older version in a file of quotas: read with a warning, by their names of today."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.errors import InputError
from htcq.settings.elastic import quotas_from
from htcq.settings.elastic_write import WRITE_KEYS, WriteSettings
from htcq.settings.former_keys import REMOVED, RENAMED
from htcq.settings.reclaim import RECLAIM_KEYS
from htcq.settings.tables import check_keys

KEYS = {"write": WRITE_KEYS, "reclaim": RECLAIM_KEYS}
VALUES = {"max_failures": 5, "min_seen": 0.5, "max_gap": "20min", "settle_time": "5min"}
MEANT = {"max_failures": 5, "min_seen": 0.5, "max_gap": 1200, "settle_time": 300}
PAIRS = [(table, old, new) for table, keys in RENAMED.items() for old, new in keys.items()]


@pytest.mark.parametrize(("table", "old", "new"), PAIRS)
def test_a_former_name_is_read_with_a_warning(table: str, old: str, new: str) -> None:
    content: dict[str, Any] = {"elastic": {table: {old: VALUES[new]}}}

    file = quotas_from(content, "q.toml")

    read = (file.writes if table == "write" else file.reclaims)[""]
    assert getattr(read, new) == MEANT[new]
    assert file.warnings == (
        f"q.toml: elastic.{table}.{old} is called {new} now: rename it; the next version refuses it",
    )


@pytest.mark.parametrize("key", sorted(REMOVED["write"]))
def test_a_key_that_went_has_no_effect_and_is_named(key: str) -> None:
    write = {"elastic": {"write": {key: "1h", "max_failures": 5}}}

    file = quotas_from({"trees": {"gpu": write}}, "q.toml")

    assert file.writes["gpu"] == WriteSettings(max_failures=5)
    assert file.warnings == (
        f"q.toml: trees.gpu.elastic.write.{key} has no effect any more: delete it; the next "
        "version refuses it",
    )


def test_a_key_by_both_its_names_is_refused() -> None:
    with pytest.raises(InputError, match=r"elastic\.reclaim\.gap is the former name of max_gap"):
        quotas_from({"elastic": {"reclaim": {"gap": "1h", "max_gap": "1h"}}}, "q.toml")


def test_a_former_name_is_none_elsewhere() -> None:
    for content in ({"elastic": {"gap": "1h"}}, {"elastic": {"write": {"gap": "1h"}}}):
        with pytest.raises(InputError, match="gap is unknown"):
            quotas_from(content, "q.toml")


def test_a_former_name_is_no_name_of_today() -> None:
    for table, keys in KEYS.items():
        assert not {*RENAMED[table], *REMOVED.get(table, ())} & set(keys)
        assert set(RENAMED[table].values()) <= set(keys)


def test_a_table_without_the_new_key_has_the_near_one_as_its_hint() -> None:
    with pytest.raises(InputError) as caught:
        check_keys("elastic.reclaim.", {"hold": "1h"}, RECLAIM_KEYS, "q.toml")

    assert "hold_time" not in caught.value.hint
