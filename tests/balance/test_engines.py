"""Balances are counted with columns over all slots: without numpy they are the same."""

from __future__ import annotations

from unittest import mock

import pytest

from htcq import columns
from tests.balance.pools import balanced, recorded

SOME = dict(list(recorded())[::12])


@pytest.mark.parametrize("name", SOME)
def test_a_balance_is_the_same_without_numpy(name: str) -> None:
    pool = SOME[name]
    together = balanced(pool)
    with mock.patch.object(columns, "available", return_value=False):
        assert balanced(pool) == together
