"""People browse the demo's web through a real Squid; its own log is imported, and leads a crawl. All on loopback."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dowse.loopback.demo import DEMO_QUERY, DEMO_SEEDS, RELEVANT, demo_web, labels
from dowse.loopback.serve import demo_process
from dowse.model.records import CandidateState
from dowse.store import CrawlReader
from tests.needs import needs

_PLACES = ":".join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
SQUID = shutil.which("squid", path=_PLACES)
pytestmark = needs("Squid", "apt install squid", present=SQUID is not None)

PEOPLE, PAGES, START_S = 6, 20, 20.0
_CONF = """\
http_port 127.0.0.1:{port}
cache_peer 127.0.0.1 parent {web} 0 no-query originserver
never_direct allow all
acl people src 127.0.0.0/8
http_access allow people
http_access deny all
cache deny all
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
pid_filename {folder}/squid.pid
coredump_dir {folder}
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
workers 1
max_filedescriptors 1024
"""


@dataclass(frozen=True)
class Proxy:
    port: int
    folder: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> Path:
        """Its log, once it is written whole."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(START_S)
        return self.folder / "access.log"


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    with demo_process() as address:
        yield address


@pytest.fixture
def proxy(web: str) -> Iterator[Proxy]:
    """A Squid of our own, in front of the demo's web and nothing else."""
    assert SQUID is not None
    with tempfile.TemporaryDirectory(prefix="dowse-squid-") as name:
        folder = Path(name)
        folder.chmod(0o777)  # started by root, Squid becomes a user of its own
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        conf = folder / "squid.conf"
        conf.write_text(_CONF.format(port=port, web=web.rpartition(":")[2], folder=folder))
        process = subprocess.Popen([SQUID, "-N", "-f", str(conf)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            _wait(process, port, folder)
            yield Proxy(port, folder, process)
        finally:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    log = folder / "cache.log"
    raise AssertionError(f"Squid does not answer: {log.read_text('utf-8', 'replace') if log.exists() else 'no log'}")


def _reads(proxy: Proxy, person: int, urls: list[str]) -> None:
    """Somebody at an address of their own looks at pages; and at what a log holds besides."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, 10, source_address=(f"127.0.0.{person + 2}", 0))
    for url in urls:
        connection.request("GET", url, headers={"Host": urlsplit(url).netloc})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (url, answer.status)
    for method, url in (("HEAD", urls[0]), ("GET", "http://portal.dowse.test/no-such-page")):
        connection.request(method, url, headers={"Host": urlsplit(url).netloc})
        connection.getresponse().read()
    connection.close()


def _dowse(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "dowse", *words], cwd=home, env={**os.environ, "XDG_CONFIG_HOME": str(home / "config")},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def test_the_log_of_a_real_squid_leads_a_crawl(web: str, proxy: Proxy, tmp_path: Path) -> None:
    topics = labels(demo_web())
    on, off = ([url for url, label in sorted(topics.items()) if (label == RELEVANT) is wanted and "?" not in url]
               for wanted in (True, False))  # fmt: skip
    on, off = on[:PAGES], off[:PAGES]
    for person in range(PEOPLE):
        _reads(proxy, person, [DEMO_SEEDS[0], *(on if person % 2 else off)[person // 2 :]])
    log = proxy.stop()

    _dowse(tmp_path, "traces", "import", str(log), "--out", "traces")
    info = json.loads(_dowse(tmp_path, "traces", "info", "traces", "--json").stdout)
    assert info["users"] == PEOPLE
    assert info["imported"]["bad"] == {}
    assert sum(info["imported"]["left_out"].values()) >= 2 * PEOPLE, "HEAD, and a page that is not there"
    assert "127.0.0." not in (tmp_path / "traces" / "traces.json").read_text()

    _dowse(tmp_path, "crawl", DEMO_QUERY, "--seed", on[0], "--strategy", "traces", "--traces", "traces",
           "--resolve", f"*.dowse.test={web}", "--allow-private", "--delay", "0", "--budget", f"{PAGES - 2}p",
           "--threshold", "0.2", "--out", "crawl", "--quiet")  # fmt: skip
    with CrawlReader(tmp_path / "crawl") as crawl:
        fetched = {url for url, state in crawl.urls() if state is CandidateState.FETCHED}
    read = fetched & {*on, *off}
    assert len(read) > len(fetched) / 2, "people lead"
    assert len(fetched & {*on}) > len(fetched & {*off}), "to what those read who read the seed"
    told = _dowse(tmp_path, "why", "crawl", on[3]).stdout
    assert "people" in told
    assert "127.0.0." not in told
