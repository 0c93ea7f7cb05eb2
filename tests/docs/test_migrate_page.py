"""The page of ``htcq migrate`` tells every name of its JSON and of its CSV."""

from __future__ import annotations

from htcq.elastic.migration import ElasticMove
from htcq.report.column import names
from htcq.report.views.migrate import GROUPS, migration_json
from htcq.report.views.migrate_steps import Files, steps
from tests.docs.documents import ROOT, section, words
from tests.docs.test_man import keys
from tests.simulate.migration.pools import claim, machine, migrated, site, used, wants

PAGE = ROOT / "man/man1/htcq-migrate.1"


def test_every_name_in_the_json_is_told() -> None:
    asking, jobs = wants("bio.ann@site", idle=1, running=1)
    told = used("bio.ann@site", 1, Ceiling=3, Priority="2000.0", PriorityFactor="1000.0")
    found = migrated(site(machine(Cpus=7, NumDynamicSlots=1), claim(1), asking, told, jobs=jobs))
    printed = migration_json(
        found, (ElasticMove("bio", "min", 1, 2),), steps(found, Files("new.toml"))
    )

    assert keys(printed, ()) - {"schema"} <= words(section(PAGE, "JSON"))


def test_every_column_is_told() -> None:
    assert set(names(GROUPS)) <= words(section(PAGE, "CSV"))
