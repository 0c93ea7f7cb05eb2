"""The table of knobs against what HTCondor's sources read, and what htcq captures against what it reads.

What HTCondor reads was listed by ``contrib/knobs``; ``tests/golden/knobs`` says from which
sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from htcq.htcondor.hold_codes import hold_code
from htcq.htcondor.knob_types import Type, all_types
from htcq.htcondor.matching import (
    Following,
    attributes_of,
    captured_names,
    is_in_table,
    knobs_of,
    pattern_of,
    unfollowed_attributes,
)
from htcq.live import projections
from htcq.live.configuration import read_dump
from htcq.live.remote_config import is_wanted
from htcq.pool.slot import SLOT
from tests.pool.knobs_in_code import texts_of_code, words_of_code

ROOT = Path(__file__).resolve().parents[2]
_GOLDEN = ROOT / "tests" / "golden" / "knobs"
READ: dict[str, Any] = json.loads((_GOLDEN / "read.json").read_text())["daemons"]
_REASONED: dict[str, Any] = json.loads((_GOLDEN / "no_effect.json").read_text())
NO_EFFECT: dict[str, dict[str, list[str]]] = _REASONED["daemons"]
COMPUTED: dict[str, dict[str, dict[str, str]]] = _REASONED["computed"]
DAEMONS = tuple(READ)
_KNOB = re.compile(r"[A-Z<][A-Za-z0-9_<>]*_[A-Za-z0-9_<>]+")


def _of_table(daemon: str, names: set[str]) -> set[str]:
    patterns = [pattern_of(knob.name) for knob in knobs_of(daemon)]
    return {name for name in names if any(re.fullmatch(each, name) for each in patterns)}


# HTCondor's sources
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("daemon", DAEMONS)
def test_every_knob_that_a_daemon_reads_has_an_effect_or_a_reason_why_it_has_none(
    daemon: str,
) -> None:
    read = set(READ[daemon]["knobs"])
    in_table = _of_table(daemon, read)
    without = [name for names in NO_EFFECT[daemon].values() for name in names]

    assert sorted(read - in_table - set(without)) == []
    assert sorted(in_table & set(without)) == []
    assert sorted(set(without) - read) == []
    assert len(without) == len(set(without))
    assert all(reason.strip() for reason in NO_EFFECT[daemon])


@pytest.mark.parametrize("daemon", DAEMONS)
def test_every_name_that_a_daemon_puts_together_is_known(daemon: str) -> None:
    computed = {file: set(calls) for file, calls in READ[daemon]["computed"].items()}

    assert {file: set(calls) for file, calls in COMPUTED[daemon].items()} == computed
    for calls in COMPUTED[daemon].values():
        for what in calls.values():
            assert what
            assert [name for name in _KNOB.findall(what) if not is_in_table(name)] == []


def test_a_knob_that_is_nowhere_is_found_missing() -> None:
    """The comparison above fails for a knob that a new version reads."""
    assert _of_table("negotiator", {"NEGOTIATOR_OF_TOMORROW", "GROUP_QUOTA_A.B"}) == {
        "GROUP_QUOTA_A.B"
    }


@pytest.mark.parametrize("daemon", DAEMONS)
def test_a_knob_is_there_since_the_version_that_first_reads_it(daemon: str) -> None:
    since = {name: knob.get("since", "") for name, knob in READ[daemon]["knobs"].items()}
    # It was read by another source of the startd before.
    since["RESERVED_MEMORY"] = ""
    for knob in knobs_of(daemon):
        if knob.name in since:
            assert ".".join(map(str, knob.since)) == since[knob.name], knob.name


@pytest.mark.parametrize("daemon", DAEMONS)
def test_an_effect_is_one_sentence_and_a_knob_stands_once(daemon: str) -> None:
    names = [knob.name for knob in knobs_of(daemon)]

    assert len(names) == len(set(names))
    for knob in knobs_of(daemon):
        assert re.fullmatch(r"[A-Z][^.]*(\.[a-z0-9][^.]*)*\.", knob.effect), knob.name
        assert not knob.like or is_in_table(knob.like)


def test_every_attribute_that_a_match_depends_on_has_an_effect_or_a_reason_why_it_has_none() -> (
    None
):
    looked_up = {name for daemon in READ.values() for name in daemon["attributes"]}
    known = {each.name for ads in ("slot", "job", "submitter") for each in attributes_of(ads)}
    without = [name for names in _REASONED["attributes"].values() for name in names]

    assert sorted(looked_up - known - set(without)) == []
    assert sorted(known & set(without)) == []
    # Resource.cpp puts these into the ad, and no source of a match looks them up. Those of jobs that
    # decide when they run are of other sources.
    of_jobs = {each.name for each in attributes_of("job")}
    assert known - looked_up - of_jobs == {"Draining", "OCU"}
    assert len(without) == len(set(without))


def test_attributes_that_are_not_followed_are_captured_and_read() -> None:
    names = {each.name for each in unfollowed_attributes("slot", courses=False)}

    assert names
    assert names <= set(projections.SLOT)
    assert {name.lower() for name in names} <= SLOT.shared


@pytest.mark.parametrize(
    ("item", "daemon", "following"),
    [
        ("negotiator", "negotiator", Following.NOT),
        ("access points", "schedd", Following.NOT),
        ("execution points", "startd", Following.NOT),
        ("access points, with --cycles", "schedd", Following.NOT_IN_COURSES),
        ("execution points, with --cycles", "startd", Following.NOT_IN_COURSES),
    ],
)
def test_the_manual_lists_what_is_not_followed(
    item: str, daemon: str, following: Following
) -> None:
    page = (ROOT / "docs/manual/htcq-simulate.1.md").read_text()
    section = page.partition("## KNOBS THAT ARE NOT MODELLED")[2].partition("\n## ")[0]
    listed = section.partition(f"- `{item}`\n")[2].partition("\n- ")[0].partition(".\n")[0]
    expected = [knob.name for knob in knobs_of(daemon) if knob.following is following]

    assert listed.replace(",", " ").split() == expected


# htcq's own code
# --------------------------------------------------------------------------------------------------


def _read_by_htcq() -> Iterator[str]:
    """Yield the knobs, and beginnings of knobs, that the code names."""
    known = {name.upper() for name in read_dump("A = 1\n", ["A"])[1]}
    known.update(name for daemon in READ.values() for name in daemon["knobs"])
    known.update(name.upper() for name in captured_names())
    # Also words of other meanings: roles, subsystems, constants of the site file.
    known -= {
        "SCHEDD",
        "STARTD",
        "NEGOTIATOR",
        "COLLECTOR",
        "EXECUTE",
        "HAD",
        "HOUR",
        "RUN",
        "DEFRAG",
        "ROOSTER",
    }
    for word in words_of_code():
        if word in known or (word.endswith("_") and any(name.startswith(word) for name in known)):
            yield word


def test_every_knob_that_htcq_reads_is_captured() -> None:
    # What loads code or reads files is never captured, and so is never read. Of SEC_* only levels
    # and methods are.
    never = {"CLASSAD_USER_", "SEC_"}
    found = {
        word if not word.endswith("_") else f"{word}X" for word in set(_read_by_htcq()) - never
    }

    assert len(found) > 100
    assert sorted(word for word in found if not is_wanted(word)) == []


def test_no_knob_is_captured_for_htcq_alone_that_it_does_not_read() -> None:
    # The table of hold codes names the knobs that lead to a code.
    holds = {hold_code(number).knob for number in range(100)}
    code = "\n".join([*texts_of_code(), *holds]).upper()
    fixed = {
        name: max(re.split(r"<[a-z]+>", name), key=len).strip("_") for name in captured_names()
    }

    assert [name for name, part in fixed.items() if part not in code] == []


#: Followed without being named in the code that simulates, and why.
_WITHOUT_A_NAME = {
    "NEGOTIATOR_MIN_INTERVAL": "an option says how far cycles are apart",
    "SCHEDD_PROJECTREC_DEFAULT_PROPERTIES": "submitters with projects are named",
}


def test_every_knob_that_is_followed_is_named_in_the_code_that_simulates() -> None:
    rooms = ("simulate", "poolquota", "quota", "claims", "pool", "policy")
    code = "\n".join(texts_of_code(rooms))
    found = [
        knob.name
        for knobs in map(knobs_of, DAEMONS)
        for knob in knobs
        if knob.following in (Following.FOLLOWED, Following.TOLD)
        and max(re.split(r"<[a-z]+>", knob.name), key=len) not in code
    ]

    assert sorted(found) == sorted(_WITHOUT_A_NAME)


@pytest.mark.parametrize("daemon", DAEMONS)
def test_every_knob_that_changes_matching_is_captured(daemon: str) -> None:
    for knob in knobs_of(daemon):
        name = re.sub(r"<[a-z]+>", "1", knob.name)
        assert is_wanted(name), name
        assert is_wanted(f"{daemon.upper()}.{name}"), name
        assert daemon != "startd" or is_wanted(f"SLOT_TYPE_1_{name}"), name


def test_every_expression_of_a_daemon_is_captured() -> None:
    """A daemon may end at one that does not parse, whatever it is for."""
    found = {known.name for known in all_types() if known.type is Type.EXPRESSION}

    assert len(found) > 80
    assert [name for name in sorted(found) if not is_wanted(re.sub(r"<[a-z]+>", "X1", name))] == []
