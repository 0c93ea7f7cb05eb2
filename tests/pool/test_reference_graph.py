"""Which words an evaluation may come upon."""

from __future__ import annotations

from htcq.pool.pool import Pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from tests.audit.sites import Text, job, pool


def frame(**attributes: Text) -> SharedAttributes:
    given: Pool = pool(jobs=[job(**attributes)])
    assert given.jobs is not None
    return given.jobs[0].frame


def test_what_puts_names_together_reaches_all_names_of_each_frame() -> None:
    """The two frames have the same expressions; a name of one alone is reached in that one."""
    expression: dict[str, Text] = {"Rank": 'eval(strcat("Re", "questGPUs"))'}
    without, with_gpus = frame(**expression), frame(**expression, RequestGPUs=3)
    links = ReferenceGraph()

    assert "requestgpus" not in links.reached(("rank",), without)
    assert "requestgpus" in links.reached(("rank",), with_gpus)
