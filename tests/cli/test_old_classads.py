"""Pools whose expressions are what they are to daemons only by the rules of old ClassAds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.sites import collected, job, static_slot, submitter
from tests.cli.conftest import ROOT, Call

GOLDEN = ROOT / "tests/golden/old-classads"


def test_the_time_in_a_scope_is_the_time(call: Call) -> None:
    done = call("simulate", "--snapshot", str(GOLDEN / "my-current-time.tar.gz"), "--json")

    assert [match["job"] for match in json.loads(done.out)["matches"]] == ["1.0"]


def test_a_start_with_a_word_class_refuses_nobody_who_runs(call: Call) -> None:
    done = call("audit", "--snapshot", str(GOLDEN / "start-with-backslash.tar.gz"), "--json")

    assert "start-refuses" not in done.out


@pytest.mark.parametrize(
    ("start", "matches"),
    [
        ('regexp("^te\\w+$", TARGET.Owner)', 1),
        ('regexp("^te\\d+$", TARGET.Owner)', 0),
        ('regexp("^te\\\\w+$", TARGET.Owner)', 0),
        ('TARGET.Owner == "tester" && "a\\"b" == "a\\"b"', 1),
        ('TARGET.Owner == "tester" // of "all" people', 1),
    ],
)
def test_jobs_match_as_the_text_of_a_slot_means(
    call: Call, quiet_place: Path, start: str, matches: int
) -> None:
    place = quiet_place / "pool"
    place.mkdir()
    slot = static_slot("slot1@node1", Requirements="START", Start=start)
    asking = submitter(IdleJobs=1, WeightedIdleJobs=1)
    (place / "collector.ads").write_text(collected((slot, asking)))
    (place / "jobs.ads").write_text(job("1.0", Owner='"tester"'))
    (place / "config.txt").write_text("")

    done = call("simulate", "--snapshot", str(place), "--json")

    assert len(json.loads(done.out)["matches"]) == matches


def test_a_condition_is_shown_as_its_author_wrote_it(call: Call, quiet_place: Path) -> None:
    place = quiet_place / "pool"
    place.mkdir()
    start = 'regexp("^te\\d+$", TARGET.Owner) && TARGET.Owner =!= "a\\"b\\c"'
    slot = static_slot("slot1@node1", Requirements="START", Start=start)
    asking = submitter(IdleJobs=1, WeightedIdleJobs=1)
    (place / "collector.ads").write_text(collected((slot, asking)))
    (place / "jobs.ads").write_text(job("1.0", Owner='"tester"'))
    (place / "config.txt").write_text("")

    done = call("why", "1.0", "--snapshot", str(place))

    assert 'regexp("^te\\d+$", TARGET.Owner)' in done.out


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"gx.x\\\\\\\\\\"y@site"', 'gx.x\\\\\\\\"y@site'),
        ('"gx.dom\\user@site"', "gx.dom\\user@site"),
        ('"gx.Jos\udce9@site"', "gx.Jos\udce9@site"),
        ('strcat("gx.a", formatTime(0,"%n"), "b@site")', "gx.a\nb@site"),
    ],
)
def test_a_submitter_of_any_name_counts(
    call: Call, quiet_place: Path, written: str, name: str
) -> None:
    place = quiet_place / "pool"
    place.mkdir()
    asking = submitter("NAME", IdleJobs=3, WeightedIdleJobs=3).replace('"NAME"', written)
    text = collected((static_slot("slot1@node1"), asking))
    (place / "collector.ads").write_bytes(text.encode("utf-8", "surrogateescape"))
    (place / "config.txt").write_text("GROUP_NAMES = gx\nGROUP_QUOTA_gx = 3\n")

    done = call("quota", "--snapshot", str(place), "--json")
    found = json.loads(done.out)
    (group,) = [each for each in found["groups"] if each["name"] == "gx"]
    shares = [share["name"] for each in found["standings"] for share in each["shares"]]

    assert shares == [name]
    assert group["requested"] == 3
    assert "left out" not in done.err
