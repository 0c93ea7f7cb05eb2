"""What happens when the peer is no collector. Pools are in tests/condor."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from htcq.errors import EXIT_UNKNOWN, PoolError
from htcq.live.capture import capture


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "/dev/null")


def _accept(server: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    connections = []
    try:
        while True:
            connections.append(server.accept()[0])
            serve(connections[-1])
    finally:
        os._exit(1)


@contextmanager
def peer(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """Listen on loopback in a process of its own, hand every connection to ``serve``, and keep them open."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        pid = os.fork()
        if not pid:
            _accept(server, serve)
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def close_half_way(connection: socket.socket) -> None:
    connection.recv(16)
    connection.close()


def refused(pool: str, directory: Path, timeout: float) -> PoolError:
    with pytest.raises(PoolError) as error:
        capture(pool, directory, timeout)
    assert error.value.exit_status == EXIT_UNKNOWN
    assert error.value.hint
    assert "\n" not in str(error.value)
    assert list(directory.parent.iterdir()) == []
    return error.value


def test_a_peer_that_never_answers_costs_the_deadline_and_leaves_nothing(tmp_path: Path) -> None:
    began = time.monotonic()
    with peer(lambda connection: None) as pool:
        error = refused(pool, tmp_path / "snap", 1.0)

    assert str(error) == f"{pool}: its collector cannot be queried: no answer within 1 s"
    assert time.monotonic() - began < 20


def test_a_peer_that_closes_half_way_leaves_nothing(tmp_path: Path) -> None:
    with peer(close_half_way) as pool:
        refused(pool, tmp_path / "snap", 3.0)


def test_a_peer_that_speaks_something_else_leaves_nothing(tmp_path: Path) -> None:
    with peer(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as pool:
        refused(pool, tmp_path / "snap", 3.0)


def test_nobody_listening_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    error = refused(address, tmp_path / "snap", 30.0)

    assert "Connection refused" in str(error)


def test_a_host_that_does_not_exist_is_told(tmp_path: Path) -> None:
    assert "there is no host" in str(refused("no-such-host.invalid", tmp_path / "snap", 30.0))


def test_no_pool_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="no pool is named") as error:
        capture(None, tmp_path / "snap", 30.0)

    assert "--pool" in error.value.hint


def test_a_configuration_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "condor_config").write_text("if true\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "condor_config"))
    with pytest.raises(PoolError, match=r"configuration cannot be read.*endif") as error:
        capture("127.0.0.1:1", tmp_path / "here" / "snap", 30.0)

    assert "\n" not in str(error.value)
