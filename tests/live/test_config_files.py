"""Every file and line of this machine's configuration that sets a knob, in the order in which HTCondor reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.live.config_files import ConfigFiles


def _files(directory: Path) -> dict[str, str]:
    (directory / "config.d").mkdir()
    (directory / "condor_config").write_text("GROUP_NAMES = a\nOTHER = 1\n")
    (directory / "config.d/20-b").write_text("# of b\n\nGROUP_NAMES = b\n")
    (directory / "config.d/10-c").write_text("GROUP_NAMES = c\n")
    (directory / "config.d/30-d.rpmsave").write_text("GROUP_NAMES = d\n")
    return {
        "LOCAL_CONFIG_DIR": f"{directory}/config.d",
        "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP": r"^(.*\.rpmsave)$",
    }


def test_the_last_file_by_name_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    knobs = _files(tmp_path)
    monkeypatch.setenv("CONDOR_CONFIG", f"{tmp_path}/condor_config")
    found = ConfigFiles(knobs).of("group_names", "b")

    assert [(each.raw, each.place) for each in found] == [
        ("a", f"{tmp_path}/condor_config, line 1"),
        ("c", f"{tmp_path}/config.d/10-c, line 1"),
        ("b", f"{tmp_path}/config.d/20-b, line 3"),
    ]


def test_files_that_do_not_make_the_value_that_counts_are_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command or an include may have set it."""
    knobs = _files(tmp_path)
    monkeypatch.setenv("CONDOR_CONFIG", f"{tmp_path}/condor_config")

    assert ConfigFiles(knobs).of("GROUP_NAMES", "elsewhere") == ()
    assert ConfigFiles(knobs).of("NO_SUCH_KNOB", "1") == ()


def test_what_cannot_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", f"{tmp_path}/condor_config")
    (tmp_path / "condor_config").write_text("A = 1\n")
    knobs = {
        "LOCAL_CONFIG_DIR": f"{tmp_path}/nowhere",
        "LOCAL_CONFIG_FILE": f"{tmp_path}/none, {tmp_path}",
    }

    assert [each.place for each in ConfigFiles(knobs).of("A", "1")] == [
        f"{tmp_path}/condor_config, line 1"
    ]
