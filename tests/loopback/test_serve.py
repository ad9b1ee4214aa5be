"""The command that serves the demo's web, and the process that ``dowse demo`` runs it in."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys

import pytest

from dowse.loopback.demo import demo_web
from dowse.loopback.serve import demo_process, main

COMMAND = [sys.executable, "-W", "error", "-m", "dowse.loopback.serve"]


def fetch(address: str, host: str) -> bytes:
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("GET", "/", headers={"Host": host})
    body = connection.getresponse().read()
    connection.close()
    return body


def test_a_process_of_its_own_that_ends_with_its_block() -> None:
    with demo_process() as address:
        # the other process has other hash seeds: the web must not depend on them
        assert fetch(address, "portal.dowse.test") == demo_web().sites["portal.dowse.test"].resources["/"].body
        host, _, port = address.rpartition(":")
    with pytest.raises(ConnectionRefusedError), socket.create_connection((host, int(port)), timeout=5):
        raise AssertionError("the server is still there")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_says_how_to_crawl_it_and_ends_quietly(how: signal.Signals) -> None:
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = ""
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    address = said.split()[5].rstrip(":")
    assert f"--resolve '*.dowse.test={address}' --allow-private --delay 0" in said
    assert "  theses.dowse.test\n" in said
    assert b"Helios" in fetch(address, "helios.dowse.test")
    os.kill(process.pid, how)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, "")


def test_a_taken_port_or_a_foreign_address_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["--port", str(taken.getsockname()[1])]) == 2
    assert main(["--host", "192.0.2.1"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("cannot serve on 127.0.0.1 port ")
    assert second.startswith("192.0.2.1 is not a loopback address")
