"""A pool of many slots: captured in parts, each slot once, with the memory of a few parts.

The slots are made up, from what the real startd of the pool says; the collector is HTCondor's.
``--slots 100000`` captures so many, in parts of the usual size, and fails if one query takes more memory than ENOUGH.
"""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import NEWEST, Site

from htcq.live import slot_queries
from htcq.live.capture import capture

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: Without the option: so many slots, in parts of so many.
FEW, SMALL = 1200, 200
#: Slots of each machine: a partitionable one and its dynamic ones.
OF_A_MACHINE = 17
#: Ads that one call of condor_advertise sends.
_AT_ONCE = 2000
#: MiB that one query may take, whatever the pool has.
ENOUGH = 600


@pytest.fixture
def many(site: Site, pytestconfig: pytest.Config) -> Iterator[int]:
    """The pool with made-up slots beside its own; their number."""
    site.emptied()
    site.start("CLASSAD_LIFETIME = 86400\nSTART = False\n")
    count = int(pytestconfig.getoption("--slots")) or FEW
    own = next(text for text in site.pool.tool("condor_status", "-l").split("\n\n") if text.strip())
    for first in range(0, count, _AT_ONCE):
        ads = [_made_up(own, number) for number in range(first, min(count, first + _AT_ONCE))]
        text = "\n\n".join(ads) + "\n"
        site.pool.tool("condor_advertise", "-multiple", "-tcp", "UPDATE_STARTD_AD", "-", text=text)

    def known() -> bool:
        return len(site.pool.ads("slots", ["Name"], constraint="Cpus > 0")) == count + 1

    site.pool.wait(known, 60, "the slots", ("CollectorLog",))
    yield count
    away = 'MyType = "Query"\nTargetType = "Machine"\nRequirements = Machine != "node.test"\n'
    site.pool.tool("condor_advertise", "-tcp", "INVALIDATE_STARTD_ADS", "-", text=away)


def _made_up(own: str, number: int) -> str:
    """Return the ad of one slot; every third machine is written in upper case."""
    machine, slot = divmod(number, OF_A_MACHINE)
    host = f"n{machine:05d}.site"
    if machine % 3 == 0:
        host = host.upper()
    name = f"slot1_{slot}@{host}" if slot else f"slot1@{host}"
    values = {"Machine": host, "Name": name}
    for attribute, value in values.items():
        own = re.sub(rf"(?m)^{attribute} = .*$", f'{attribute} = "{value}"', own)
    if slot:
        own = re.sub(r"(?m)^PartitionableSlot = .*$", "DynamicSlot = true", own)
    # Nobody is there: a startd is not asked for its configuration then.
    return re.sub(r"(?m)^MyAddress = .*\n", "", own)


def test_each_slot_is_captured_once_in_parts(
    site: Site, many: int, pytestconfig: pytest.Config, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None],
) -> None:  # fmt: skip
    if not pytestconfig.getoption("--slots"):
        monkeypatch.setattr(slot_queries, "SLOTS_OF_A_PART", SMALL)
    capture(site.pool.collector, tmp_path / "snapshot", 600.0)

    text = (tmp_path / "snapshot" / "collector.ads").read_text()
    names = re.findall(r'(?m)^Name = "(slot.*)"$', text)
    meta = json.loads((tmp_path / "snapshot" / "meta.json").read_text())
    parts = meta["slot_parts"]
    assert len(names) == len(set(names)) == many + 1
    assert parts["before"] == parts["after"] == many + 1
    assert parts["parts"] >= many / slot_queries.SLOTS_OF_A_PART
    assert [each for each in meta["failed"] if each["what"] == "slots"] == []
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    assert most < ENOUGH
    record_property("MiB of one query at most", most)
