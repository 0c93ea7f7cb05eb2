"""htcq audit --config-dir by role: what the machine is, what its files say, and what a node's hardware adds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call

GOLDEN = Path(__file__).parents[1] / "golden"
AUDIT = ("audit", "--config-dir", "site", "--json", "--fail-on", "never")
NODE = '{"cpus": 16, "memory_mb": 65536, "disk_kb": 400000000, "hostname": "node1"}'


@pytest.fixture
def site(quiet_place: Path) -> Path:
    place = quiet_place / "site"
    place.mkdir()
    (quiet_place / "node.json").write_text(NODE)
    return place


def findings(call: Call, *options: str) -> dict[str, str]:
    """Return the severity of each rule with a finding."""
    done = call(*AUDIT, *options)
    assert done.status == 0, done.err
    return {each["rule"]: each["severity"] for each in json.loads(done.out)["findings"]}


def missing(call: Call, *options: str) -> dict[str, str]:
    """Return by rule what it was not checked without."""
    outcome = json.loads(call(*AUDIT, *options).out)
    return {each["rule"]: each["missing"] for each in outcome["not_checked"]}


# Roles
# ------------------------------------------------------------------------------------------------

OF_ROLE = {
    "negotiator-excludes-all": "the configuration of a central manager (--role central)",
    "job-policy-ignored": "the configuration of an access point (--role access)",
    "custom-resource-dropped": "the configuration of an execution point (--role execute)",
}


@pytest.mark.parametrize(
    ("text", "options", "roles"),
    [
        ("DAEMON_LIST = MASTER, STARTD\n", (), {"custom-resource-dropped"}),
        ("DAEMON_LIST = MASTER SCHEDD\n", (), {"job-policy-ignored"}),
        ("use ROLE : Execute\nuse ROLE : Submit\n", (), {"custom-resource-dropped", "job-policy-ignored"}),
        ("use ROLE : Personal\n", (), set(OF_ROLE)),
        ("DAEMON_LIST = MASTER NGPU\nNGPU = $(NEGOTIATOR)\n", (), {"negotiator-excludes-all"}),
        ("DAEMON_LIST = MASTER STARTD\n", ("--role", "central,access"), {"negotiator-excludes-all", "job-policy-ignored"}),
        ("NUM_SLOTS_TYPE_1 = 1\n", (), {"custom-resource-dropped"}),
        ("NEGOTIATOR_INTERVAL = 60\n", (), {"negotiator-excludes-all"}),
        ("START_VANILLA_UNIVERSE = True\n", (), {"job-policy-ignored"}),
        ("LOG = /var/log\n", (), set(OF_ROLE)),
    ],
)  # fmt: skip
def test_rules_of_a_role_are_checked_where_the_machine_has_it(
    text: str, options: tuple[str, ...], roles: set[str], call: Call, site: Path
) -> None:
    (site / "10.config").write_text(text)
    without = missing(call, *options)

    assert {rule for rule in OF_ROLE if rule not in without} == roles
    for rule in OF_ROLE.keys() - roles:
        assert without[rule] == OF_ROLE[rule]


def test_a_role_that_is_none_and_options_without_files_are_refused(call: Call, site: Path) -> None:
    (site / "10.config").write_text("LOG = /var/log\n")
    wrong = call(*AUDIT, "--role", "acces")
    alone = call("audit", "--role", "access")
    node = call("audit", "--node", "node.json")

    assert [each.status for each in (wrong, alone, node)] == [2, 2, 2]
    assert wrong.err == "htcq: --role acces: there is no such role (did you mean access?)\n"
    assert alone.err.startswith("htcq: --role is given without --config-dir")
    assert node.err.startswith("htcq: --node is given without --config-dir")


def test_rules_that_were_not_checked_are_counted_and_named_on_demand(
    call: Call, site: Path
) -> None:
    (site / "10.config").write_text("DAEMON_LIST = MASTER STARTD\n")
    short, long = call(*AUDIT[:3]), call(*AUDIT[:3], "--skipped")

    assert re.search(r"not checked without a pool \(--pool or --snapshot\): \d+ rules\n", short.out)
    assert "broken-slots" not in short.out
    assert "broken-slots" in long.out


# Files
# ------------------------------------------------------------------------------------------------


def test_files_are_named_and_count_in_the_order_given(call: Call, site: Path) -> None:
    (site / "first").write_text("MEMORY = 4096\nRESERVED_MEMORY = 1024\n")
    (site / "last.sh").write_text("RESERVED_MEMORY = 0\n")
    one = call("audit", "--config-dir", "site/first", "--config-dir", "site/last.sh", "--lines")
    other = call("audit", "--config-dir", "site/last.sh", "--config-dir", "site/first", "--lines")

    assert "reserved-memory-subtracted" not in one.out
    assert other.out.startswith("site/first:1: warning: MEMORY is 4096 MB")


def test_a_file_that_was_named_says_what_is_left_out_of_the_directory_after_it(
    call: Call, site: Path
) -> None:
    (site.parent / "condor_config").write_text("LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = .*[.]old\n")
    (site / "10.py").write_text("MEMORY = 4096\n")
    (site / "20.old").write_text("MEMORY = 1\n")
    (site / "30").write_text("RESERVED_MEMORY = 1024\n")
    done = call("audit", "--config-dir", "condor_config", "--config-dir", "site", "--lines")

    assert done.out.startswith("site/10.py:1: warning: MEMORY is 4096 MB")


DOCKERFILE = """FROM debian:12
RUN apt-get update && apt-get install -y \\
    condor
ENV CONDOR_HOST=cm.example
COPY 10.config /etc/condor/config.d/
"""
OTHERS = {
    "Dockerfile": (DOCKERFILE, "0 of 4 lines set a knob of HTCondor"),
    "README": ("# Ours\n\nThese files are read in order.\nDo not edit.\n", "0 of 2 lines set a knob of HTCondor"),
    "site.yaml": ("pool: cm\nnodes:\n  - name: a\n    cpus: 4\n", "0 of 5 lines set a knob of HTCondor"),
    "deploy": ("#!/bin/sh\nMEMORY=5\nrm -rf x\n", "it is a program: it begins with #!"),
    "10.j2": ("MEMORY = 5\n{% if x %}\nNUM_CPUS = 4\n{% endif %}\n", "it is a template: line 2 begins with {%"),
    "20.erb": ("<% if x %>\nNUM_CPUS = 4\n<% end %>\n", "it is a template: line 1 begins with <%"),
    "metrics": ('# Ours\n[\n  Name = "x";\n]\n', "it is a list of ClassAds"),
    "daemons.conf": ("[supervisord]\nuser = condor\n\n[program:x]\ncommand = y\n", "it has sections: [program:x] in line 4"),
    "a.sub": ("executable = a\n+Project = 1\nqueue\n", "it is a submit description: +Project = 1 in line 2"),
    "core": ("ELF\0\1\2\n", "it is binary"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_configuration_is_skipped_with_one_line(
    name: str, call: Call, site: Path
) -> None:
    text, why = OTHERS[name]
    (site / name).write_text(text)
    (site / "99.config").write_text("MEMORY = 4096\nRESERVED_MEMORY = 1024\n")
    done = call(*AUDIT)
    outcome = json.loads(done.out)

    assert done.status == 0
    assert [each["rule"] for each in outcome["findings"]] == ["reserved-memory-subtracted"]
    (line,) = outcome["incomplete"]
    assert line.startswith(f"site/{name} is no configuration and is skipped: {why}")
    assert line.endswith("; HTCondor would read it in a directory of LOCAL_CONFIG_DIR")


@pytest.mark.parametrize(
    "text",
    [
        "SITE_CPUS = 4\nour_host = cm\n",
        "NUM_CPUS = 4\nthis is broken\n",
        "X = 1\nY = 2\nthis is broken\n",
        "RunBenchmarks : False\nNUM_CPUS : 4\n",
        "# nothing but a comment\n",
        "NUM_CPUS = 4\n[section]\n",
        "JOB_ROUTER_ROUTE_a @=jrt\n  REQUIREMENTS x\n  SET y 1\n@jrt\n",
    ],
)
def test_what_htcondor_is_meant_to_read_is_not_skipped(text: str, call: Call, site: Path) -> None:
    (site / "10.config").write_text(text)

    assert json.loads(call(*AUDIT).out)["incomplete"] == []


def test_a_broken_line_is_an_error_with_line_and_column_and_the_rest_is_checked(
    call: Call, site: Path
) -> None:
    (site / "10.config").write_text("MEMORY = 4096\n  NUM_SLOTS 4\nRESERVED_MEMORY = 1024\n")
    done = call("audit", "--config-dir", "site", "--lines")

    assert done.status == 1
    assert done.out.splitlines()[:2] == [
        "site/10.config:2: error: site/10.config:2, column 12: no = after NUM_SLOTS [line-refused]",
        "site/10.config:1: warning: MEMORY is 4096 MB and RESERVED_MEMORY 1024 MB: the startd offers 3072 MB "
        "[reserved-memory-subtracted]",
    ]  # fmt: skip


def test_no_secret_of_a_broken_line_is_shown(call: Call, site: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"
    (site / "10.config").write_text(
        f"NUM_CPUS = 4\n{key}# a password\nMEMORY = 5\nthe password hunter2\n"
    )
    done = call("audit", "--config-dir", "site", "--text")

    assert "site/10.config:7, column 4: no = after the" in done.out
    assert "MIIE" not in done.out
    assert "hunter2" not in done.out


# What files alone say
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = 4\nGROUP_AUTOREGROUP = True\n", {"autoregroup": "error"}),
        ("GROUP_NAMES = a\nGROUP_QUOTA_a = 4\nGROUP_AUTOREGROUP = False\n", {}),
        ("MEMORY = 4096\nRESERVED_MEMORY = 1024\n", {"reserved-memory-subtracted": "warning"}),
        ("SLOT_TYPE_14 = 50%\nNUM_SLOTS_TYPE_14 = 1\n", {"slot-type-beyond-max": "info"}),
        ("SLOT_WEIGHT = max({Cpus, Memory / 2048})\nSTART = True\n", {"weight-grows-as-slot-splits": "warning"}),
        ("SLOT_WEIGHT = Cpus + Memory / 4096.0\nSTART = True\n", {}),
        ("SLOT_WEIGHT = max({Cpus, Memory / 2048})\nCONSUMPTION_POLICY = True\n", {}),
        ("use FEATURE : AssignAccountingGroup(/no/such.map)\n", {"user-map-missing": "error"}),
        ("use FEATURE : ScheddUsermapFile(labs, /no/such.map)\n", {"user-map-missing": "warning"}),
        ("use FEATURE : AssignAccountingGroup(/etc/condor/site/ours.map)\n", {}),
        ("use FEATURE : AssignAccountingGroup(/etc/passwd)\n", {}),
        ("use ROLE : Execut\n", {"line-refused": "error"}),
    ],
)  # fmt: skip
def test_a_file_alone_says(text: str, expected: dict[str, str], call: Call, site: Path) -> None:
    (site / "10.config").write_text(text)
    (site / "ours.map").write_text("# a map\n")

    assert findings(call) == expected


def test_a_chunk_above_the_memory_of_the_slot_is_an_error(call: Call) -> None:
    """The file is a site's case: every request becomes 3072 MB in a slot of 2048 MB."""
    place = str(GOLDEN / "configurations" / "chunk-above-memory")
    done = call("audit", "--config-dir", place, "--text")

    assert done.status == 1
    assert "MODIFY_REQUEST_EXPR_REQUESTMEMORY makes 3072 of a request for 1" in done.out


# A node's hardware
# ------------------------------------------------------------------------------------------------

POLICY = "use ROLE : Execute\nuse FEATURE : PartitionableSlot\nCONSUMPTION_POLICY = True\n"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"{POLICY}SLOT_WEIGHT = floor(NoSuchThing/2)\n", "weight-not-a-number"),
        (f"{POLICY}CONSUMPTION_CPUS = 0.5\n", "fractional-cpus"),
        (f"{POLICY}SLOT_TYPE_1_PARTITIONABLE = False\n", "policy-on-static-slots"),
        ("MODIFY_REQUEST_EXPR_REQUESTMEMORY = quantize(RequestMemory, 40000)\nMUST_MODIFY_REQUEST_EXPRS = True\n",
         "modified-request-above-slot"),
        ("use ROLE : Execute\nSTART = RequestCpus > 64\n", "slots-closed"),
    ],
)  # fmt: skip
def test_rules_on_slots_run_with_the_hardware_of_a_node(
    text: str, rule: str, call: Call, site: Path
) -> None:
    (site / "10.config").write_text(text)

    assert rule not in findings(call)
    assert rule in findings(call, "--node", "node.json")


def test_what_a_running_pool_alone_shows_is_not_checked_on_a_node(call: Call, site: Path) -> None:
    (site / "10.config").write_text("use ROLE : Personal\nGROUP_NAMES = a\nGROUP_QUOTA_a = 1000\n")
    without = missing(call, "--node", "node.json")

    for rule in ("broken-slots", "unhealthy-nodes", "quota-exceeds-pool", "jobs-fit-no-machine"):
        assert without[rule] == "a pool (--pool or --snapshot)"


def test_a_file_that_holds_no_node_is_refused(call: Call, site: Path) -> None:
    (site / "10.config").write_text("MEMORY = 5\n")
    done = call(*AUDIT, "--node", "site/10.config")

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("htcq: site/10.config is not JSON")


def test_what_the_schedd_uses_by_itself_is_not_missing(call: Call, site: Path) -> None:
    """The metaknob PelicanRetryPolicy adds a name to JOB_TRANSFORM_NAMES, and the transform (25.14)."""
    (site / "10.config").write_text(
        "if defined SITE\nA = 1\nendif\nJOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) B\n"
        "JOB_TRANSFORM_B @=end\n  SET X 1\n@end\n"
    )
    done = call(*AUDIT, "--only", "job-policy-ignored")

    assert json.loads(done.out)["findings"] == []


def test_a_condition_on_a_password_is_evaluated(call: Call, site: Path) -> None:
    (site / "10.config").write_text(
        "if $(USE_POOL_PASSWORD:no)\nMEMORY = 4096\nRESERVED_MEMORY = 1024\nendif\n"
    )
    outcome = json.loads(call(*AUDIT).out)

    assert outcome["findings"] == outcome["incomplete"] == []


def test_an_hour_is_one_hour(call: Call, site: Path) -> None:
    (site / "10.config").write_text("NEGOTIATOR_INTERVAL = 3600\n")

    assert "a job can wait 1 h for" in call(*AUDIT, "--only", "cycles-far-apart").out
