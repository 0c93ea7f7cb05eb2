"""Values that daemons cannot use: what htcq says of each trial that was made on a real pool.

``tests/golden/knobs`` has the trials and what 25.14.1 did; ``tests/condor/knob_trials.py`` makes
them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from htcq.htcondor.knob_types import Misfit, Type
from htcq.live.configuration import read_dump
from htcq.pool.configuration import Configuration, configuration_from, configuration_of_files
from htcq.pool.knob_values import Flaw, flaws, type_of

_GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "knobs"


def _trials() -> list[dict[str, str]]:
    with (_GOLDEN / "trials.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["knob"], row["value"], row["daemon"], row.get("beside") or ""


TRIALS = _trials()
_LINES = (_GOLDEN / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
OUTCOMES: dict[tuple[str, ...], dict[str, Any]] = {
    _key(row): row for row in map(json.loads, _LINES[1:])
}


_DEFAULTS = read_dump("A = 1\n", ["A"])[1]


def configuration(text: str) -> Configuration:
    """Return a configuration; only one with macros needs HTCondor's own parser."""
    if "$" in text:
        return configuration_from("test", text, read_dump)
    return configuration_from("test", text, lambda plain, names, readings: ({}, _DEFAULTS, []))


def of(text: str) -> list[Flaw]:
    return list(flaws(configuration(text)))


def test_every_trial_was_made() -> None:
    assert "25.14.1" in json.loads(_LINES[0])["origin"]
    assert [_key(trial) for trial in TRIALS if _key(trial) not in OUTCOMES] == []


def test_the_flaws_are_those_of_the_trials() -> None:
    """Each value that a daemon could not use is found, and none that it could."""
    wrong = []
    for trial in TRIALS:
        if trial["fits"] == "?":
            continue
        beside = trial["beside"].replace(";;", "\n")
        found = of(f"{beside}\n{trial['knob']} = {trial['value']}\n")
        names = [flaw.knob.name for flaw in found]
        if names != ([trial["knob"]] if trial["fits"] == "no" else []):
            wrong.append((trial, names))

    assert wrong == []


def test_what_a_daemon_does_is_what_the_table_says() -> None:
    wrong = []
    for trial in TRIALS:
        known, seen = _known(trial), OUTCOMES.get(_key(trial))
        if trial["fits"] != "no" or known is None or seen is None:
            continue
        if not {trial["daemon"], "all"} & {*known.daemons}:
            # Another daemon reads it too, and goes on.
            assert trial["daemon"] in known.careless, trial
            assert "exits" not in seen, trial
            continue
        if known.misfit not in _expected(seen):
            wrong.append((trial["knob"], trial["value"], known.misfit, seen))

    assert wrong == []


def _known(trial: dict[str, str]) -> Any:
    (flaw,) = of(
        f"{trial['beside'].replace(';;', chr(10))}\n{trial['knob']} = {trial['value']}\n"
    ) or [None]
    return flaw and flaw.known


def _expected(seen: dict[str, Any]) -> tuple[Misfit, ...]:
    if "exits" in seen:
        return (Misfit.EXITS,)
    if "tool" in seen:
        return (Misfit.REFUSED,)
    if seen.get("ad") == "error":
        return (Misfit.ERROR,)
    if seen.get("ad") == "undefined" and seen.get("job") == "idle":
        return (Misfit.SHUT,)
    return (Misfit.DROPPED, Misfit.DEFAULT)


def test_the_log_says_so_where_the_table_says_that_it_does() -> None:
    wrong = []
    for trial in TRIALS:
        known, seen = _known(trial), OUTCOMES.get(_key(trial))
        if known is None or seen is None or known.misfit not in (Misfit.DROPPED, Misfit.DEFAULT):
            continue
        if trial["knob"].startswith("SLOT_TYPE_"):
            continue  # The startd is less talkative about slot types.
        if known.logged is not ("log" in seen):
            wrong.append((trial["knob"], known.logged, seen))

    assert wrong == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('START = ((Owner == "x")\n', "the ( at column 9 is not closed"),
        ('  START   =   Owner == "x")\n', "the ) at column 27 closes nothing"),
        ('START = Owner == "x\n', "the string that begins at column 18 does not end"),
        ("START = Owner ==\n", ""),
    ],
)
def test_the_fault_is_where_the_file_has_it(text: str, fault: str) -> None:
    (flaw,) = flaws(configuration_of_files("here", {"here/10.conf": text}, read_dump))

    assert flaw.fault == fault
    assert flaw.knob.place == "here/10.conf:1"


@pytest.mark.parametrize(
    "text",
    [
        # Another machine has another number of cpus, and other files define these macros.
        "NUM_CPUS = $(DETECTED_CPUS) - 2\n",
        "MAX_JOBS_RUNNING = $(DETECTED_MEMORY) * 0.8\n",
        "START = $(SITE_START) && (Cpus > 1)\n",
        "START = $(A)\nA = $(B) &&\n",
        "NEGOTIATOR_INTERVAL = $RANDOM_INTEGER(60, 90)\n",
        # A template fills these in.
        "NEGOTIATOR_INTERVAL = {{ interval }}\nMEMORY = ${MEM_MB}\nSCHEDD_INTERVAL = @SECONDS@\n",
        'START = <%= @start %>\nRANK = (Cpus > {{ cpus }}) && Owner == "<%= @owner %>"\n',
        'SYSTEM_PERIODIC_HOLD = member(Queue, {<% @queues.each do |q| -%>"<%= q %>", <% end %>})\n',
        "RANK = sum({{1, 2}[0], {3}[0]})\n",
        # Nothing reads these.
        "CONSUMPTION_TOKENS = (\n",
        "SUBMIT_REQUIREMENT_SMALL = (\n",
        "GROUP_NAMES = a\nGROUP_QUOTA_b = many\n",
        "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_DYNAMIC_a = 50%\n",
        "MY_LIMIT = none\n",
        "SITE_POLICY = ((\n",
        # Honest expressions and numbers.
        "MEMORY = 1024 * 16\nNUM_CPUS = 7.9\nUPDATE_INTERVAL = 5 * 60\n",
        'CLAIM_WORKLIFE = 20 * 60\nSTART = regexp("^n\\w+$", Owner)\n',
        "NEGOTIATOR_CONSIDER_PREEMPTION = 1 == 1\nSLOT_TYPE_1_PARTITIONABLE = 1\n",
        "A = 3\nNEGOTIATOR_INTERVAL = $(A) * 20\nNEGOTIATOR_USE_SLOT_WEIGHTS =\n",
    ],
)
def test_what_is_honest_or_not_known_is_no_flaw(text: str) -> None:
    assert of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "A = ((\nSTART = $(A) Cpus > 1)\n",
        "NEGOTIATOR.NEGOTIATOR_PRE_JOB_RANK = (1\n",
        "NGPU.NEGOTIATOR_INTERVAL = 5s\n",
        "SLOT_TYPE_2_RANK = (1\n",
        "CONSUMPTION_POLICY = True\nCONSUMPTION_GPUS = (1\n",
        "GROUP_NAMES = a.b\nGROUP_QUOTA_a.b = many\n",
        "STARTD_ATTRS = SITE\nSITE = Big Lab\n",
        "START = ifThenElse((Cpus > ({{ cpus }}), true, false)\n",
        # Of these daemons of 25.14.1 make Start = error.
        "START = $$(Memory) > 5\n",
        f"START = {'(' * 1000}true\n",
        f"START = ({' || '.join(['Cpus > 1'] * 4000)}\n",
    ],
)
def test_prefixes_macros_and_lists_are_followed(text: str) -> None:
    assert len(of(text)) == 1


def test_the_groups_of_a_second_negotiator_are_its_own() -> None:
    text = "GROUP_NAMES = b\nNGPU = $(NEGOTIATOR)\nNGPU.GROUP_NAMES = a\n"
    wrong, unread = "NGPU.GROUP_QUOTA_a = -5\n", "NGPU.GROUP_QUOTA_b = -5\n"
    (flaw,) = flaws(configuration_from("x", f"{text}{wrong}{unread}", read_dump, "NEGOTIATOR"))
    assert flaw.knob.name == "NGPU.GROUP_QUOTA_a"


def test_an_attribute_that_a_list_names_has_the_type_of_its_own_where_it_has_one() -> None:
    (flaw,) = of('STARTD_ATTRS = START, SITE\nSITE = "here"\nSTART = (\n')

    assert (flaw.known.name, flaw.known.type) == ("START", Type.EXPRESSION)
    assert type_of("SITE") is None
