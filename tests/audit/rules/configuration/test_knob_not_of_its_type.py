"""Numbers and truth values that are none; ``tests/golden/knobs`` has what 25.14.1 did with each."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, pool, slot

RULE = "knob-not-of-its-type"


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("NEGOTIATOR_INTERVAL = 5s\n", "NEGOTIATOR_INTERVAL = 5s is not a whole number: the nego"),
        ("NEGOTIATOR_CYCLE_DELAY = -1\n", "is not a whole number of at least 0"),
        ("USE_GLOBAL_JOB_PRIOS = yes\n", "is not true or false"),
        ("PRIORITY_HALFLIFE = 1d\n", "is not a number"),
        ("NUM_CPUS = 8 cores\n", "the startd exits"),
        ("MAX_JOBS_RUNNING = 10 # per night\n", "the schedd exits"),
        ("NUM_SLOTS_TYPE_1 = one\n", "the startd exits"),
    ],
)
def test_a_value_that_ends_a_daemon_is_an_error(config: str, says: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=config))

    assert says in finding.message
    assert finding.severity is Severity.ERROR


def test_a_value_of_a_slot_type_that_is_replaced_by_the_default_is_a_warning() -> None:
    (finding,) = found(RULE, pool(slot(), config="SLOT_TYPE_1_PARTITIONABLE = yes\n"))

    assert "uses HTCondor's default instead" in finding.message
    assert finding.severity is Severity.WARNING


def test_knobs_of_groups_have_a_rule_of_their_own() -> None:
    text = "GROUP_NAMES = a\nGROUP_QUOTA_a = 10%\nGROUP_ACCEPT_SURPLUS = yes\n"

    assert not found(RULE, pool(slot(), config=text))
    assert len(found("quota-out-of-range", pool(slot(), config=text))) == 2


@pytest.mark.parametrize(
    "config",
    [
        "NEGOTIATOR_INTERVAL = 2 * 30\nNUM_CPUS = 7.9\nMEMORY = 16 * 1024\n",
        "NEGOTIATOR_CONSIDER_PREEMPTION = true && (1 == 1)\nUSE_GLOBAL_JOB_PRIOS = 0\n",
        "A = 8\nNUM_CPUS = $(A) / 2\nMAX_JOBS_RUNNING = $INT(A)\n",
        "NUM_CPUS = $(DETECTED_CPUS) - 1\nRESERVED_MEMORY = $(SITE_RESERVE)\n",
        "DAEMON_LIST = MASTER, NEGOTIATOR\nNUM_CPUS = many\n",
        "NEGOTIATOR_INTERVAL =\n",
    ],
)
def test_honest_expressions_and_what_is_not_known_are_no_findings(config: str) -> None:
    assert not found(RULE, pool(slot(), config=config))
