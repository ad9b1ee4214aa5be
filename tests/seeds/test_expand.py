from __future__ import annotations

import asyncio
import gzip

from dowse.seeds import Expansion, Sitemap, expand, read_sitemap


def site(files: dict[str, bytes]) -> Expansion:
    async def read(url: str) -> Sitemap | str:
        await asyncio.sleep(0.001 * (len(url) % 3))
        return read_sitemap(files[url], url) if url in files else "http 404"

    return asyncio.run(expand(["https://example.org/index.xml", "https://example.org/lost.xml"], read))


def index(*names: str) -> bytes:
    return b"<sitemapindex>%s</sitemapindex>" % b"".join(f"<sitemap><loc>{n}</loc></sitemap>".encode() for n in names)


def page(*names: str) -> bytes:
    return "\n".join(f"https://example.org/{name}" for name in names).encode()


def test_expansion_walks_index_files_in_order_once() -> None:
    found = site({
        "https://example.org/index.xml": index("b.xml", "inner.xml", "index.xml", "b.xml"),
        "https://example.org/inner.xml": index("long-name.txt", "b.xml"),
        "https://example.org/b.xml": gzip.compress(page("1", "2")),
        "https://example.org/long-name.txt": page("2", "3"),
    })  # fmt: skip
    assert list(found.pages) == [f"https://example.org/{n}" for n in (1, 2, 3)]
    assert found.problems == ("https://example.org/lost.xml: http 404",)
    assert found.fetched == 4


def test_expansion_ends_in_depth_and_breadth() -> None:
    endless = {f"https://example.org/i{n}.xml": index(f"i{n + 1}.xml") for n in range(50)}
    found = site({**endless, "https://example.org/index.xml": index("i0.xml")})
    assert found.fetched == 4
    assert "1 sitemaps left out: index files nested deeper than 3" in found.problems
    wide = {f"https://example.org/w{n}.xml": page(str(n)) for n in range(700)}
    found = site({**wide, "https://example.org/index.xml": index(*(f"w{n}.xml" for n in range(700)))})
    assert (found.fetched, len(found.pages)) == (501, 500)
    assert "200 sitemaps left out beyond 500" in found.problems


def test_expansion_stops_at_its_total() -> None:
    async def read(url: str) -> Sitemap | str:
        return read_sitemap(page("1", "2", "3"), url)

    found = asyncio.run(expand([f"https://example.org/{n}" for n in range(30)], read, max_urls=2))
    assert len(found.pages) == 2
    assert found.fetched <= 8
    assert found.problems == ("stopped at 2 URLs",)
