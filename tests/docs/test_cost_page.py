"""The page of ``htcq cost`` tells every name of its JSON and of its CSV, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.cli.main import run
from htcq.errors import EXIT_FINE
from htcq.report.column import names
from htcq.report.views.cost import COLUMNS
from tests.audit.sites import accounting, dynamic_slot, job, negotiator, policy_slot
from tests.docs.documents import ROOT, section, tags, words
from tests.docs.test_man import keys

PAGE = ROOT / "man/man1/htcq-cost.1"
#: Their names are those of assets.
FREE = ("request", "total")


def test_the_cost_has_every_name_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ads = (
        policy_slot(Cpus=7),
        dynamic_slot(),
        accounting("ada@site", WeightedResourcesUsed="1.0"),
        negotiator(),
    )
    (tmp_path / "collector.ads").write_text("\n".join(ads))
    (tmp_path / "jobs.ads").write_text(job())
    assert run(["cost", "--snapshot", str(tmp_path), "--json"]) == EXIT_FINE
    found = json.loads(capsys.readouterr().out)
    described = {name for tag in tags(section(PAGE, "JSON")) for name in words(tag)}

    assert described == keys(found, (*FREE, "consumption"))


def test_every_column_is_told() -> None:
    assert set(names(COLUMNS)) <= words(section(PAGE, "CSV"))
