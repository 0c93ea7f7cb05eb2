"""A pool from the texts of a snapshot: which attributes are kept, and what is told of damage."""

from __future__ import annotations

import pytest

from htcq.classads import UNDEFINED, Value
from htcq.errors import InputError
from htcq.live.configuration import read_dump
from htcq.pool.ads import read_collector, read_jobs
from htcq.pool.reading import Texts, read_pool
from htcq.pool.shared_attributes import Expressions
from tests.audit.sites import ad, job, pool, schedd, slot, static_slot, submitter


def test_a_machine_ad_may_be_called_slot() -> None:
    found = pool(slot(MyType='"Slot"'), slot("slot1@node2"))

    assert [each.name for each in found.slots or ()] == ["slot1@node1", "slot1@node2"]


def test_what_requirements_and_start_name_is_kept() -> None:
    found = pool(
        slot(Start="IsOpen && !Drained", IsOpen="Hour > 6", Hour=7, Drained="false", Unnamed=1)
    )
    (one,) = found.slots or ()

    assert one.ad().value("Start") is True
    assert one.value("Unnamed") is UNDEFINED


def test_what_is_named_late_in_a_large_file_is_kept_in_the_ads_before() -> None:
    """The first 2,500 slots do not name it themselves."""
    ads = [slot(f"slot1@node{number}", Flavour='"sweet"') for number in range(2500)]
    found = pool(*ads, slot("slot1@last", Start='Flavour == "sour"', Flavour='"sour"'))

    assert {each.value("Flavour") for each in found.slots or ()} == {"sweet", "sour"}
    assert len(found.slot_frames) == 2


def test_a_chain_of_names_is_followed_to_its_end() -> None:
    chain = {f"Link{number}": f"Link{number + 1}" for number in range(40)}
    (one,) = pool(slot(Start="Link0", **chain, Link40="true")).slots or ()

    assert one.ad().value("Start") is True


def test_what_jobs_ask_of_slots_is_kept() -> None:
    found = pool(
        slot(Site='"north"', HasFoo="Foo > 1", Foo=2),
        jobs=[job(Requirements='TARGET.Site == "north" && HasFoo')],
    )
    (one,) = found.slots or ()

    assert one.value("Site") == "north"
    assert one.ad().value("HasFoo") is True


def test_what_slots_ask_of_jobs_is_kept() -> None:
    found = pool(slot(Start='TARGET.Region == "south"'), jobs=[job(Region='"south"', Other=1)])
    (one,) = found.jobs or ()

    assert one.frame.value("Region") == "south"
    assert one.frame.value("Other") is UNDEFINED


def test_what_a_kept_attribute_of_a_job_asks_of_slots_is_kept_too() -> None:
    """Slot -> job -> slot -> job: each is named by the one before only."""
    found = pool(
        slot(Start="TARGET.WantsMore", Special="TARGET.Lucky", Unnamed=1),
        jobs=[job(WantsMore="TARGET.Special", Lucky="true")],
    )
    (one,), (other,) = found.slots or (), found.jobs or ()

    assert one.ad().value("Start", other.ad()) is True
    assert one.value("Unnamed") is UNDEFINED


def test_jobs_are_read_once_where_slots_ask_for_nothing_new() -> None:
    """Every slot names RequestCpus and its like, and those are kept anyway."""
    readings = []
    collector = slot(WithinResourceLimits="TARGET._cp_orig_RequestCpus > 0").encode()

    def chunks() -> list[bytes]:
        readings.append(job())
        return [job().encode()]

    read_pool(Texts("test", lambda: [collector], chunks), read_dump)

    assert len(readings) == 1


def test_what_configuration_asks_of_slots_is_kept() -> None:
    found = pool(
        slot(Colour='"red"', Rack=3),
        config='NEGOTIATOR_SLOT_CONSTRAINT = Colour == "red"\nSLOT_WEIGHT = Rack\n',
    )
    (one,) = found.slots or ()

    assert (one.value("Colour"), one.value("Rack")) == ("red", 3)


def test_a_request_may_be_an_expression() -> None:
    """What condor_submit writes where a user names no memory."""
    memory = "ifThenElse(MemoryUsage isnt undefined, MemoryUsage, (ImageSize + 1023) / 1024)"
    found = pool(
        slot(),
        jobs=[
            job(RequestMemory=memory, ImageSize=4000),
            job("2.0", RequestMemory=memory, MemoryUsage=700),
        ],
    )

    assert [each.ad().value("RequestMemory") for each in found.jobs or ()] == [4, 700]


def test_names_that_need_quotes_do_no_harm() -> None:
    requirements = "TARGET.'*' + TARGET.'a b' + TARGET.'é' + TARGET.'x.y' > 0"
    found = pool(slot(Unnamed=1), jobs=[job(Requirements=requirements)])
    (one,) = found.slots or ()

    assert one.value("Unnamed") is UNDEFINED
    assert found.damage == ()


def test_ads_without_a_type_are_jobs_in_a_queue_and_nothing_in_a_collector() -> None:
    text = ad(ClusterId=1, ProcId=0, JobStatus=1, Owner='"ada"')
    found = pool(slot(), text, jobs=[text])

    assert [each.id for each in found.jobs or ()] == ["1.0"]
    assert len(found.slots or ()) == 1
    assert [each.sentence for each in found.left_out] == [
        "1 ad left out: one without a name: it has no MyType"
    ]


@pytest.mark.parametrize("text", [b"", b"\n\n"])
def test_an_empty_file_is_a_pool_of_nothing(text: bytes) -> None:
    assert read_collector(lambda: [text], Expressions()).slots == []
    assert read_jobs(lambda: [text], Expressions()).jobs == []


@pytest.mark.parametrize(
    "rubbish",
    [
        bytes(range(256)) * 40,
        b"\x00" * 5000,
        b"<html>\n<body>\n\n</html>\n\n",
        b"\x1f\x8b\x08\x00abc",
    ],
)
def test_rubbish_is_refused(rubbish: bytes) -> None:
    with pytest.raises(InputError, match="holds no ad that could be read"):
        read_collector(lambda: [rubbish], Expressions())
    with pytest.raises(InputError, match="holds no job that could be read"):
        read_jobs(lambda: [rubbish], Expressions())


def test_an_ad_in_a_damaged_file_is_still_read_and_the_damage_told() -> None:
    found = pool(
        "rubbish = \n\nmore rubbish\n\n",
        slot(),
        slot("slot1@node2").rstrip("\n"),
        jobs=["nonsense\n", job()],
        complete=False,
    )

    assert [each.name for each in found.slots or ()] == ["slot1@node1"]
    assert [each.id for each in found.jobs or ()] == ["1.0"]
    assert found.damage == (
        "collector.ads ends in the middle of an ad, which was left out",
        "collector.ads has 1 lines that are no attributes, the first: 'more rubbish'",
        "jobs.ads has 1 lines that are no attributes, the first: 'nonsense'",
    )


def test_a_file_that_cannot_be_used_costs_its_own_part() -> None:
    found = pool(slot(), jobs=["rubbish\n"], config="A = 1\n")

    assert found.jobs is None
    assert len(found.slots or ()) == 1
    assert found.central is not None
    assert found.damage[0].startswith("jobs.ads holds no job that could be read")


def test_records_keep_everything_but_secrets() -> None:
    found = pool(slot(), submitter(Capability='"open sesame"', Anything="1 + 1"))
    (one,) = found.submitters

    assert one.number("Anything") == 2
    assert one.value("Capability") is UNDEFINED


def test_values_of_one_slot_do_not_leak_into_another_of_its_frame() -> None:
    found = pool(
        static_slot(), static_slot("slot2@node1", Memory=None), slot("slot1@node2", Cpus="error")
    )
    first, second, _ = found.slots or ()

    assert first.frame is second.frame
    assert first.ad().value("Memory") == 2048
    assert second.ad().value("Memory") is UNDEFINED
    assert first.ad().value("Memory") == 2048


@pytest.mark.parametrize(
    ("schedds", "names"),
    [
        (("access1", "access2"), ["access1", "access2", UNDEFINED, "noted"]),
        (("access2",), ["access2", "access2", "access2", "noted"]),
        ((), ["access1", "access2", "old", "noted"]),
    ],
)
def test_the_global_id_names_the_schedd_of_a_job(
    schedds: tuple[str, ...], names: list[Value]
) -> None:
    """Its name comes before the first #; a schedd that was renamed is known where it is the only one."""
    ids = ("access1#1.0#17", "access2#2.0#17", "old#3.0#17", "other#4.0#17")
    jobs = [job(f"{at}.0", GlobalJobId=f'"{id_}"') for at, id_ in enumerate(ids[:3], 1)]
    jobs.append(job("4.0", GlobalJobId=f'"{ids[3]}"', ScheddName='"noted"'))

    found = pool(*map(schedd, schedds), jobs=jobs)

    assert [each.schedd for each in found.jobs or ()] == names
