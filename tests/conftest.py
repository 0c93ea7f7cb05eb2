"""For all tests: in CI a skipped test is a failed one, because nobody looks at what did not run.

``--quota-cases`` and ``--quota-seed`` say how many random pools
``tests/condor/test_group_quotas.py`` draws, from what; ``--all-breaks`` lets
``tests/condor/test_site_breaks.py`` make all its breaks, ``--all-knobs`` lets
``tests/condor/test_knob_trials.py`` make all its trials, and with ``--all-walls``
``tests/condor/test_why_site.py`` runs. ``--cycle-cases`` and ``--cycle-seed`` say the same as
for quotas to ``tests/condor/test_simulate.py``, ``--claim-pairs`` and ``--claim-seed`` to
``tests/claims/test_engines_agree.py``, ``--claim-pools`` says on how many random pools
``tests/claims/test_places_agree.py`` compares, ``--fuzz-inputs`` and ``--fuzz-seed`` to
``tests/fuzz/test_fuzz.py``, whose inputs are the same in every run unless a seed is given;
``--balance-cases`` to ``tests/balance``, ``--engine-cases`` and ``--engine-seed`` say the same to ``tests/columns/test_drawn.py``,
``--old-cases`` and ``--old-seed`` to ``tests/classad/test_old_and_new.py``;
``--sort-arrays`` says how many arrays ``tests/std_sort`` compares with g++, always the same first;
``--elastic-hours`` runs ``tests/condor/test_elastic_hour.py``, and ``test_elastic_back.py`` and
``test_elastic_two_managers.py`` beside it,
and ``--kill-points`` says at how many lines ``tests/cli/test_elastic_kill.py`` and ``tests/condor/test_elastic_kill.py`` kill;
``--why-pools`` says on how many random pools ``tests/properties/test_why_agrees.py`` compares,
always the same first; ``--guarantee-trees`` says the same to ``tests/properties/test_guarantee.py``;
``--real-time-courses`` runs ``tests/condor/test_real_time.py``, ``--defrag-courses`` ``test_defrag.py`` and ``--real-days``
``test_real_day.py`` beside it: minutes each, and most of that is waiting;
``--slots`` says how many ``tests/condor/test_large_pool.py`` captures;
``--write-pins`` lets ``tests/pins`` and ``tests/schemas`` write what they
find instead of comparing it. They stand here because pytest-xdist's controller, which does not
collect, sees no file below ``tests`` in time."""

from __future__ import annotations

import os
import secrets
import signal
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from htcq.errors import UNCONFINED_VARIABLE

# No test is timed: on a busy machine an example takes as long as it takes. CI draws the same examples in each run, so that
# a change is refused for what it does; whoever runs the tests outside of CI draws anew.
settings.register_profile("untimed", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same" if os.environ.get("CI") else "untimed")

#: From what CI draws at random.
_SEED_OF_CI = "1"

#: What is drawn at random: the test module, and what it draws.
_DRAWN = {
    "quota": ("condor/test_group_quotas.py", "random group quotas"),
    "cycle": ("condor/test_simulate.py", "random cycles"),
    "claim": ("claims/test_engines_agree.py", "random slots and jobs"),
    "engine": ("columns/test_drawn.py", "random expressions"),
    "old": ("classad/test_old_and_new.py", "random texts of expressions"),
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure in CI."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quota-cases",
        type=int,
        default=50,
        help="how many random pools with group quotas to draw",
    )
    parser.addoption(
        "--quota-seed", help="draw them as a run did that named this seed; else anew, in CI from 1"
    )
    parser.addoption(
        "--balance-cases",
        type=int,
        default=40,
        help="how many random pools to balance (tests/balance)",
    )
    parser.addoption(
        "--cycle-cases",
        type=int,
        default=6,
        help="how many random pools to negotiate, for each version",
    )
    parser.addoption(
        "--preemption-cases",
        type=int,
        default=4,
        help="how many random pools of each kind of preemption to negotiate, for each version",
    )
    parser.addoption(
        "--course-cases",
        type=int,
        default=5,
        help="how many random pools to negotiate cycle after cycle, for each version",
    )
    parser.addoption(
        "--real-hours",
        type=int,
        default=0,
        help="for how many hours to compare a course with a real pool",
    )
    parser.addoption(
        "--real-time-courses",
        type=int,
        default=0,
        help="how many random courses in real time to draw, for each version",
    )
    parser.addoption(
        "--real-days",
        type=int,
        default=0,
        help="how many courses of 40 minutes with job policies and draining to compare with a real pool",
    )
    parser.addoption(
        "--defrag-courses",
        type=int,
        default=0,
        help="how many courses of condor_defrag on a real pool of twelve startds to draw",
    )
    parser.addoption(
        "--elastic-hours",
        type=int,
        default=0,
        help="for how many hours to keep the quotas of a real pool elastic at the default pace",
    )
    parser.addoption(
        "--kill-points",
        type=int,
        default=0,
        help="at how many lines to kill each command that writes elastic quotas (0: a few)",
    )
    parser.addoption(
        "--cycle-seed", help="draw them as a run did that named this seed; else anew, in CI from 1"
    )
    parser.addoption(
        "--claim-pairs",
        type=int,
        default=2000,
        help="on how many slots and jobs all commands must agree",
    )
    parser.addoption(
        "--claim-pools",
        type=int,
        default=60,
        help="on how many random pools all places that say what a claim is must agree",
    )
    parser.addoption(
        "--claim-seed", help="draw them as a run did that named this seed; else anew, in CI from 1"
    )
    parser.addoption(
        "--slots",
        type=int,
        default=0,
        help="how many made-up slots to capture from a real collector (0: a few)",
    )
    parser.addoption(
        "--guarantee-trees",
        type=int,
        default=200,
        help="on how many random trees of groups quotas must keep every min",
    )
    parser.addoption(
        "--why-pools",
        type=int,
        default=150,
        help="on how many random pools why and simulate must agree",
    )
    parser.addoption(
        "--engine-cases",
        type=int,
        default=4000,
        help="on how many random expressions the columnar engine and the ClassAd library must agree",
    )
    parser.addoption(
        "--engine-seed", help="draw them as a run did that named this seed; else anew, in CI from 1"
    )
    parser.addoption(
        "--old-cases",
        type=int,
        default=4000,
        help="how many random texts to read as HTCondor's old and new parsers do",
    )
    parser.addoption(
        "--old-seed", help="draw them as a run did that named this seed; else anew, in CI from 1"
    )
    parser.addoption(
        "--sort-arrays",
        type=int,
        default=0,
        help="how many random arrays to sort as g++ here does: tests/std_sort",
    )
    parser.addoption(
        "--all-knobs",
        action="store_true",
        help="try every knob of tests/golden/knobs/trials.tsv on a real pool, not three of them",
    )
    parser.addoption(
        "--all-breaks", action="store_true", help="make all deliberate breaks of a site, not a part"
    )
    parser.addoption(
        "--fuzz-inputs",
        type=int,
        default=600,
        help="how many mutated inputs to put before the commands",
    )
    parser.addoption(
        "--write-pins", action="store_true", help="write what commands print now: pins and schemas"
    )
    parser.addoption(
        "--all-walls",
        action="store_true",
        help="make all walls of 'htcq why' on real pools, not a part",
    )
    parser.addoption("--fuzz-seed", default="1", help="make other inputs than those of every run")


#: What nohup, a shell's ``&`` and cron leave ignored or set: tests are the same whoever starts them.
_SIGNALS = {
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}
_UMASK = 0o022


def pytest_configure(config: pytest.Config) -> None:
    for number, handler in _SIGNALS.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    os.umask(_UMASK)
    # Python may lie where only root can read it; tests of what root refuses set it otherwise.
    os.environ[UNCONFINED_VARIABLE] = "1"
    _run_benchmarks_once(config)
    told = getattr(config, "workerinput", {})
    for what in _DRAWN:
        name = f"{what}_seed"
        given = told.get(name) or getattr(config.option, name)
        drawn = _SEED_OF_CI if os.environ.get("CI") else secrets.token_hex(4)
        setattr(config.option, name, given or drawn)


def _run_benchmarks_once(config: pytest.Config) -> None:
    """Let benchmarks be plain tests unless they are to measure.

    The option of pytest-benchmark stands here and not in ``addopts``, so that tests run without
    that plugin."""
    if hasattr(config.option, "benchmark_disable") and not config.option.benchmark_enable:
        config.option.benchmark_disable = True


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let all workers of pytest-xdist draw from the same."""
    for what in _DRAWN:
        node.workerinput[f"{what}_seed"] = getattr(node.config.option, f"{what}_seed")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for what, (module, title) in _DRAWN.items():
        if any(module in getattr(report, "nodeid", "") for report in reports):
            terminalreporter.write_line(
                f"{title}: --{what}-seed {getattr(config.option, f'{what}_seed')}"
            )
    _tell_inputs(terminalreporter, reports, config.option.fuzz_seed)


def _tell_inputs(terminal: pytest.TerminalReporter, reports: list[Any], seed: str) -> None:
    """Say how many mutated inputs came to what, and what was changed in them."""
    counts: Counter[str] = Counter()
    for report in reports:
        for name, lines in getattr(report, "user_properties", ()):
            if name == "fuzz":
                counts.update({line[:-7].strip(): int(line[-7:]) for line in lines})
    if counts:
        terminal.write_line(
            f"mutated inputs, by command and exit status, and by change: --fuzz-seed {seed}"
        )
    for name, count in sorted(counts.items()):
        terminal.write_line(f"  {name:<24}{count:>7}")
