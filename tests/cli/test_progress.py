"""Long work shows on a terminal which step is under way, also from the process that is confined."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.own_terminal import Terminal
from tests.pins.places import furnish

AUDIT = ("audit", "--snapshot", "quotas", "--fail-on", "never", "--config", "/dev/null")
COURSE = ("simulate", "--snapshot", "quotas", "--cycles", "3", "--run-time", "60")
#: What the last step is called, with the number of steps that are done before it.
LAST = {AUDIT: r" (\d+)/(\d+) ([a-z-]+)", COURSE: r" (2)/(3) (cycle 3)"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with recorded pools."""
    directory = tmp_path_factory.mktemp("place")
    furnish(directory)
    return directory


def everything(words: tuple[str, ...], **environment: str) -> str:
    """Return all that a command writes on a terminal of its own."""
    terminal = Terminal(["-m", "htcq", *words], **environment)
    text = b""
    try:
        while True:
            part = os.read(terminal.handle, 65536)
            if not part:
                break
            text += part
    except OSError:
        # The end of a terminal.
        pass
    os.waitpid(terminal.pid, 0)
    os.close(terminal.handle)
    return text.decode()


@pytest.mark.parametrize("words", [AUDIT, COURSE], ids=["audit", "simulate"])
def test_a_terminal_shows_every_step(
    words: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", everything(words))
    steps = re.findall(LAST[words], shown)

    done, all_, name = steps[-1]
    assert int(done) == int(all_) - 1
    if words == AUDIT:
        assert {int(number) for number, _, _ in steps} == set(range(int(all_)))
    assert name in shown


@pytest.mark.parametrize("words", [AUDIT, COURSE], ids=["audit", "simulate"])
def test_without_colours_or_a_terminal_there_is_no_bar(
    words: tuple[str, ...], place: Path, command: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert re.findall(LAST[words], everything(words, NO_COLOR="1")) == []
    done = command(*(str(place / "quotas") if word == "quotas" else word for word in words))

    assert re.findall(LAST[words], done.err) == []
