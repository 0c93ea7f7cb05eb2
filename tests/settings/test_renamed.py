"""A key that was renamed is refused under its old name, and the hint has the new one."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.errors import InputError
from htcq.settings.elastic import quotas_from
from htcq.settings.elastic_write import WRITE_KEYS
from htcq.settings.reclaim import RECLAIM_KEYS
from htcq.settings.tables import RENAMED, check_keys

KEYS = {"write": WRITE_KEYS, "reclaim": RECLAIM_KEYS}


def table_with(key: str) -> str:
    """Return the one table of ``[elastic]`` that has ``key``."""
    (name,) = (name for name, keys in KEYS.items() if key in keys)
    return name


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_the_hint_has_the_new_name(old: str, new: str) -> None:
    name = table_with(new)
    content: dict[str, Any] = {"elastic": {name: {old: 1}}}

    with pytest.raises(InputError) as caught:
        quotas_from(content, "q.toml")

    assert str(caught.value) == f"q.toml: elastic.{name}.{old} is unknown"
    assert caught.value.hint == f"its name is now {new}"


def test_an_old_name_is_no_name_of_today() -> None:
    assert not set(RENAMED) & {*WRITE_KEYS, *RECLAIM_KEYS}


def test_a_table_without_the_new_key_has_the_near_one_as_its_hint() -> None:
    with pytest.raises(InputError) as caught:
        check_keys("elastic.reclaim.", {"hold": "1h"}, RECLAIM_KEYS, "q.toml")

    assert "hold_time" not in caught.value.hint
