"""A real Prometheus that scrapes a real node_exporter, whose textfile collector reads what htcq wrote."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.contrib.places import ROOT

RULES = ROOT / "contrib/prometheus/htcq.rules.yml"
_CONFIGURATION = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
_PATIENCE_SECONDS = 60


class Prometheus:
    """One that runs; it is asked over its HTTP interface."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1/"

    def ask(self, what: str, **given: str) -> Any:
        """Return the data of an answer.

        Raises:
            urllib.error.HTTPError: it refuses the question, such as a query that cannot be parsed.
        """
        question = urllib.parse.urlencode(
            {name.replace("match", "match[]"): text for name, text in given.items()}
        )
        with urllib.request.urlopen(f"{self._url}{what}?{question}", timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, query: str) -> dict[str, float]:
        """Return what an instant query yields, by group; by nothing where a value has none."""
        found = self.ask("query", query=query)["result"]
        return {each["metric"].get("group", ""): float(each["value"][1]) for each in found}


@contextmanager
def scraping(metrics: Path, place: Path) -> Iterator[Prometheus]:
    """Run both beside the directory ``metrics`` until the file's metrics have arrived; ``place`` is for their files."""
    with ExitStack() as stack:
        exporter, port = _free_port(), _free_port()
        flags = [
            "--collector.disable-defaults",
            "--collector.textfile",
            f"--collector.textfile.directory={metrics}",
        ]
        _started(
            stack,
            ["prometheus-node-exporter", *flags, f"--web.listen-address=127.0.0.1:{exporter}"],
            place,
        )
        (place / "prometheus.yml").write_text(_CONFIGURATION.format(rules=RULES, port=exporter))
        data = [f"--config.file={place}/prometheus.yml", f"--storage.tsdb.path={place}/data"]
        _started(stack, ["prometheus", *data, f"--web.listen-address=127.0.0.1:{port}"], place)
        prometheus = Prometheus(port)
        _wait(lambda: prometheus.values("htcq_pool_weight"), place)
        yield prometheus


def _started(stack: ExitStack, command: list[str], place: Path) -> None:
    with (place / f"{command[0]}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    stack.callback(process.wait, 30)
    stack.callback(process.kill)


def _wait(arrived: Callable[[], object], place: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            if arrived():
                return
        except OSError:
            pass  # it is not listening yet
        if time.monotonic() > deadline:
            raise AssertionError(
                "\n".join(path.read_text() for path in sorted(place.glob("*.log")))
            )
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
