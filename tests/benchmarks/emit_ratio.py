"""What a whole ``htcq emit`` costs, beside a Python that only imports the libraries it stands on.

The two run in turn, so that whatever else the machine does burdens both alike; the ratio of
their medians says what htcq adds. Both find their modules compiled, as an installation leaves
them: a checkout without byte code would be compiled anew in every run. ``python
tests/benchmarks/emit_ratio.py [--node FILE] [--runs N]``."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = "import classad2, jinja2, psutil"
NODE = {"cpus": 16, "memory_mb": 65536, "disk_kb": 200_000_000}


def seconds_of(command: list[str], compiled: str) -> float:
    """Return how long ``command`` takes from start to end; it keeps its byte code in the directory ``compiled``.

    Raises:
        CalledProcessError: it failed, so that its time means nothing.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir(), env=environment
    )
    return time.perf_counter() - begun


def compare(arguments: list[str], runs: int) -> tuple[float, float]:
    """Return the median seconds of ``htcq emit`` with ``arguments`` and of importing its libraries, run in turn."""
    emit = [sys.executable, "-m", "htcq", "emit", *arguments]
    imports = [sys.executable, "-c", LIBRARIES]
    with tempfile.TemporaryDirectory() as compiled:
        for command in (emit, imports):
            seconds_of(command, compiled)
        pairs = [(seconds_of(emit, compiled), seconds_of(imports, compiled)) for _ in range(runs)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(
        pair[1] for pair in pairs
    )


def main() -> None:
    """Print the medians and their ratio, for a node from a file and for this machine, probed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", help="node facts; without them a node of 16 cpus")
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(NODE, file)
        file.flush()
        node = str(Path(given.node or file.name).resolve())
        for name, arguments in (("from a node file", ["--node", node]), ("probing", [])):
            emitted, imported = compare(arguments, given.runs)
            sys.stdout.write(
                f"htcq emit, {name:<17} {emitted * 1000:4.0f} ms, imports {imported * 1000:4.0f} "
                "ms, "
                f"ratio {emitted / imported:.2f}\n"
            )


if __name__ == "__main__":
    main()
