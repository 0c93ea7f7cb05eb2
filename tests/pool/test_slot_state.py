"""What a slot's own ad says of its use."""

from __future__ import annotations

import pytest

from htcq.pool.slot_state import is_owned_and_open
from tests.audit.sites import Text, pool, slot


@pytest.mark.parametrize(
    ("start", "is_open"),
    [
        ("true", True),
        ("TARGET.x < 5", True),
        ("TARGET.x =?= 5", True),
        ('Owner =?= "ann"', True),
        # No job has it.
        ("NodeIsHealthy is true", False),
        # IsMine is false without a job, and true for some.
        ("IsMine", True),
        ("KeyboardIdle > 900", False),
        ("KeyboardIdle > 900 && TARGET.x < 5", False),
        ("TARGET.x =?= 5 && KeyboardIdle > 900", False),
        ("TARGET.x =?= 5 && IsIdle", False),
        ("TARGET.x =?= 5 && KeyboardIdle < 900", True),
        ("KeyboardIdle > 900 || TARGET.x =?= 5", True),
        ("TARGET.x =?= 5 && NotThere > 900", True),
    ],
)
def test_start_that_the_slot_alone_makes_false_is_closed_to_every_job(
    start: str, is_open: bool
) -> None:
    own: dict[str, Text] = {
        "State": '"Owner"', "Start": start, "KeyboardIdle": 10, "IsIdle": "KeyboardIdle > 900",
        "IsMine": "TARGET.Owner =?= \"ann\"",
    }  # fmt: skip
    (found,) = pool(slot(**own)).slots or ()
    assert is_owned_and_open(found) is is_open
