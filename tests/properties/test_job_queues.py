"""A queue into which jobs come one by one, and which they leave, is the queue of those that are left."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from htcq.pool.job import Job
from htcq.simulate.cycle.queue_order import Order, order_in_queue
from htcq.simulate.cycle.queues import Queue, Request
from tests.audit.sites import job, pool

_JOBS: Sequence[Job] = (
    pool(
        jobs=[
            job(f"{cluster}.{proc}", JobPrio=prio, MaxHosts=hosts)
            for cluster, prio, hosts in ((1, 0, 1), (2, 5, 1), (3, 0, 3))
            for proc in range(4)
        ]
    ).jobs
    or ()
)
_REQUESTS = tuple(Request(_JOBS[0]) for _ in range(2))


def entry(number: int, request: int) -> tuple[Order, Job, int, Request]:
    """Return a job with its place, the slots it wants, and one of two requests."""
    found = _JOBS[number]
    return order_in_queue(found), found, found.wanted, _REQUESTS[request]


def runs(queue: Queue) -> list[tuple[Request, list[str]]]:
    """Return the runs of a queue with the ids of their jobs."""
    return [(run.request, [each.id for each in run.jobs]) for run in queue.runs]


@given(st.data())
def test_jobs_that_come_and_go_leave_a_plain_queue(data: st.DataObject) -> None:
    """Jobs of two requests in any order; some are matched in between, and wait again."""
    requests = data.draw(st.lists(st.integers(0, 1), min_size=12, max_size=12))
    queue, present = Queue(), set[int]()
    for number in data.draw(st.lists(st.integers(0, 11), max_size=30)):
        if number in present:
            queue.remove(order_in_queue(_JOBS[number]))
        else:
            assert queue.put(*entry(number, requests[number]))
        present ^= {number}
        for run in queue.runs:
            if data.draw(st.booleans()):
                run.jobs.popleft()
        queue.begin()
        plain = Queue()
        for each in sorted(present, key=lambda each: order_in_queue(_JOBS[each])):
            plain.append(*entry(each, requests[each]))
        assert runs(queue) == runs(plain)


def test_two_jobs_at_one_place_are_refused() -> None:
    """HTCondor leaves their order open; the queue is then made anew."""
    queue = Queue()
    assert queue.put(*entry(3, 0))

    assert not queue.put(*entry(3, 1))
