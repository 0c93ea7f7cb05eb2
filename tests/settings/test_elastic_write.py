"""The table [elastic.write]: every key, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.errors import InputError
from htcq.settings.elastic import quotas_from
from htcq.settings.elastic_write import WRITE_KEYS, WriteSettings, write_settings_from

GIVEN: dict[str, Any] = {
    "directory": "/srv/config.d", "file": "70-x.config", "journal": "/srv/journal", "interval": "2min",
    "plan_age": "90s", "ad_age": "1h", "cycle_age": "1d", "skew": "0s", "min_seen": 0.5, "capacity_drop": 1,
    "offer_step": 0.2, "verify_within": "7min", "max_failures": 0,
    "central_managers": ["cm1.site", "cm2.site"],
}  # fmt: skip
READ = WriteSettings(
    "/srv/config.d", "70-x.config", "/srv/journal", 120, 90, 3600, 86400, 0,
    0.5, 1.0, 0.2, 420, 0, ("cm1.site", "cm2.site"),
)  # fmt: skip


def test_every_key_is_read() -> None:
    assert set(GIVEN) == set(WRITE_KEYS)
    assert write_settings_from(GIVEN, "q.toml") == READ


def test_it_stands_beside_the_quotas_of_each_tree() -> None:
    one = {"elastic": {"scale_min": False, "write": {"ad_age": "1h"}}, "groups": {}}
    file = quotas_from(
        {**one, "trees": {"gpu": {"elastic": {"write": {"ad_age": "2h"}}}, "cpu": {}}}, "q.toml"
    )

    assert {name: settings.ad_age for name, settings in file.writes.items()} == {
        "": 3600,
        "gpu": 7200,
        "cpu": 900,
    }
    assert file.trees[""].options.scale_min is False


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        (
            {"directry": "/x"},
            "q.toml: elastic.write.directry is unknown",
            "did you mean directory?",
        ),
        (
            {"file": ""},
            "q.toml: elastic.write.file is ''",
            "it must be the name of a file or directory, in quotes",
        ),
        (
            {"journal": "a\nb"},
            "q.toml: elastic.write.journal is 'a\\nb'",
            "it must be the name of a file",
        ),
        (
            {"ad_age": 600},
            "q.toml: elastic.write.ad_age is 600, which is not a duration",
            "a whole number and s, min, h, d, w or y, such as 90s, 30min or 14d",
        ),
        (
            {"ad_age": "5m"},
            "q.toml: elastic.write.ad_age is '5m', which is not a duration",
            "a whole number and s, min, h, d, w or y",
        ),
        (
            {"central_managers": ["cm1.site"]},
            "q.toml: elastic.write.central_managers is ['cm1.site']",
            "it must be a list of two machines or more",
        ),
        *(
            (
                {"central_managers": names},
                f"q.toml: elastic.write.central_managers is {names}",
                "it must be a list of two machines or more",
            )
            for names in (["", ""], ["cm1.site", ""], ["cm1.site", " "], ["cm1.site", "CM1.site"])
        ),
        (
            {"offer_step": 1.1},
            "q.toml: elastic.write.offer_step is 1.1",
            "it must be a number from 0 to 1",
        ),
        ({"offer_step": True}, "q.toml: elastic.write.offer_step is True", "it must be a number"),
        (
            {"max_failures": 1.5},
            "q.toml: elastic.write.max_failures is 1.5",
            "it must be a whole number",
        ),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(
    table: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        write_settings_from(table, "q.toml")

    assert str(caught.value) == message
    assert caught.value.hint.startswith(hint)


def test_the_place_in_a_tree_is_told() -> None:
    with pytest.raises(InputError, match=r"trees\.gpu\.elastic\.write\.hld is unknown"):
        quotas_from({"trees": {"gpu": {"elastic": {"write": {"hld": "1h"}}}}}, "q.toml")
