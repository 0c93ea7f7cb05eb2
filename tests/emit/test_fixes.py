"""Files of settings that fix an audit's findings: by machines, and without what two findings disagree on."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.engine import Audit
from htcq.audit.fix import Role, Setting
from htcq.emit.fixes import fix_files
from htcq.live.configuration import read_configuration
from tests.report.audits import QUOTA, WEIGHT


def _audit(*findings: tuple[Setting, ...]) -> Audit:
    made = (
        replace(QUOTA, rule=f"rule-{number}", settings=settings)
        for number, settings in enumerate(findings)
    )
    return Audit(tuple(made), (), source="cm.example.net")


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_machines_that_set_the_same_share_a_file() -> None:
    cpus = Setting(Role.EXECUTE, "CONSUMPTION_CPUS", "1", nodes=("a", "b", "c"))
    claims = Setting(Role.EXECUTE, "NUM_CLAIMS", "8", nodes=("c",))
    every = Setting(Role.EXECUTE, "SLOT_WEIGHT", "Cpus")
    files, conflicts = fix_files(_audit((cpus, claims), (every,)))

    assert not conflicts
    assert {name: _lines(text) for name, text in files.items()} == {
        "execution-points.config": ["SLOT_WEIGHT = Cpus"],
        "execution-points-a-and-1-more.config": ["CONSUMPTION_CPUS = 1"],
        "execution-point-c.config": ["CONSUMPTION_CPUS = 1", "NUM_CLAIMS = 8"],
    }
    assert "# For execution point a, b." in files["execution-points-a-and-1-more.config"]


def test_who_needs_a_restart_is_said() -> None:
    files, _ = fix_files(
        _audit((Setting(Role.EXECUTE, "NUM_CLAIMS", "8"), Setting(Role.CENTRAL, "A", "1")))
    )

    assert "condor_restart -startd" in files["execution-points.config"]
    assert "condor_reconfig" in files["central-manager.config"]


def test_two_values_of_one_knob_are_told_and_none_is_written() -> None:
    one = Setting(Role.EXECUTE, "SLOT_WEIGHT", "Cpus")
    other = Setting(Role.EXECUTE, "slot_weight", "Memory", nodes=("a",))
    third = Setting(Role.EXECUTE, "NUM_CLAIMS", "8")
    files, (conflict,) = fix_files(_audit((one,), (other, third)))

    said = (
        "SLOT_WEIGHT of the execution points is not written: rule-0 wants 'Cpus' and rule-1 "
        "wants 'Memory'"
    )
    assert conflict.sentence == said
    assert {name: _lines(text) for name, text in files.items()} == {
        "execution-points.config": ["NUM_CLAIMS = 8"]
    }
    assert f"# {said}.\n" in files["execution-points.config"]


def test_different_machines_may_want_different_values() -> None:
    here = Setting(Role.EXECUTE, "NUM_CLAIMS", "8", nodes=("a",))
    files, conflicts = fix_files(_audit((here,), (replace(here, value="16", nodes=("b",)),)))

    assert not conflicts
    assert sorted(files) == ["execution-point-a.config", "execution-point-b.config"]


def test_one_value_for_two_findings_is_written_once() -> None:
    setting = Setting(Role.CENTRAL, "A", "1")
    files, _ = fix_files(_audit((setting,), (setting,)))

    assert _lines(files["central-manager.config"]) == ["A = 1"]
    assert "# warning: rule-0: " in files["central-manager.config"]
    assert "# warning: rule-1: " in files["central-manager.config"]


def test_nothing_in_a_message_becomes_configuration() -> None:
    """A comment that ends in a backslash would take in the setting below it."""
    odd = replace(
        WEIGHT,
        message="x\nINJECTED = 1\r\x0bINJECTED = 2\\",
        advice="y\\",
        settings=(Setting(Role.CENTRAL, "A", "1"),),
    )
    files, _ = fix_files(Audit((odd,), (), source="pool\nINJECTED = 3", taken="\\"))
    values = read_configuration(files["central-manager.config"], ["A", "INJECTED"])

    assert values == {"A": "1"}
