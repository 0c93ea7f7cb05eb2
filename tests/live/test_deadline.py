"""Functions in processes of their own, each with a deadline."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from htcq.limits import Limits
from htcq.live.deadline import WORKERS, Budget, Task, TaskOutcome, answer_budget, run_all
from htcq.live.process_limits import memory_here
from htcq.time_limit import limited


def double(number: int) -> int:
    return 2 * number


def fail(text: str) -> None:
    raise ValueError(text)


def hang() -> None:
    while True:
        signal.pause()


def hang_and_tell(path: Path) -> None:
    path.write_text(str(os.getpid()))
    hang()


def die(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(4)


def much(size: int) -> bytes:
    return bytes(size)


def meet(directory: Path, number: int, count: int) -> int:
    """Return when ``count`` others are here at the same time."""
    (directory / str(number)).touch()
    while len(list(directory.iterdir())) < count:
        time.sleep(0.01)
    return number


def together(directory: Path, number: int) -> int:
    """Return how many are here at the same time."""
    (directory / str(number)).touch()
    time.sleep(0.05)
    count = len(list(directory.iterdir()))
    (directory / str(number)).unlink()
    return count


def running(pid: int) -> bool:
    """Return whether there is such a process that is not a zombie: not every machine has somebody who reaps orphans."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_values_come_in_the_order_of_the_tasks() -> None:
    tasks = [Task(str(number), double, (number,)) for number in range(3 * WORKERS)]

    assert run_all(tasks, 30) == [
        TaskOutcome(str(number), 2 * number) for number in range(3 * WORKERS)
    ]


def test_tasks_run_at_the_same_time(tmp_path: Path) -> None:
    tasks = [Task("", meet, (tmp_path, number, WORKERS)) for number in range(WORKERS)]

    assert [outcome.value for outcome in run_all(tasks, 30)] == list(range(WORKERS))


def test_a_child_that_hangs_costs_its_own_part_only(tmp_path: Path) -> None:
    began = time.monotonic()
    hung, done = run_all(
        [Task("hung", hang_and_tell, (tmp_path / "pid",)), Task("done", double, (4,))], 0.5
    )

    assert (hung.done, hung.why) == (False, "no answer within 0.5 s")
    assert (done.done, done.value) == (True, 8)
    assert time.monotonic() - began < 20
    assert not alive(int((tmp_path / "pid").read_text()))


def test_an_error_is_told() -> None:
    assert run_all([Task("x", fail, ("bad thing",))], 30)[0].why == "bad thing"


def test_a_child_that_dies_is_told_by_its_last_words() -> None:
    died, left = run_all([Task("died", die, ("a\nlast words\n",)), Task("left", leave)], 30)

    assert died.why == "its process ended: a last words"
    assert "a\nlast words" in died.complaint
    assert left.why == "its process ended: status 4"


def test_the_signal_that_ends_a_child_is_named() -> None:
    assert (
        run_all([Task("", die, ("",))], math.inf)[0].why == "its process ended: killed by SIGKILL"
    )


def test_as_many_run_at_a_time_as_is_said(tmp_path: Path) -> None:
    tasks = [Task("", together, (tmp_path, number)) for number in range(6)]

    assert max(outcome.value for outcome in run_all(tasks, math.inf, workers=2)) <= 2


def test_no_child_outlives_its_parent(tmp_path: Path) -> None:
    parent = os.fork()
    if not parent:
        run_all([Task("", hang_and_tell, (tmp_path / "pid",))], math.inf)
        os._exit(1)
    wait_for(tmp_path / "pid")
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    deadline = time.monotonic() + 30
    while running(int((tmp_path / "pid").read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_large_value_comes_whole() -> None:
    assert run_all([Task("", much, (10_000_000,))], 60)[0].value == bytes(10_000_000)


def test_each_end_is_told_once() -> None:
    told: list[str] = []
    run_all(
        [Task(str(number), double, (number,)) for number in range(5)],
        30,
        lambda outcome: told.append(outcome.what),
    )

    assert sorted(told) == ["0", "1", "2", "3", "4"]


def test_no_child_outlives_an_interruption(tmp_path: Path) -> None:
    def interrupt(outcome: TaskOutcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(
            [Task("", hang_and_tell, (tmp_path / "pid",)), Task("", wait_for, (tmp_path / "pid",))],
            30,
            interrupt,
        )

    assert not alive(int((tmp_path / "pid").read_text()))


def wait_for(path: Path) -> None:
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)


def test_silent_daemons_cost_no_more_time_together_than_a_few(tmp_path: Path) -> None:
    """40 of them at 8 workers would take 5 times the timeout, and those that answer would wait for them."""
    tasks = [Task(f"silent {number}", time.sleep, (60,)) for number in range(40)]
    tasks += [Task(f"honest {number}", double, (number,)) for number in range(40)]
    started = time.monotonic()
    outcomes = run_all(tasks, 4, max_slow=32)

    assert time.monotonic() - started < 5 * 4
    assert [outcome.value for outcome in outcomes[40:]] == [2 * number for number in range(40)]
    assert {outcome.why for outcome in outcomes[:40]} == {"no answer within 4 s"}


def test_after_many_silent_daemons_the_rest_is_not_asked_and_named() -> None:
    tasks = [Task(f"silent {number}", time.sleep, (60,)) for number in range(30)]
    outcomes = run_all(tasks, 0.5, workers=1, max_slow=1)

    not_asked = [outcome for outcome in outcomes if "not asked" in outcome.why]
    assert [outcome.what for outcome in outcomes] == [task.what for task in tasks]
    assert 20 <= len(not_asked) <= 22
    assert not_asked[0].why.startswith("no answer: not asked, since ")


def test_all_share_the_time_of_a_round_and_who_was_not_asked_is_named() -> None:
    """200 silent ones: each gets a second at least, so that many answers are not waited for."""
    tasks = [Task(f"silent {number}", time.sleep, (60,), "<127.0.0.2") for number in range(200)]
    started = time.monotonic()
    outcomes = run_all(tasks, 60, max_slow=16, seconds=3)

    assert time.monotonic() - started < 3 + 2
    assert [outcome.what for outcome in outcomes] == [task.what for task in tasks]
    assert all(outcome.why.startswith("no answer") for outcome in outcomes)
    late = "no answer: not asked, since the time was over"
    assert 0 < sum(outcome.why == late for outcome in outcomes) < 200


def test_what_is_one_of_a_kind_shares_no_time_with_many() -> None:
    tasks = [Task("negotiator", time.sleep, (60,))]
    tasks += [Task(f"silent {number}", time.sleep, (60,), "<127.0.0.2") for number in range(200)]
    outcomes = run_all(tasks, 60, max_slow=16, seconds=4)

    patience = float(outcomes[0].why.removeprefix("no answer within ").removesuffix(" s"))
    assert patience > 3


def test_nothing_is_waited_for_beyond_the_time_of_the_command() -> None:
    started = time.monotonic()
    with limited(2):
        outcome = run_all([Task("silent", time.sleep, (60,))], 60)[0]

    assert time.monotonic() - started < 3
    assert outcome.why == "no answer within 1.9 s"


# Budgets
# --------------------------------------------------------------------------------------------------------


def _grow(size: int) -> int:
    return len(bytearray(size))


def _write(path: str, size: int) -> None:
    with Path(path).open("wb") as out:
        out.write(bytes(size))


def test_an_answer_that_fills_the_memory_is_named_and_the_others_come() -> None:
    tasks = [Task("large", _grow, (1 << 30,)), Task("small", _grow, (1000,))]

    large, small = run_all(tasks, 30, budget=Budget(memory=400 << 20, file=1 << 20))

    assert large.why == "the answer is larger than there is room for it (--limits raises the limit)"
    assert small.value == 1000


def test_an_answer_that_fills_the_disk_is_named(tmp_path: Path) -> None:
    tasks = [
        Task(name, _write, (str(tmp_path / name), size))
        for name, size in (("large", 2 << 20), ("small", 1000))
    ]

    large, small = run_all(tasks, 30, budget=Budget(memory=1 << 30, file=1 << 20))

    assert large.why == "the answer is larger than there is room for it (--limits raises the limit)"
    assert small.done
    assert (tmp_path / "large").stat().st_size <= 1 << 20


def test_all_that_run_together_share_half_of_the_machine(tmp_path: Path) -> None:
    machine = memory_here()

    one, eight = (answer_budget(tmp_path, children, Limits()) for children in (1, 8))

    assert one.memory == machine // 2
    assert eight.memory == machine // 16
    assert eight.file < one.file
    assert answer_budget(tmp_path, 1, Limits(1000)).memory < machine
