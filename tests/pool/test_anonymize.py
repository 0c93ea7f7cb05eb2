"""Every name is replaced, what was equal stays equal, and what nobody needs is left out."""

from __future__ import annotations

import re

import pytest

from htcq.classads import Ad, Expr
from htcq.pool.anonymize import Rewriter
from htcq.pool.named import Collector

KEY = b"a key of the tests, long enough."

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


def rewriter_of(*ads: str, knobs: tuple[tuple[str, str], ...] = (), key: bytes = KEY) -> Rewriter:
    collector = Collector()
    for name, value in knobs:
        collector.knob(name, value)
    for ad in ads:
        collector.ad(ad.split("\n"))
    return Rewriter(collector.names, collector.settle(), key)


def rewritten(
    *ads: str, knobs: tuple[tuple[str, str], ...] = (), key: bytes = KEY
) -> list[dict[str, str]]:
    rewriter = rewriter_of(*ads, knobs=knobs, key=key)
    return [dict(line.split(" = ", 1) for line in rewriter.ad(ad.split("\n"))) for ad in ads]


GROUPS = (("GROUP_NAMES", "physics, bio, bio.cells"),)


def test_no_name_is_left() -> None:
    text = str(rewritten(SLOT, JOB, SUBMITTER)).lower()

    for name in (
        "alice",
        "bob",
        "carol",
        "dave",
        "erin",
        "cern",
        "desy",
        "wn001",
        "ap01",
        "188.184",
        "1458",
        "/afs",
    ):
        assert name not in text


def test_what_was_equal_stays_equal() -> None:
    slot, job, submitter = rewritten(SLOT, JOB, SUBMITTER)

    assert slot["RemoteUser"] == submitter["Name"]
    assert slot["RemoteOwner"] == job["User"]
    assert (
        job["User"] == f'{job["Owner"][:-1]}@{submitter["Name"].strip(chr(34)).partition("@")[2]}"'
    )
    assert job["AccountingGroup"] == f"{job['AcctGroup'][:-1]}.{job['Owner'][1:]}"
    assert slot["Name"] == f'"slot1@{slot["Machine"][1:]}'
    assert slot["ChildName"] == f'{{ "slot1_1@{slot["Machine"][1:]} }}'
    assert slot["Machine"] in job["Requirements"]
    assert slot["GlobalJobId"] == f'{submitter["ScheddName"][:-1]}#1.0#1795248000"'


def test_words_of_htcondor_and_numbers_stay() -> None:
    slot, job, _ = rewritten(SLOT, JOB, SUBMITTER)

    assert (slot["OpSys"], slot["State"], slot["SlotWeight"]) == ('"LINUX"', '"Claimed"', "Cpus")
    assert slot["Start"].endswith('TARGET.OpSys == "LINUX"')
    assert job["RequestCpus"] == "2"


def test_what_nobody_needs_is_left_out() -> None:
    slot, job, _ = rewritten(SLOT, JOB, SUBMITTER)

    assert not {"Args", "Iwd", "Err", "Contact", "ProjectName"} & set(job)
    assert not {"AddressV1", "HardwareAddress", "MyAddress", "StartdIpAddr"} & set(slot)


def test_a_sites_own_attribute_stays_only_where_an_expression_names_it() -> None:
    slot = 'MyType = "Machine"\nSiteFlavour = "sweet"\nSiteSerial = 4711\nSiteColour = "green"'
    requirements = 'TARGET.SiteFlavour == "Sweet" && TARGET.SiteSerial > 4000'
    job = f'MyType = "Job"\nProjectName = "higgs"\nRequirements = {requirements}'
    new_slot, new_job = rewritten(slot, job)

    assert len(new_slot) == 3
    assert "4711" in new_slot.values()
    flavour = next(name for name, value in new_slot.items() if value.startswith('"word-'))
    assert f"TARGET.{flavour} == " in new_job["Requirements"]
    assert new_slot[flavour] in new_job["Requirements"].lower()
    assert not re.search(
        "sweet|green|higgs|flavour|serial|colour", str((new_slot, new_job)), re.IGNORECASE
    )


def test_an_account_that_every_machine_has_stays() -> None:
    job = rewritten('MyType = "Job"\nOwner = "root"\nUser = "root@site.org"')[0]

    assert job["Owner"] == '"root"'
    assert re.fullmatch(r'"root@domain-[0-9a-f]{8}\.domain-[0-9a-f]{8}"', job["User"])


@pytest.mark.parametrize(
    ("ad", "names"),
    [
        ('MyType = "Job"\nOwner = "élodie"\nRank = TARGET.Owner == "élodie"', ("lodie",)),
        (
            'MyType = "Job"\nOwner = "svcbatch"\nUser = "MCORP\\\\svcbatch@mcorp"',
            ("mcorp", "svcbatch"),
        ),
        (
            'MyType = "Machine"\nAssignedGPUs = "GPU-5f3ac1d2,GPU-77aa0011"',
            ("5f3ac1d2", "77aa0011"),
        ),
        (
            'MyType = "Machine"\nGPUs_GPU_5f3ac1d2 = [ Id = "GPU-5f3ac1d2"; DevicePciBusId = '
            '"0000:3B:00.0"; '
            'DeviceUuid = "5f3ac1d2-1111-2222-3333-444455556666" ]',
            ("5f3ac1d2", "3B:00", "444455556666"),
        ),
        ('MyType = "Machine"\nStart = TARGET.Nic != "b4:2e:99:aa:00:17"', ("b4:2e", "aa:00")),
        (
            r'MyType = "Machine"' + "\n" + r'Start = TARGET.Where != "C:\\Users\\svcbatch\\run"',
            ("Users", "svcbatch"),
        ),
        (
            'MyType = "Job"\nProjectName = "higgs"\nRank = MY.ProjectName == "higgs"',
            ("higgs", "Project"),
        ),
        (
            'MyType = "Job"\nOwner = "o\'brien smith"\nRank = TARGET.Owner == "o\'brien smith"',
            ("brien", "smith"),
        ),
        ('MyType = "Job"\nOwner = "alice"\nRank = TARGET.OnlyForAlice + alice', ("alice",)),
        (
            'MyType = "Machine"\nStart = Owner == "zoe" || stringListMember(Owner, "yan,xia")',
            ("zoe", "yan", "xia"),
        ),
    ],
)
def test_no_name_of_any_kind_is_left(ad: str, names: tuple[str, ...]) -> None:
    text = str(rewritten(ad)).lower()

    assert [name for name in names if name.lower() in text] == []


def test_what_a_gpu_is_called_is_the_same_everywhere() -> None:
    slot = rewritten(
        'MyType = "Machine"\nAssignedGPUs = "GPU-5f3ac1d2"\nAvailableGPUs = { GPUs_GPU_5f3ac1d2 }\n'
        'GPUs_GPU_5f3ac1d2 = [ Id = "GPU-5f3ac1d2"; DeviceUuid = '
        '"5f3ac1d2-1111-2222-3333-444455556666" ]'
    )[0]
    name = slot["AssignedGPUs"].strip('"').partition("-")[2]

    assert re.fullmatch("[0-9a-f]{8}", name)
    assert slot["AvailableGPUs"] == f"{{ GPUs_GPU_{name} }}"
    assert f'Id = "GPU-{name}"; DeviceUuid = "{name}-' in slot[f"GPUs_GPU_{name}"]


def test_new_names_are_not_in_the_order_of_the_old_ones() -> None:
    jobs = rewritten(*(f'MyType = "Job"\nOwner = "u{number:03d}"' for number in range(40)))
    owners = [job["Owner"] for job in jobs]

    assert owners != sorted(owners)
    assert len(set(owners)) == 40


def test_a_key_gives_the_same_names_again_and_another_key_others() -> None:
    one, again, other = (rewritten(JOB, key=key)[0]["Owner"] for key in (KEY, KEY, b"b" * 32))

    assert one == again != other


def test_names_that_differ_in_case_still_do() -> None:
    jobs = rewritten(*(f'MyType = "Job"\nOwner = "{name}"' for name in ("alice", "Alice", "ALICE")))
    owners = [job["Owner"] for job in jobs]

    assert len(set(owners)) == 3
    assert len({owner.lower() for owner in owners}) == 1


def test_times_and_sizes_are_rounded_unless_an_expression_names_them() -> None:
    job = (
        'MyType = "Job"\nQDate = 1795251257\nImageSize = 123456\nResidentSetSize = 98765\n'
        "Rank = MY.ImageSize"
    )
    new = rewritten(job)[0]

    assert new == {
        "MyType": '"Job"', "QDate": "1795248000", "ImageSize": "123456", "ResidentSetSize": "99000",
        "Rank": "MY.ImageSize",
    }  # fmt: skip


def test_clusters_are_numbered_anew_in_their_order() -> None:
    jobs = rewritten(
        *(f'MyType = "Job"\nClusterId = {number}\nProcId = 3' for number in (48_213, 977, 48_215))
    )

    assert [job["ClusterId"] for job in jobs] == ["2", "1", "3"]


def knobs(*pairs: tuple[str, str]) -> dict[str, str]:
    rewriter = rewriter_of(knobs=pairs)
    return dict(new for name, value in pairs for new in rewriter.knob(name, value))


def test_expressions_of_a_configuration_stay_and_names_in_them_do_not() -> None:
    found = knobs(
        ("UID_DOMAIN", "cern.ch"),
        ("FLOCK_TO", "cm.desy.de"),
        ("SLOT_WEIGHT", "Cpus /2 + MY.Memory / 1024"),
        ("START", 'TARGET.Owner =?= "frank" && MY.Machine != "wn9.cern.ch"'),
        ("SLOT_TYPE_1", "cpus=50%, mem=1/2, disk=auto"),
        ("START_SCHEDULER_UNIVERSE", "TotalSchedulerJobsRunning < 5"),
        ("MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER", "3"),
        ("NEGOTIATOR_SUBMITTER_CONSTRAINT", 'Name =!= "physics.gina@cern.ch"'),
    )

    assert found["SLOT_WEIGHT"] == "Cpus /2 + MY.Memory / 1024"
    assert found["SLOT_TYPE_1"] == "cpus=50%, mem=1/2, disk=auto"
    assert found["START_SCHEDULER_UNIVERSE"] == "TotalSchedulerJobsRunning < 5"
    assert found["MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"] == "3"
    assert found["START"].startswith('TARGET.Owner =?= "user-')
    assert found["START"].endswith(f'.{found["UID_DOMAIN"]}"')
    assert not re.search("cern|desy|frank|gina|wn9", str(found))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QUEUE_SUPER_USERS", "alice, bob"),
        ("SCHEDD_NAME", "ap-of-alice"),
        ("COLLECTOR_HOST", "cm.cern.ch:9618"),
        ("LOCAL_CONFIG_DIR", "/etc/condor/config.d"),
        ("JOB_TRANSFORM_alice", 'REQUIREMENTS Owner == "alice"\nSET ProjectName "higgs"'),
        ("SITE_OWN_KNOB", "alice"),
        ("ALICE_LIMIT", "12"),
    ],
)
def test_knobs_that_htcq_does_not_need_are_left_out(name: str, value: str) -> None:
    assert knobs((name, value)) == {}


def test_groups_keep_their_order_and_their_tree() -> None:
    found = knobs(
        ("GROUP_NAMES", "physics, Bio, bio.zeta, bio.alpha"),
        ("GROUP_QUOTA_physics", "10"),
        ("GROUP_QUOTA_DYNAMIC_bio.zeta", "0.5"),
        ("GROUP_ACCEPT_SURPLUS_bio", "True"),
    )
    physics, bio, zeta, alpha = found["GROUP_NAMES"].split(", ")

    assert bio.lower() < physics
    assert alpha < zeta
    assert zeta.rpartition(".")[0].lower() == alpha.rpartition(".")[0].lower() == bio.lower()
    assert found[f"GROUP_QUOTA_{physics}"] == "10"
    assert found[f"GROUP_QUOTA_DYNAMIC_{zeta}"] == "0.5"
    assert not re.search("physics|bio|zeta|alpha", str(found), re.IGNORECASE)


def test_a_user_called_as_a_group_is_another_name_than_the_group() -> None:
    job = rewritten(
        (
            'MyType = "Job"\nOwner = "physics"\nAcctGroup = "physics"\n'
            'AccountingGroup = "physics.physics"'
        ),
        knobs=GROUPS,
    )[0]
    group, owner = job["AcctGroup"].strip('"'), job["Owner"].strip('"')

    assert group != owner
    assert job["AccountingGroup"] == f'"{group}.{owner}"'


def test_a_dot_in_the_name_of_a_user_stays_one() -> None:
    job = rewritten(
        'MyType = "Job"\nOwner = "john.smith"\nUser = "john.smith@site.org"', knobs=GROUPS
    )[0]

    assert re.fullmatch(r'"user-\w+\.user-\w+"', job["Owner"])
    assert job["User"].startswith(f"{job['Owner'][:-1]}@")


def test_a_limit_has_the_same_name_in_jobs_and_knobs() -> None:
    job = 'MyType = "Job"\nConcurrencyLimits = "Matlab:2, matlab.alice"'
    limits = (("MATLAB_LIMIT", "10"), ("CONCURRENCY_LIMIT_DEFAULT_matlab", "3"))
    rewriter = rewriter_of(job, knobs=limits)
    new = dict(line.split(" = ", 1) for line in rewriter.ad(job.split("\n")))
    found = [pair for name, value in limits for pair in rewriter.knob(name, value)]
    name = new["ConcurrencyLimits"].strip('"').partition(":")[0]

    assert found == [(f"{name}_LIMIT", "10"), (f"CONCURRENCY_LIMIT_DEFAULT_{name}", "3")]
    assert f", {name}.limit_" in new["ConcurrencyLimits"]
    assert "matlab" not in f"{new}{found}".lower()


@pytest.mark.parametrize(
    "reason",
    [
        "no match found",
        "submitter limit exceeded",
        "PREEMPTION_REQUIREMENTS == False",
        "insufficient priority",
    ],
)
def test_the_negotiators_reason_and_its_time_stay(reason: str) -> None:
    """They are compared with a simulated cycle, and with the time of the last one."""
    job = f'MyType = "Job"\nLastRejMatchReason = "{reason}"\nLastRejMatchTime = 1795359408'
    (new,) = rewritten(job)

    assert new["LastRejMatchReason"] == f'"{reason}"'
    assert new["LastRejMatchTime"] == "1795359408"


def test_a_limit_in_a_reason_has_its_new_name() -> None:
    job = (
        'MyType = "Job"\nConcurrencyLimits = "Matlab"\n'
        'LastRejMatchReason = "concurrency limit matlab reached"'
    )
    (new,) = rewritten(job + '\nLastRejMatchNegotiator = "cm01.cern.ch"')
    name = new["ConcurrencyLimits"].strip('"')

    assert new["LastRejMatchReason"] == f'"concurrency limit {name} reached"'
    assert "cern" not in new["LastRejMatchNegotiator"]


def test_an_asset_keeps_its_name_unless_a_user_has_it() -> None:
    resources = 'MachineResources = "Cpus licence alicecards"'
    slot = (
        f'MyType = "Machine"\n{resources}\nLicence = 1\nTotalSlotLicence = 3\n'
        "TotalSlotAlicecards = 2"
    )
    job = 'MyType = "Job"\nOwner = "alice"\nRequestLicence = 1\nRequestAlicecards = 1'
    new_slot, new_job = rewritten(slot, job)
    asset = new_slot["MachineResources"].strip('"').split()[2]

    assert (new_slot["Licence"], new_slot["TotalSlotLicence"]) == ("1", "3")
    assert (new_slot[f"TotalSlot{asset}"], new_job[f"Request{asset}"]) == ("2", "1")
    assert "alice" not in str((new_slot, new_job)).lower()


@pytest.mark.parametrize(
    "line",
    [
        "QDate = 1e999", "ImageSize = -1e999", f"ClusterId = {'9' * 5000}", f"Rank = MY.{'Request' * 2000}",
        f'Rank = TARGET.Note == "{"a" * 50_000}"', f'Owner = "{"x." * 2000}"', f'GlobalJobId = "a#{"9" * 5000}.0#1"',
        f'MachineResources = "{"Request" * 2000}"', f"Rank = {'(' * 3000}1{')' * 3000}", 'Owner = "unfinished',
        f'Rank = Note == "{"a" * 20_000} @b"',
    ],
)  # fmt: skip
def test_hostile_lines_end_nothing(line: str) -> None:
    assert len(rewritten(f'MyType = "Job"\nOwner = "anna"\n{line}')) == 1


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ('regexp("^an", TARGET.Owner)', {"anna": True, "anton": True, "bob": False}),
        ('regexp("^an", TARGET.Owner ?: "")', {"anna": True, "": False}),
        ('regexp("^(an|)", TARGET.Owner ?: "")', {"anna": True, "bob": True, "": True}),
        ('regexp("o.$", Owner)', {"anna": False, "anton": True, "bob": True}),
        ('regexp("zz", Owner)', {"anna": False, "bob": False}),
    ],
)
def test_a_pattern_over_names_finds_the_new_names_of_those_that_it_found(
    expression: str, matches: dict[str, bool]
) -> None:
    ads = [f'MyType = "Job"\nClusterId = 1\nOwner = "{who}"' for who in ("anna", "anton", "bob")]
    rewriter = rewriter_of(*ads, f'MyType = "Machine"\nStart = {expression}')
    (start,) = [
        line
        for line in rewriter.ad(['MyType = "Machine"', f"Start = {expression}"])
        if "Start" in line
    ]

    for name, found in matches.items():
        new = rewriter.identities.principal(name) if name else ""
        owner = {"Owner": new} if new else {}
        assert Expr(start.partition("=")[2]).evaluate(Ad(owner), Ad(owner)) is found
    assert not rewriter.patterns


@pytest.mark.parametrize("pattern", ["(a+)+$", "a*b*c*d*e", "(", "[[:bad:]"])
def test_a_pattern_that_might_take_for_ever_is_a_text_as_any_other(pattern: str) -> None:
    rewriter = rewriter_of('MyType = "Job"\nClusterId = 1\nOwner = "anna"')
    rewriter.ad(['MyType = "Machine"', f'Start = regexp("{pattern}", TARGET.Owner)'])

    assert len(rewriter.patterns) == 1
