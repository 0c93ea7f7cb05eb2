"""Completion in real shells: what bash, zsh and fish offer for a line that somebody types."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.cli.completion import script
from htcq.cli.main import COMMANDS
from htcq.report.completion import SHELLS
from tests.packages.shells import completions

#: A line that ends where the cursor stands, and what is offered for its last word.
LINES = {
    "htcq ": sorted(COMMANDS),
    "htcq el": ["elastic"],
    "htcq quota ": ["emit", "lint"],
    "htcq elastic reclaim re": ["record", "release", "resume"],
    "htcq audit --fail-on ": ["error", "info", "never", "warning"],
    "htcq audit --fail-on=w": ["--fail-on=warning"],
    "htcq audit --only weight-not-a-number,dead-k": ["weight-not-a-number,dead-knob"],
    "htcq audit --sn": ["--snapshot"],
    "htcq audit --snapshot sna": ["snap", "snap.tar.gz"],
    "htcq emit --write sn": ["snap"],
    "htcq emit --role ": ["access", "central", "execute"],
    "htcq plan --model=q": ["--model=quantized"],
    "htcq why 12.0 --cy": ["--cycles"],
    "htcq elastic plan --qu": ["--quotas"],
    "htcq drift check --metric st": ["starved"],
    "htcq explain dead-k": ["dead-knob"],
    "htcq explain --completion f": ["fish"],
    # Nothing is known of a job's number, of a time, or after a word that is no command.
    "htcq why --timeout ": [],
    "htcq no-such-command --snap": [],
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the script of each shell."""
    place = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        (place / f"htcq.{shell}").write_text(script(shell), encoding="utf-8")
    return place


@pytest.mark.packages
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_shell_offers(shell: str, line: str, scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "snap").mkdir()
    (tmp_path / "snap.tar.gz").touch()

    offered = completions(shell, scripts / f"htcq.{shell}", line, tmp_path)

    # A shell that knows nothing leaves what is typed.
    told = {each.rstrip("/") for each in offered} - {line.rpartition(" ")[2]}
    assert sorted(told) == LINES[line]
