"""HTCondor's own parser, in a process of its own."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.configuration import own_configuration, read_configuration, read_dump
from htcq.pool.configuration import configuration_from


def test_macros_are_expanded_and_undefined_names_left_out() -> None:
    values = read_configuration(
        "A = 1\nB = $(A) + $(A)\nIF_ME = $(NOTHING:x)\n", ["A", "B", "IF_ME", "NOTHING_AT_ALL"]
    )

    assert values == {"A": "1", "B": "1 + 1", "IF_ME": "x"}


def test_htcondors_defaults_are_known() -> None:
    assert read_configuration("", ["SLOT_WEIGHT", "MODIFY_REQUEST_EXPR_REQUESTCPUS"]) == {
        "SLOT_WEIGHT": "Cpus",
        "MODIFY_REQUEST_EXPR_REQUESTCPUS": "quantize(RequestCpus,{1})",
    }


@pytest.mark.parametrize(
    "text", ["if true\n", "no assignment\n", "use NO : SUCHTHING\n", "include : /no/such/file\n"]
)
def test_a_text_that_cannot_be_read_is_one_error_and_this_process_lives(text: str) -> None:
    with pytest.raises(InputError, match="HTCondor cannot read it") as refused:
        read_configuration(text, ["A"])

    assert "\n" not in str(refused.value)


def test_one_reading_knows_nothing_of_another() -> None:
    read_configuration("SLOT_WEIGHT = Memory\n", ["SLOT_WEIGHT"])

    assert read_configuration("A = 1\n", ["SLOT_WEIGHT"]) == {"SLOT_WEIGHT": "Cpus"}


def test_neither_environment_nor_this_machines_files_get_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").write_text("SLOT_WEIGHT = Disk\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "own"))
    monkeypatch.setenv("_CONDOR_SLOT_WEIGHT", "Memory")

    assert read_configuration("A = 1\n", ["SLOT_WEIGHT"]) == {"SLOT_WEIGHT": "Cpus"}
    assert os.environ["CONDOR_CONFIG"] == str(tmp_path / "own")


def test_this_machines_own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").write_text(
        f"MY_DIR = {tmp_path}/$(MY_NAME)\nMY_NAME = x\nLOCAL_CONFIG_DIR =\n"
    )
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "own"))

    assert own_configuration(["MY_DIR", "NOTHING_AT_ALL"]) == {"MY_DIR": f"{tmp_path}/x"}


def test_the_environment_alone_may_be_this_machines_configuration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_GROUP_NAMES", "a, b")

    assert own_configuration(["GROUP_NAMES", "SLOT_WEIGHT"]) == {
        "GROUP_NAMES": "a, b",
        "SLOT_WEIGHT": "Cpus",
    }


def test_a_library_that_was_loaded_with_the_environment_alone_reads_a_text() -> None:
    """It would never read a file again, in no child of the process either."""
    done = subprocess.run(
        [
            sys.executable, "-c",
            "from htcq.classads import Expr\n"
            "assert Expr('1 + 1').evaluate() == 2\n"
            "from htcq.live.configuration import read_dump\n"
            "values, defaults, _ = read_dump('SLOT_WEIGHT = 2 * $(A)\\nA = 7\\n', ('SLOT_WEIGHT',))\n"
            "print(values, defaults.get('A'), defaults['SLOT_WEIGHT'])\n",
        ],
        env={**os.environ, "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_SLOT_WEIGHT": "9", "_CONDOR_A": "3"},
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip

    assert done.stdout.strip() == "{'SLOT_WEIGHT': '2 * 7'} None Cpus"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        # An older library ends the process at these, a newer one puts its default in their place.
        ("NEGOTIATOR_INTERVAL = 5 minutes", "5 minutes"),
        ("GROUP_ACCEPT_SURPLUS = maybe", "maybe"),
        ("MAX_JOBS_RUNNING = -5", "-5"),
        ("PRIORITY_HALFLIFE = 24 * $(HOUR)", "24 * (60 * $(MINUTE))"),
        ("CLAIM_WORKLIFE =", ""),
        # At these as well; a newer one has no value.
        ("A = $INT(NO_SUCH_KNOB)", "$INT(NO_SUCH_KNOB)"),
        ("A = $CHOICE(7,x,y)", "$CHOICE(7,x,y)"),
        ("B = 2\nA = $CHOICE(B,x,y)", "$CHOICE(B,x,y)"),
        ("B = x, y\nA = $CHOICE(2,B)", "$CHOICE(2,B)"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_its_text_and_the_rest_is_read(line: str, value: str) -> None:
    text = f"HOUR = (60 * $(DOLLAR)(MINUTE))\nGROUP_NAMES = a\n{line}\nGROUP_QUOTA_a = 7\n"

    found = configuration_from("config.txt", text, read_dump)

    assert found.value(line.splitlines()[-1].partition(" =")[0]) == value
    assert (found.value("GROUP_NAMES"), found.value("GROUP_QUOTA_a")) == ("a", "7")


def test_what_depends_on_the_memory_of_an_unknown_machine_is_no_number() -> None:
    """MAX_JOBS_RUNNING is MIN({$(DETECTED_MEMORY), 10000}) by default, and as condor_config_val -dump prints it."""
    default = configuration_from("config.txt", "GROUP_NAMES = a\n", read_dump)
    dumped = configuration_from(
        "config.txt",
        "MAX_JOBS_RUNNING = MIN({$(DETECTED_MEMORY), 10000})\nA = <$(DETECTED_MEMORY)>\n",
        read_dump,
    )
    known = configuration_from(
        "config.txt",
        "DETECTED_MEMORY = 24105\nMAX_JOBS_RUNNING = MIN({$(DETECTED_MEMORY), 10000})\n",
        read_dump,
    )

    assert default.value("GROUP_NAMES") == "a"
    assert default.value("MAX_JOBS_RUNNING") == "MIN({, 10000})"
    assert (dumped.value("MAX_JOBS_RUNNING"), dumped.value("A")) == ("MIN({, 10000})", "<>")
    assert known.value("MAX_JOBS_RUNNING") == "MIN({24105, 10000})"


# A text from elsewhere
# ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "$ENV(AWS_SECRET_ACCESS_KEY)", "$ENV(AWS_SECRET_ACCESS_KEY:x)", "$(INDIRECT)", "$STRING(INDIRECT)",
        "$EVAL(INDIRECT)", "$CHOICE(0,INDIRECT,b)", "$SUBSTR(INDIRECT,0)", "$BASENAME(INDIRECT)", "$DIRNAME(INDIRECT)",
        "$Fpqa(INDIRECT)", "$Ff(INDIRECT)", "$RANDOM_CHOICE(INDIRECT)", "$(NONE:$ENV(AWS_SECRET_ACCESS_KEY))",
        "$(DOLLAR)ENV(AWS_SECRET_ACCESS_KEY)", "$$ENV(AWS_SECRET_ACCESS_KEY)",
    ],
)  # fmt: skip
def test_a_text_from_elsewhere_reads_no_variable(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "verysecret")
    text = f"INDIRECT = $ENV(AWS_SECRET_ACCESS_KEY)\nA = {value}\n"

    found = configuration_from("config.txt", text, read_dump)

    assert "verysecret" not in found.value("A")


def test_this_machine_is_not_taken_for_the_one_that_the_text_is_of() -> None:
    text = (
        "HOSTNAME = theirs\nIP_ADDRESS = 192.0.2.77\nA = $(HOSTNAME) $(IP_ADDRESS)\n"
        "NETWORK_HOSTNAME = their.net\n"
    )

    found = configuration_from("config.txt", text, read_dump)

    assert found.value("A") == "theirs 192.0.2.77"
    assert found.value("HOSTNAME") == "theirs"
    assert found.value("NETWORK_HOSTNAME") == "their.net"


@pytest.mark.parametrize(
    "name",
    [
        "HOSTNAME", "FULL_HOSTNAME", "USERNAME", "REAL_UID", "PID", "PPID", "IP_ADDRESS", "IPV4_ADDRESS",
        "IPV6_ADDRESS", "DETECTED_CPUS", "DETECTED_MEMORY", "UTSNAME_NODENAME", "UTSNAME_RELEASE", "TILDE",
        "HOST_ALIAS", "NETWORK_HOSTNAME",
    ],
)  # fmt: skip
def test_what_the_text_does_not_say_is_not_this_machines(name: str) -> None:
    found = configuration_from("config.txt", f"A = <$({name})>\n", read_dump)

    assert found.value("A") == "<>"


@pytest.mark.parametrize("value", ["$STRING(B)", "$EVAL(B)", '$EVAL(userHome("root"))'])
def test_a_text_from_elsewhere_looks_up_no_account(value: str) -> None:
    found = configuration_from("config.txt", f'B = userHome("root")\nA = {value}\n', read_dump)

    assert pwd.getpwnam("root").pw_dir not in found.value("A")


def test_full_names_of_files_do_not_tell_where_htcq_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    found = configuration_from("config.txt", "B = x\nA = $Ffp(B) $Ff(B) $Ffpq(B)\n", read_dump)

    assert tmp_path.name not in found.value("A")


@pytest.mark.parametrize("line", ["include : FILE", "include command : cat FILE", "include ifexist : FILE",
                                  "LOCAL_CONFIG_FILE = FILE", "@include : FILE"])  # fmt: skip
def test_a_text_from_elsewhere_reads_no_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("A = mine\n")

    found = configuration_from(
        "config.txt", f"A = theirs\n{line.replace('FILE', str(tmp_path / 'own'))}\n", read_dump
    )

    assert found.value("A") == "theirs"


def test_a_value_that_would_fill_the_memory_ends_the_parser_alone() -> None:
    bomb = '"x"'
    for _ in range(4):
        bomb = f"evalInEachContext({bomb},{{{','.join(f'[a={number}]' for number in range(100))}}})"

    with pytest.raises(InputError, match="HTCondor cannot read it"):
        configuration_from("config.txt", f"B = {bomb}\nA = $EVAL(B)\n", read_dump)
