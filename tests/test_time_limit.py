"""The time limit of the whole command."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time

import pytest

from htcq import time_limit
from htcq.time_limit import Late, limited, within


def test_without_a_limit_everything_may_take_its_time() -> None:
    with limited(math.inf):
        assert within(60) == 60
        assert within(math.inf) == math.inf


def test_what_waits_gets_what_is_left_and_a_little_is_kept_for_the_answer() -> None:
    with limited(100):
        assert 98 < within(math.inf) <= 99
        assert within(5) == 5
    with limited(1):
        assert 0.9 < within(60) <= 0.95
    assert within(60) == 60


def test_at_the_deadline_the_command_is_late_whatever_it_waits_for() -> None:
    started = time.monotonic()
    with pytest.raises(Late, match=r"not done within 0\.2 s"), limited(0.2):
        time.sleep(30)

    assert time.monotonic() - started < 2


def test_no_handler_of_errors_takes_it_for_one_of_its_own() -> None:
    assert not issubclass(Late, Exception)


def test_after_the_command_no_alarm_is_left() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited(0.2):
        pass

    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) == before
    time.sleep(0.3)


def test_each_step_of_several_has_as_much_time_and_the_pause_has_no_limit() -> None:
    with limited(0.4):
        for _ in range(3):
            time_limit.begin_again()
            time.sleep(0.2)
            time_limit.rest()
            assert within(9) == 9
            time.sleep(0.3)
        time_limit.begin_again()
        with pytest.raises(Late):
            time.sleep(5)


def test_a_wait_with_a_limit_of_its_own_takes_none_of_the_commands() -> None:
    with limited(0.3, given=False):
        time_limit.add(0.4)
        time.sleep(0.5)
        with pytest.raises(Late, match=r"not done within 0\.7 s"):
            time.sleep(5)


def test_nothing_is_added_to_what_a_person_has_given() -> None:
    with limited(100):
        time_limit.add(50)
        assert within(math.inf) <= 99


def test_what_does_not_hear_of_it_is_ended_by_the_kernel() -> None:
    """As a library that gives control back to Python never again."""
    program = (
        "import signal, time\n"
        "from htcq.time_limit import limited\n"
        "with limited(0.3):\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "    time.sleep(60)\n"
    )
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], check=False)

    assert done.returncode == -signal.SIGKILL
    assert time.monotonic() - started < 10
