"""The files of a snapshot, made anonymous in place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from htcq.errors import AnonymityError
from htcq.pool.anonymize import Rewriter
from htcq.pool.left_out import left_out_from
from htcq.store.anonymize import anonymize_directory
from htcq.store.snapshot_writer import new_snapshot

KEY = b"a key of the tests, long enough."
META = {
    "schema": 1,
    "taken": "2026-01-02T03:04:05+00:00",
    "pool": "cm.example.org:9618",
    "htcq": "1",
    "anonymized": False,
    "failed": [
        {
            "what": "jobs of ap.example.org",
            "why": "cannot connect to <192.0.2.7:9618>: Connection refused",
        }
    ],
    "counts": {"jobs": 1},
}


def fill(directory: Path) -> None:
    for name in ("access", "execute"):
        (directory / name).mkdir(parents=True)
        (directory / name / "ap.example.org.txt").write_text(
            "# from ap.example.org\nUID_DOMAIN = example.org\n"
        )
    (directory / "jobs.ads").write_text(
        'MyType = "Job"\nOwner = "anna"\n\nMyType = "Job"\nOwner = "ben"\n\n'
    )
    (directory / "meta.json").write_text(json.dumps(META))


def test_meta_says_so_and_names_nobody(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path, KEY)
    meta = json.loads((tmp_path / "meta.json").read_text())

    assert meta["anonymized"] is True
    assert {key: meta[key] for key in ("schema", "taken", "htcq", "counts")} == {
        key: META[key] for key in ("schema", "taken", "htcq", "counts")
    }
    assert "example" not in str(meta)
    assert "192.0.2.7" not in str(meta)
    assert meta["failed"][0]["what"].startswith("jobs of host-")
    assert meta["failed"][0]["why"].endswith(":9618>: Connection refused")


def test_what_was_left_out_is_counted_and_not_named(tmp_path: Path) -> None:
    fill(tmp_path)
    parts = [
        {"what": what, "count": 2, "named": ["7.0 of ap.example.org: bad"]}
        for what in ("job", "anna")
    ]
    (tmp_path / "meta.json").write_text(json.dumps({**META, "left_out": parts}))
    anonymize_directory(tmp_path, KEY)
    meta = json.loads((tmp_path / "meta.json").read_text())

    assert meta["left_out"] == [{"what": "job", "count": 2, "named": []}]
    assert [each.sentence for each in left_out_from(meta["left_out"])] == ["2 jobs left out"]


def test_files_are_renamed_after_the_new_names(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path, KEY)
    files = sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()
    )

    assert len(files) == 4
    assert "example" not in str(files)
    assert files[0].partition("/")[2] == files[1].partition("/")[2]


def test_ads_keep_their_form(tmp_path: Path) -> None:
    fill(tmp_path)
    anonymize_directory(tmp_path, KEY)
    ads = (tmp_path / "jobs.ads").read_text()

    assert re.fullmatch(r'(MyType = "Job"\nOwner = "user-[0-9a-f]{8}"\n\n){2}', ads)


def test_several_pools_share_their_names(tmp_path: Path) -> None:
    for pool in ("cm1.example.org", "cm2.example.org"):
        fill(tmp_path / pool)
    anonymize_directory(tmp_path, KEY)
    pools = sorted(path.name for path in tmp_path.iterdir())

    assert len(pools) == 2
    assert "example" not in str(pools)
    assert (tmp_path / pools[0] / "jobs.ads").read_text() == (
        tmp_path / pools[1] / "jobs.ads"
    ).read_text()


def test_what_is_no_utf8_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "jobs.ads").write_bytes(
        b'Name2 = "caf\xe9"\nOwner = "anna\xe9"\nRank = Name2 == "caf\xe9"\n\n'
    )
    anonymize_directory(tmp_path, KEY)

    assert re.fullmatch(
        rb'attr_\w{8} = "word-\w{8}"\nOwner = "user-\w{8}"\nRank = attr_\w{8} == "word-\w{8}"\n\n',
        (tmp_path / "jobs.ads").read_bytes(),
    )


def test_accounts_are_not_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = [f"u{number:02d}" for number in range(30)]
    ads = (f'Name = "{name}@site"\nPriority = {place}\n' for place, name in enumerate(names))
    (tmp_path / "priorities.ads").write_text("\n".join(ads))
    anonymize_directory(tmp_path, KEY)
    priorities = re.findall(r"Priority = (\d+)", (tmp_path / "priorities.ads").read_text())

    assert len(priorities) == 30
    assert priorities != sorted(priorities, key=int)


def test_other_files_and_ads_of_other_types_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "notes.txt").write_text("anna called\n")
    (tmp_path / "collector.ads").write_text('MyType = "Custom"\nName = "anna"\n\n')
    anonymize_directory(tmp_path, KEY)

    assert not (tmp_path / "notes.txt").exists()
    assert (tmp_path / "collector.ads").read_text() == ""


def make(goal: Path) -> None:
    with new_snapshot(goal) as directory:
        (directory / "jobs.ads").write_text('MyType = "Job"\nOwner = "anna"\n\n')
        anonymize_directory(directory, KEY)


def test_a_name_that_is_left_means_no_snapshot_and_says_where_but_not_who(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewritten = Rewriter.ad
    monkeypatch.setattr(
        Rewriter,
        "ad",
        lambda self, lines, untyped: [*rewritten(self, lines, untyped), 'Leak = "x-ANNA-y"'],
    )

    with pytest.raises(AnonymityError) as told:
        make(tmp_path / "goal")

    assert "jobs.ads, line 3" in str(told.value)
    assert "anna" not in str(told.value).lower()
    assert told.value.exit_status == 3
    assert list(tmp_path.iterdir()) == []


def test_the_work_is_done_where_nobody_else_can_look(tmp_path: Path) -> None:
    with new_snapshot(tmp_path / "goal.tar.gz") as directory:
        (directory / "jobs.ads").write_text('MyType = "Job"\nOwner = "anna"\n\n')
        modes = [path.stat().st_mode & 0o777 for path in (directory, directory.parent)]
        anonymize_directory(directory, KEY)

    assert modes == [0o700, 0o700]
    assert [path.name for path in tmp_path.iterdir()] == ["goal.tar.gz"]


CONFIGURATION = """# Configuration from machine: ap-of-anna.example.org
GROUP_NAMES = physics, bio
GROUP_QUOTA_physics = 6
JOB_TRANSFORM_NAMES = anna
JOB_TRANSFORM_anna @=end
   REQUIREMENTS Owner == "anna"
   SET ProjectName "higgs"
@end
QUEUE_SUPER_USERS = root, anna
SCHEDD_NAME = ap-of-anna
SPOOL = C:\\Users\\anna\\spool
START @=end
  TARGET.Owner =!= "anna" &&
  Machine != "ap-of-anna.example.org"
@end
SITE_CONTACT = anna
"""


def test_of_a_configuration_only_known_knobs_stay_and_they_name_nobody(tmp_path: Path) -> None:
    (tmp_path / "jobs.ads").write_text('MyType = "Job"\nOwner = "anna"\n\n')
    (tmp_path / "config.txt").write_text(CONFIGURATION)
    anonymize_directory(tmp_path, KEY)
    group, user, host = r"g\d_\w{8}", r"user-\w{8}", r"host-\w{8}\.domain-\w{8}\.domain-\w{8}"

    assert re.fullmatch(
        f"GROUP_NAMES = {group}, {group}\nGROUP_QUOTA_g2_\\w{{8}} = 6\nSTART @=end\n"
        f'  TARGET.Owner =!= "{user}" &&\n  Machine != "{host}"\n@end\n',
        (tmp_path / "config.txt").read_text(),
    )


@pytest.mark.parametrize(
    "user",
    ["ads", "end", "oct", "json", "config", "jobs", "what", "true", "cpus", "g1", "user", "host"],
)
def test_a_user_called_as_a_word_of_every_snapshot_is_replaced_and_no_false_alarm(
    user: str, tmp_path: Path
) -> None:
    fill(tmp_path)
    (tmp_path / "collector.ads").write_text(
        'MyType = "Machine"\nName = "slot1@wn1"\n'
        'CondorVersion = "$CondorVersion: 8.8.9 Oct 16 2019 $"\n\n'
    )
    (tmp_path / "jobs.ads").write_text(f'MyType = "Job"\nOwner = "{user}"\nRequestCpus = 1\n\n')
    (tmp_path / "config.txt").write_text("START @=end\nTrue ||\nFalse\n@end\n")
    anonymize_directory(tmp_path, KEY)

    assert re.search(
        r'^Owner = "user-[0-9a-f]{8}"$', (tmp_path / "jobs.ads").read_text(), re.MULTILINE
    )


def test_knobs_of_one_daemon_stay_and_its_local_name_does_not(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "config.txt").write_text(
        "SUBSYSTEM = NEGOTIATOR\nLOCALNAME = physicists\nNEGOTIATOR.GROUP_NAMES = lab\n"
        "NEGOTIATOR.GROUP_QUOTA_lab = 5\nphysicists.GROUP_QUOTA_lab = 3\nGROUP_QUOTA_lab = 7\n"
        "SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS = False\n"
    )
    anonymize_directory(tmp_path, KEY)
    lines = (tmp_path / "config.txt").read_text().splitlines()
    (group,) = (line.partition(" = ")[2] for line in lines if line.startswith("GROUP_NAMES"))
    assert "lab" not in group
    assert sorted(lines) == [
        f"GROUP_NAMES = {group}",
        f"GROUP_QUOTA_{group} = 3",
        "SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS = False",
    ]
