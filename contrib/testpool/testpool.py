#!/usr/bin/env python3
"""Throw-away HTCondor pools: real daemons on loopback ports of this machine, gone without a trace when stopped.

As a module it gives ``Pool`` to tests; as a program it starts, lists, uses and stops named pools.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from live_pool import Pool
from pool_home import ALL_DAEMONS, Home, PoolError
from running_pool import AD_KINDS

__all__ = ["AD_KINDS", "ALL_DAEMONS", "Home", "Pool", "PoolError", "main"]

FAILED = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status (2: the command line is wrong, or the pool cannot do it)."""
    given, command = _split(list(arguments))
    options = _parser().parse_args(given)
    options.command = command
    try:
        status: int = options.act(options, Home())
    except (PoolError, OSError) as error:
        print(f"testpool: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return status


def up(options: argparse.Namespace, home: Home) -> int:
    """Start a pool; in the foreground, keep it until SIGINT, SIGTERM or its own end."""
    began = time.monotonic()
    if options.foreground:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(0))
    pool = Pool.start(
        options.name,
        suite=options.suite,
        settings="".join(f"{setting}\n" for setting in options.set),
        config_files=options.config,
        daemons=options.daemons.replace(",", " ").split(),
        cpus=options.cpus,
        memory_mb=options.memory,
        disk_kb=options.disk,
        wait_seconds=options.wait,
        tied=options.foreground,
        home=home,
        roots=options.root_dir,
    )
    took = time.monotonic() - began
    news = (
        f"pool '{pool.name}' is up after {took:.1f} s: HTCondor {pool.record.version}, collector "
        f"{pool.collector}"
    )
    if options.foreground:
        _keep(pool, home, news)
    else:
        print(news)
    return 0


def _keep(pool: Pool, home: Home, news: str) -> None:
    # A shell that starts this in the background lets it ignore SIGINT, which here is what ends the
    # pool.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print(news, flush=True)
        while home.is_alive(pool.name):
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    finally:
        pool.stop()


def down(options: argparse.Namespace, home: Home) -> int:
    """Stop one pool, or all of them."""
    names = (
        [name for name in home.names() if home.is_alive(name)] if options.all else [options.name]
    )
    swept = home.sweep()
    for name in names:
        if name not in swept:
            Pool.attach(name, home).stop()
            print(f"pool '{name}' is down")
    _tell_swept(swept)
    return 0


def status(_options: argparse.Namespace, home: Home) -> int:
    """List the pools."""
    swept = home.sweep()
    rows = [("NAME", "SUITE", "VERSION", "COLLECTOR", "PID", "STATE")]
    for name in home.names():
        record = home.record(name)
        if record:
            pid = home.supervisor(name)
            state = Pool(record, home).state()
            rows.append(
                (
                    name,
                    record.suite,
                    record.version,
                    f"127.0.0.1:{record.port}",
                    str(pid or "-"),
                    state,
                )
            )
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    _tell_swept(swept)
    return 0


def run(options: argparse.Namespace, home: Home) -> int:
    """Run a command next to a pool's daemons and pass its exit status on."""
    if not options.command:
        raise PoolError("there is no command to run", "run NAME -- COMMAND...")
    pool = Pool.attach(options.name, home)
    done: subprocess.CompletedProcess[str] = pool.run(options.command, as_job_user=options.user)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _tell_swept(swept: Sequence[str]) -> None:
    for name in swept:
        print(f"swept what the dead pool '{name}' had left", file=sys.stderr)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments before and after ``--``, which argparse alone would lose among a command's own options."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _setting(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"'{text}' is not KNOB=VALUE")
    return text


def _config(text: str) -> Path:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file '{text}'")
    return Path(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="testpool.py", description=(__doc__ or "").splitlines()[0]
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    starting = commands.add_parser("up", help="start a pool", description=up.__doc__)
    starting.add_argument("name", nargs="?", default="default", metavar="NAME")
    starting.add_argument(
        "--suite", metavar="sid|trixie|path", help="default: path with HTCondor on PATH, else sid"
    )
    starting.add_argument(
        "--config", type=_config, action="append", default=[], metavar="FILE", help="for config.d"
    )
    starting.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="wins over all",
    )
    starting.add_argument(
        "--daemons", default=" ".join(ALL_DAEMONS), metavar="LIST", help="default: %(default)s"
    )
    starting.add_argument("--cpus", type=int, default=8, metavar="N", help="default: %(default)s")
    starting.add_argument(
        "--memory", type=int, default=16384, metavar="MB", help="default: %(default)s"
    )
    starting.add_argument(
        "--disk", type=int, default=20_000_000, metavar="KB", help="default: %(default)s"
    )
    starting.add_argument(
        "--wait", type=float, default=60.0, metavar="SECONDS", help="default: %(default)g"
    )
    starting.add_argument(
        "--root-dir", type=Path, metavar="DIR", help="where Debian root directories lie"
    )
    starting.add_argument(
        "--foreground", action="store_true", help="stay, and stop the pool at the end"
    )
    starting.set_defaults(act=up)

    stopping = commands.add_parser("down", help="stop pools", description=down.__doc__)
    stopping.add_argument("name", nargs="?", default="default", metavar="NAME")
    stopping.add_argument("--all", action="store_true", help="every pool")
    stopping.set_defaults(act=down)

    listing = commands.add_parser("status", help="list pools", description=status.__doc__)
    listing.set_defaults(act=status)

    running = commands.add_parser(
        "run",
        help="run a command in a pool",
        usage="%(prog)s [--user] [NAME] -- COMMAND...",
        description=run.__doc__,
    )
    running.add_argument("name", nargs="?", default="default", metavar="NAME")
    running.add_argument(
        "--user", action="store_true", help="as the unprivileged user that submits jobs"
    )
    running.set_defaults(act=run)
    return parser


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main(sys.argv[1:]))
