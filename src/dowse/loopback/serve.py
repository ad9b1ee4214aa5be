"""Serve the demo's web: ``python -m dowse.loopback.serve`` (and ``dowse demo-web``)."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from dowse.loopback.a_week_on import a_week_on
from dowse.loopback.demo import DEMO_QUERY, DEMO_SEEDS, demo_web, labels
from dowse.loopback.server import LoopbackServer
from dowse.loopback.web import Web
from dowse.model.errors import DowseError, UserError

__all__ = ["demo_process", "guide", "main", "serve_demo", "serve_web", "why_not"]


def guide(web: Web, address: str) -> str:
    """What to tell someone who has just started the demo's web."""
    hosts = "\n".join(f"  {host}" for host in web.sites)
    seeds = " ".join(f"--seed {seed}" for seed in DEMO_SEEDS)
    return (
        f"The demo web is at {address}: {len(labels(web))} pages on {len(web.sites)} hosts.\n{hosts}\n"
        f'Crawl it from another terminal:\n  dowse crawl "{DEMO_QUERY}" {seeds} --budget 150p '
        f"--resolve '*.dowse.test={address}' --allow-private --delay 0\n"
        f"Look at a page:\n  curl -H 'Host: portal.dowse.test' http://{address}/\n"
        "Ctrl-C ends it.\n"
    )


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def serve_demo(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    seed: int = 7,
    later: bool = False,
    say: Callable[[str], None] = _say,
    until_eof: bool = False,
) -> None:
    """Serve the demo's web until Ctrl-C or SIGTERM. Port 0 takes a free one. ``later``: as it is a week on.

    With ``until_eof`` only the address is said, and the end of standard input ends the server: a parent process that
    dies, however suddenly, takes its server along.
    """
    web = a_week_on(seed) if later else demo_web(seed)
    told = "{}\n".format if until_eof else partial(guide, web)
    serve_web(web, told, host=host, port=port, say=say, until_eof=until_eof)


def serve_web(
    web: Web,
    told: Callable[[str], str],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    say: Callable[[str], None] = _say,
    until_eof: bool = False,
) -> None:
    """Serve any web so; ``told`` makes what is said of its address."""

    async def run() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        if until_eof:
            threading.Thread(target=_watch_stdin, args=(loop, stop), daemon=True).start()
        async with LoopbackServer(web, host=host, port=port, keep_log=0) as server:
            say(told(server.address))
            await stop.wait()

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        pass
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot serve on {host} port {port}: {why_not(error)}") from error


def why_not(error: OSError | OverflowError) -> str:
    """What keeps a server from a port, in a few words."""
    if isinstance(error, OverflowError):
        return "a port is a number from 0 to 65535"
    return os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)  # a host has no such


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # os.read, not sys.stdin: a buffered reader blocked at exit would take the interpreter down with it
    while os.read(0, 4096):
        pass
    with suppress(RuntimeError):  # the loop ended first
        loop.call_soon_threadsafe(stop.set)


@contextmanager
def demo_process(seed: int = 7) -> Iterator[str]:
    """The demo's web in a process of its own, so that it takes no time from the crawler's; its ``host:port``."""
    command = [sys.executable, "-m", "dowse.loopback.serve", "--until-eof", "--seed", str(seed)]
    # a session of its own: Ctrl-C stops the crawl first, the web it crawls after it
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:  # closes its pipes, which ends it, and waits
        address = process.stdout.readline().strip()
        if not address:
            raise DowseError("the demo's server did not start")
        yield address


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m dowse.loopback.serve", description="Serve the demo's web.")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--seed", type=int, default=7, help="seed number of the web (default: %(default)s)")
    parser.add_argument("--until-eof", action="store_true", help="say the address only; end when standard input ends")
    chosen = parser.parse_args(arguments)
    try:
        serve_demo(host=chosen.host, port=chosen.port, seed=chosen.seed, until_eof=chosen.until_eof)
    except DowseError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
