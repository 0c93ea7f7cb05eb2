"""What htcq reads of slots and jobs stays in anonymous snapshots, so that a match is decided as before."""

from __future__ import annotations

import pytest

from htcq.pool import job, slot
from htcq.pool.disclosure import form_of


@pytest.mark.parametrize(
    ("ad_type", "name"),
    [
        *(("machine", name) for name in (*slot.OWN, *slot.SHARED)),
        *(("job", name) for name in sorted({*job.OWN, *job.SHARED, *job.LIFE})),
    ],
)
def test_what_is_read_of_an_ad_stays(ad_type: str, name: str) -> None:
    assert form_of(ad_type, name.lower().replace("*", "cpus")) is not None
