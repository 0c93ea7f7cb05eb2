"""Whatever a node file says, no command of its own reaches HTCondor's parser, which would run it as root."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from htcq import node
from tests.cli.conftest import NODE, Call, names

EMIT = ("emit", "--node", "bad.json")


def hostile(place: Path, resource: str) -> None:
    (place / "bad.json").write_text(json.dumps({**NODE, "custom": {resource: 3}}))


@pytest.mark.parametrize("role", ["execute", "access", "central"])
@pytest.mark.parametrize(
    "resource",
    [
        "lic = 1\nif defined zzz\ninclude : {run} |\nendif\nzzz = 1\nx",
        "lic = 1\ninclude command : {run}\nx",
        "lic = 1 \\\n# c\ninclude : {run} |\nx",
        "lic\r\n@include : {run} |\r\nx",
    ],
)
def test_a_resource_with_a_command_in_its_name_is_refused_behind_the_check_of_names(
    resource: str, role: str, call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first wall, the check of names, is taken away."""
    monkeypatch.setattr(node, "_RESOURCE", re.compile(""))
    mark = quiet_place / "mark"
    hostile(quiet_place, resource.format(run=f"/usr/bin/touch {mark}"))
    before = names(quiet_place)
    done = call(*EMIT, "--role", role, "--weight", "cpus=1", "--force")

    assert names(quiet_place) == before
    assert done.status == 2 or (role != "execute" and not done.status)
    assert "touch" not in done.out


def test_the_command_that_was_run_as_root_is_named(
    call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_RESOURCE", re.compile(""))
    hostile(
        quiet_place, "lic = 1\nif defined zzz\ninclude : /usr/bin/touch mark |\nendif\nzzz = 1\nx"
    )
    done = call(*EMIT)

    assert (done.status, done.out) == (2, "")
    assert "does not stay on its line" in done.err
    assert "mark" not in names(quiet_place)
