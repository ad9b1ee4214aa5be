"""nginx on a loopback port, with a configuration of its own, and what its access log tells afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.speed.corpus import Missing
from bench.speed.reachable import identity

__all__ = ["Server", "Visits", "serve"]

# Not 127.0.0.1: documentation links to examples there, and no crawler shall knock at what else runs on this machine.
HOST = "127.0.0.2"
_CONFIGURATION = """\
daemon off;
worker_processes 1;
{user}
pid {place}/nginx.pid;
error_log {place}/error.log;
events {{ worker_connections 1024; }}
http {{
  types {{ text/html html htm; application/xhtml+xml xhtml; }}
  default_type application/octet-stream;
  log_format visits '$status|$sent_http_content_type|$request_uri';
  access_log {place}/access.log visits buffer=64k;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=8192;
  gzip {gzip};
  gzip_proxied any;
  client_body_temp_path {place}/body;
  proxy_temp_path {place}/proxy;
  fastcgi_temp_path {place}/fastcgi;
  uwsgi_temp_path {place}/uwsgi;
  scgi_temp_path {place}/scgi;
  server {{ {listen} root {root}; }}
}}
"""


@dataclass(slots=True)
class Visits:
    """Requests as the server saw them: pages it gave out, by :func:`identity`, and everything else by status."""

    pages: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)

    def missing(self, expected: frozenset[str]) -> list[str]:
        return sorted(expected - self.pages.keys())

    def doubled(self) -> list[str]:
        return sorted(page for page, count in self.pages.items() if count > 1)

    def beyond(self, expected: frozenset[str]) -> list[str]:
        """Pages outside the reference's rules, such as the target of a frame: allowed, but not counted."""
        return sorted(self.pages.keys() - expected)


@dataclass(slots=True)
class Server:
    """Runs until :func:`serve` ends; then ``visits`` are known."""

    url: str
    port: int
    visits: Visits = field(default_factory=Visits)


@contextmanager
def serve(root: Path, place: Path, *, gzip: bool = False, hosts: Sequence[str] = (HOST,)) -> Iterator[Server]:
    """Serve the pages below ``root``, the same at each of ``hosts``; ``place`` holds configuration and log,
    made anew each time."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        raise Missing("the pages are served by nginx, which is not installed (Debian: apt install nginx-light)")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    port = _free_port()
    (place / "nginx.conf").write_text(
        _CONFIGURATION.format(
            place=place,
            root=root,
            listen=" ".join(f"listen {host}:{port} backlog=1024;" for host in hosts),
            gzip="on" if gzip else "off",
            user="user root;" if os.geteuid() == 0 else "",  # else root's nginx would read files as nobody
        )
    )
    process = subprocess.Popen([nginx, "-p", place, "-c", place / "nginx.conf"], stderr=(place / "stderr").open("w"))
    server = Server(f"http://{hosts[0]}:{port}", port)
    try:
        _wait_for(hosts[0], port, process, place)
        yield server
    finally:
        process.send_signal(signal.SIGQUIT)  # answers what is in flight and writes the log out
        process.wait()
    server.visits = _read(place / "access.log")


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        return int(sock.getsockname()[1])


def _wait_for(host: str, port: int, process: subprocess.Popen[bytes], place: Path) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise Missing(f"nginx does not start: {(place / 'stderr').read_text().strip() or 'see error.log'}")
        try:
            socket.create_connection((host, port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise Missing("nginx does not listen")


def _read(log: Path) -> Visits:
    visits = Visits()
    for line in log.read_text(errors="surrogateescape").splitlines():
        status, content_type, uri = line.split("|", 2)
        if status == "200" and content_type.startswith(("text/html", "application/xhtml")):
            visits.pages[identity(uri)] += 1
        else:
            visits.others[status] += 1
    return visits
