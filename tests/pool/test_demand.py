"""Expected weights follow schedd.cpp (count_a_job, guessJobSlotWeight) by hand; the zeros were measured on 25.14.1.

Measured: 14 jobs of 1 cpu and 100 MB with SLOT_WEIGHT = min({Cpus, floor(Memory/2048), …}) gave
WeightedIdleJobs 0, four jobs of 1024 MB with SLOT_WEIGHT = Memory/4096.0 gave 0, and four 1-cpu
jobs of 100, 100, 2100 and 5000 MB gave 7 with SCHEDD_SLOT_WEIGHT = max({RequestCpus,
ceiling(RequestMemory/2048.0), …})."""

from __future__ import annotations

import pytest

from htcq.classads import Ad, Expr
from htcq.live.configuration import read_dump
from htcq.pool.configuration import Configuration, configuration_from
from htcq.pool.demand import ScheddWeight, schedd_weight, weighted_idle

LEAST = "min({Cpus, floor(Memory/2048), floor(Disk/100000)})"
DOMINANT = "max({RequestCpus, ceiling(RequestMemory/2048.0), ceiling(RequestDisk/100000.0)})"


def configured(text: str) -> Configuration:
    return configuration_from("test", text, read_dump, "SCHEDD")


def asking(cpus: int = 1, memory_mb: int = 1024, disk_kb: int = 1024) -> Ad:
    return Ad({"RequestCpus": cpus, "RequestMemory": memory_mb, "RequestDisk": disk_kb})


def test_by_default_a_job_weighs_its_cpus() -> None:
    assert schedd_weight(configured(""), asking(cpus=4)) == 4


def test_the_words_cpus_and_memory_alone_are_understood_whatever_their_case() -> None:
    assert schedd_weight(configured("SLOT_WEIGHT = MEMORY"), asking(memory_mb=2000)) == 2000
    assert schedd_weight(configured("SLOT_WEIGHT = cpus"), asking(cpus=3)) == 3


def test_a_minimum_weight_comes_to_nothing_for_small_jobs() -> None:
    assert (
        weighted_idle(configured(f"SLOT_WEIGHT = {LEAST}"), [(asking(memory_mb=100), 1)] * 14) == 0
    )


def test_fractions_are_cut_off_for_each_job_before_they_are_summed() -> None:
    assert (
        weighted_idle(configured("SLOT_WEIGHT = Memory/4096.0"), [(asking(memory_mb=1024), 1)] * 4)
        == 0
    )


def test_a_job_of_several_slots_is_cut_off_once() -> None:
    assert (
        weighted_idle(configured("SLOT_WEIGHT = Memory/4096.0"), [(asking(memory_mb=1024), 6)]) == 1
    )


def test_the_schedds_own_weight_counts_what_jobs_ask_for() -> None:
    jobs = [(asking(memory_mb=memory), 1) for memory in (100, 100, 2100, 5000)]
    given = configured(f"SLOT_WEIGHT = {LEAST}\nSCHEDD_SLOT_WEIGHT = {DOMINANT}")
    assert weighted_idle(given, jobs) == 7


def test_a_negative_weight_makes_a_negative_demand() -> None:
    assert weighted_idle(configured("SLOT_WEIGHT = -10"), [(asking(), 1)] * 4) == -40


@pytest.mark.parametrize("weight", ["Cpus + 8*GPUs", "floor(8*Cpus/TotalSlotCpus)", "Tokens"])
def test_what_the_guess_cannot_know_makes_a_job_weigh_its_cpus(weight: str) -> None:
    given = configured(f"SLOT_WEIGHT = {weight}")
    assert schedd_weight(given, asking(cpus=2)) == 2
    assert ScheddWeight(given).evaluated(asking(cpus=2)) is None
    assert ScheddWeight(given).names_unknown_to_guess


def test_the_guess_gives_1024_to_each_cpu_where_a_job_does_not_ask() -> None:
    given = configured("SLOT_WEIGHT = Memory + Disk/1024")
    assert schedd_weight(given, Ad({"RequestCpus": 3})) == 3 * 1024 + 3
    assert schedd_weight(given, Ad()) == 1024 + 1


def test_attributes_of_slots_in_the_schedds_own_weight_make_a_job_weigh_its_cpus() -> None:
    given = configured("SCHEDD_SLOT_WEIGHT = max({Cpus, Memory/2048})")
    assert schedd_weight(given, asking(cpus=2, memory_mb=8192)) == 2
    assert ScheddWeight(given).names_of_slots == ("cpus", "memory")


def test_target_is_a_name_of_slots() -> None:
    assert ScheddWeight(configured("SCHEDD_SLOT_WEIGHT = TARGET.Mips")).names_of_slots == (
        "TARGET",
    )


def test_a_broken_weight_of_the_schedds_own_makes_it_guess() -> None:
    weight = ScheddWeight(configured("SCHEDD_SLOT_WEIGHT = max({RequestCpus\nSLOT_WEIGHT = 2*Cpus"))
    assert weight.own_is_broken
    assert weight.guesses
    assert weight.of(asking(cpus=2)) == 4


def test_without_slot_weights_a_job_weighs_its_cpus_and_at_least_one() -> None:
    given = configured("SCHEDD_USE_SLOT_WEIGHT = False\nSCHEDD_SLOT_WEIGHT = 100")
    assert schedd_weight(given, asking(cpus=2)) == 2
    assert schedd_weight(given, asking(cpus=0)) == 1


def test_a_job_that_asks_for_no_cpu_weighs_nothing_by_default() -> None:
    assert schedd_weight(configured(""), asking(cpus=0)) == 0


def test_requests_that_are_expressions_are_evaluated() -> None:
    job = asking()
    job["RequestCpus"] = Expr("1 + 2")
    assert schedd_weight(configured("SLOT_WEIGHT = 2*Cpus"), job) == 6


def test_a_knob_with_the_schedds_prefix_comes_first() -> None:
    given = configured("SLOT_WEIGHT = Cpus\nSCHEDD.SLOT_WEIGHT = Memory")
    assert schedd_weight(given, asking(memory_mb=2000)) == 2000


def test_an_empty_slot_weight_is_none_at_all() -> None:
    assert schedd_weight(configured("SLOT_WEIGHT ="), asking(cpus=5)) == 5
