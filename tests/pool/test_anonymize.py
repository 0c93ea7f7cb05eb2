"""Users, hosts and paths are replaced, and what was equal stays equal."""

from __future__ import annotations

from htcq.pool.anonymize import Collector, Rewriter

SLOT = """MyType = "Machine"
Name = "slot1@wn001.cern.ch"
Machine = "wn001.cern.ch"
MyAddress = "<188.184.1.7:9618?addrs=188.184.1.7-9618+[2001-1458--7]-9618&alias=wn001.cern.ch&noUDP&sock=startd_1_a>"
StartdIpAddr = "<188.184.1.7:9618?addrs=188.184.1.7-9618+[2001-1458--7]-9618&alias=wn001.cern.ch&noUDP&sock=startd_1_a>"
AddressV1 = "{[ p=\\"primary\\"; a=\\"188.184.1.7\\"; alias=\\"wn001.cern.ch\\"; ]}"
RemoteUser = "physics.alice@cern.ch"
RemoteOwner = "alice@cern.ch"
OpSys = "LINUX"
State = "Claimed"
SlotWeight = Cpus
ChildName = { "slot1_1@wn001.cern.ch" }
GlobalJobId = "ap01.cern.ch#7.0#1795251257"
Start = TARGET.Owner == "bob" || stringListMember(TARGET.AcctGroupUser, "carol,dave") || TARGET.OpSys == "LINUX"
HardwareAddress = "00:11:22:33:44:55\""""
JOB = """MyType = "Job"
Owner = "alice"
User = "alice@cern.ch"
AccountingGroup = "physics.alice"
AcctGroup = "physics"
AcctGroupUser = "alice"
Iwd = "/afs/cern.ch/user/a/alice"
Err = "/afs/cern.ch/user/a/alice/err"
Args = "--for alice"
Contact = "alice@cern.ch, erin@desy.de"
Requirements = TARGET.Machine != "wn001.cern.ch" && Machine isnt "bad.desy.de" && regexp("10\\\\.", TARGET.X)
RequestCpus = 2"""
SUBMITTER = """MyType = "Submitter"
Name = "physics.alice@cern.ch"
ScheddName = "ap01.cern.ch\""""


def rewritten(*ads: str) -> list[dict[str, str]]:
    collector = Collector()
    for ad in ads:
        collector.ad(ad.split("\n"))
    rewriter = Rewriter(collector.settle())
    lines = [[rewriter.ad_line(line) for line in ad.split("\n")] for ad in ads]
    return [dict(line.split(" = ", 1) for line in ad if line is not None) for ad in lines]  # type: ignore[misc]


def test_no_name_is_left() -> None:
    text = str(rewritten(SLOT, JOB, SUBMITTER)).lower()

    for name in ("alice", "bob", "carol", "dave", "erin", "cern", "desy", "wn001", "ap01", "188.184", "1458", "/afs"):
        assert name not in text


def test_what_was_equal_stays_equal() -> None:
    slot, job, submitter = rewritten(SLOT, JOB, SUBMITTER)

    assert slot["RemoteUser"] == submitter["Name"]
    assert slot["RemoteOwner"] == job["User"]
    assert job["User"] == f'{job["Owner"][:-1]}@{submitter["Name"].strip(chr(34)).partition("@")[2]}"'
    assert job["AccountingGroup"] == f'"physics.{job["AcctGroupUser"][1:]}'
    assert slot["Name"] == f'"slot1@{slot["Machine"][1:]}'
    assert slot["ChildName"] == f'{{ "slot1_1@{slot["Machine"][1:]} }}'
    assert slot["MyAddress"] == slot["StartdIpAddr"]
    assert slot["Machine"] in job["Requirements"]
    assert slot["GlobalJobId"] == f'{submitter["ScheddName"][:-1]}#7.0#1795251257"'


def test_groups_words_of_htcondor_and_numbers_stay() -> None:
    slot, job, _ = rewritten(SLOT, JOB, SUBMITTER)

    assert (slot["OpSys"], slot["State"], slot["SlotWeight"]) == ('"LINUX"', '"Claimed"', "Cpus")
    assert slot["Start"].endswith('TARGET.OpSys == "LINUX"')
    assert (job["AcctGroup"], job["RequestCpus"]) == ('"physics"', "2")
    assert 'regexp("10\\\\.", TARGET.X)' in job["Requirements"]


def test_command_lines_and_other_forms_of_addresses_are_left_out() -> None:
    slot, job, _ = rewritten(SLOT, JOB, SUBMITTER)

    assert "Args" not in job
    assert not {"AddressV1", "HardwareAddress"} & set(slot)


def test_paths_are_replaced_as_wholes() -> None:
    job = rewritten(JOB)[0]

    assert job["Iwd"].startswith('"/path/')
    assert job["Iwd"] != job["Err"]


def test_an_account_that_every_machine_has_stays() -> None:
    job = rewritten('MyType = "Job"\nOwner = "root"\nUser = "root@site.org"')[0]

    assert job["Owner"] == '"root"'
    assert job["User"] == '"root@domain1.org"'


def test_new_names_avoid_the_given_ones() -> None:
    jobs = rewritten('MyType = "Job"\nOwner = "user2"', 'MyType = "Job"\nOwner = "user1"')
    owners = {job["Owner"] for job in jobs}

    assert len(owners) == 2
    assert owners.isdisjoint({'"user1"', '"user2"'})


def knobs(*pairs: tuple[str, str]) -> list[tuple[str, str]]:
    collector = Collector()
    for name, value in pairs:
        collector.knob(name, value)
    rewriter = Rewriter(collector.settle())
    return [rewriter.knob(name, value) for name, value in pairs]


def test_hosts_and_paths_of_a_configuration_are_replaced_and_its_expressions_stay() -> None:
    found = dict(
        knobs(
            ("COLLECTOR_HOST", "cm.cern.ch:9618, cm2.cern.ch"),
            ("UID_DOMAIN", "cern.ch"),
            ("FLOCK_TO", "cm.desy.de"),
            ("LOCAL_CONFIG_DIR", "/etc/condor/config.d"),
            ("SLOT_WEIGHT", "Cpus /2 + MY.Memory / 1024"),
            ("START", 'TARGET.Owner =?= "frank" && MY.Machine != "wn9.cern.ch"'),
            ("GROUP_NAMES", "physics, physics.top"),
            ("GROUP_QUOTA_physics.top", "10"),
        )
    )

    assert found["COLLECTOR_HOST"] == "host1.domain1.ch:9618, host2.domain1.ch"
    assert found["UID_DOMAIN"] == "domain1.ch"
    assert "desy" not in found["FLOCK_TO"]
    assert found["LOCAL_CONFIG_DIR"].startswith("/path/")
    assert found["SLOT_WEIGHT"] == "Cpus /2 + MY.Memory / 1024"
    assert "frank" not in found["START"]
    assert "wn9" not in found["START"]
    assert found["START"].startswith('TARGET.Owner =?= "user')
    assert (found["GROUP_NAMES"], found["GROUP_QUOTA_physics.top"]) == ("physics, physics.top", "10")
