"""Headers and cookies of the user's own reach the hosts they are for, and nothing else."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from tests.engine.servers import crawl_all, topic_for

KEY, COOKIE = "key-of-somebody", "session=cookie-of-somebody"
PAGE = b'<title>a</title><p>perovskite solar cells</p><a href="http://theirs.test/0">on</a>'


async def answer(heads: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one page everywhere, and no robots.txt; note what was asked."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            heads.append(head)
            status, body = (b"404 Not Found", b"") if "robots.txt" in head else (b"200 OK", PAGE)
            writer.write(b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body)))
            writer.write(body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def test_only_the_named_host_gets_them_and_no_record_has_them(tmp_path: Path) -> None:
    folder, heads = tmp_path / "c", list[str]()

    async def main() -> None:
        server = await asyncio.start_server(lambda reader, writer: answer(heads, reader, writer), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            topic = topic_for(f"127.0.0.1:{port}", ["http://ours.test/0"])
            network = replace(topic.network, headers={"ours.test": {"X-Key": KEY}}, cookies={"o*.test": COOKIE})
            await crawl_all(replace(topic, network=network), folder)
            again = await assemble(read_settings(folder), folder, resume=True)
            await again.close()
        assert any("give them again with --header and --cookie" in note for note in again.notes)

    asyncio.run(main())
    assert len(heads) == 4
    for head in heads:
        is_ours = "\r\nHost: ours.test\r\n" in head
        assert (f"\r\nX-Key: {KEY}\r\n" in head, f"\r\nCookie: {COOKIE}\r\n" in head) == (is_ours, is_ours)
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        kept = "\n".join(records.iterdump())
    kept += gzip.decompress((folder / "dowse-00000.warc.gz").read_bytes()).decode("utf-8", "replace")
    assert "theirs.test" in kept
    for secret in ("of-somebody", "X-Key"):
        assert secret not in kept
