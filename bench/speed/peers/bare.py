"""The least a crawler can do: fetch with aiohttp, find links with selectolax, go on. Nothing is judged or stored."""

from __future__ import annotations

import asyncio
import sys
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
import uvloop
from selectolax.lexbor import LexborHTMLParser


async def crawl(start: str, concurrency: int) -> None:
    host = urlsplit(start).netloc
    seen = {start}
    queue: asyncio.Queue[str] = asyncio.Queue()
    queue.put_nowait(start)
    connector = aiohttp.TCPConnector(limit=concurrency)

    async def work(session: aiohttp.ClientSession) -> None:
        while True:
            url = await queue.get()
            try:
                async with session.get(url) as response:
                    if response.status != 200 or "html" not in response.content_type:
                        continue
                    body, base = await response.read(), str(response.url)
                for node in LexborHTMLParser(body).css("a[href]"):
                    target = urldefrag(urljoin(base, node.attributes["href"] or "")).url
                    if target not in seen and urlsplit(target).netloc == host:
                        seen.add(target)
                        queue.put_nowait(target)
            except (aiohttp.ClientError, ValueError):  # an address nobody can read
                continue
            finally:
                queue.task_done()

    async with aiohttp.ClientSession(connector=connector) as session:
        workers = [asyncio.create_task(work(session)) for _ in range(concurrency)]
        await queue.join()
        for worker in workers:
            worker.cancel()


uvloop.run(crawl(sys.argv[1], int(sys.argv[2])))
