"""Search engines as they are, on loopback: Debian's MediaWiki and searx. Where one is not installed, a line says it."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.why import explain
from dowse.engine.assembly.find import FoundSeeds
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.budget import Budget
from dowse.model.topic import Find, Scope
from dowse.store import CrawlReader
from tests.engine.assembly.engine_answers import in_json, parameters
from tests.engine.assembly.test_find import find, topic_of, urls
from tests.engine.servers import crawl_all, page, topic_for
from tests.needs import needs

WIKI = Path(os.environ.get("MEDIAWIKI_HOME", "/usr/share/mediawiki"))
PYTHON = "/usr/bin/python3"  # Debian's own, which has Debian's packages
SEARX = Path("/usr/lib/python3/dist-packages/searx")
HAS_WIKI = shutil.which("php") is not None and (WIKI / "api.php").is_file()
needs_wiki = needs("MediaWiki", "apt install mediawiki php-cli php-sqlite3", present=HAS_WIKI)
needs_searx = needs("searx", "apt install python3-searx", present=SEARX.is_dir())
_START_S = 60.0
_ARTICLES = {
    "Perovskite solar cell": "Perovskite solar cells are cheap: [http://cells.test/intro see], [//nrel.test/chart 1].",
    "Tandem cell": "A perovskite solar cell stands on silicon: [https://nrel.test/chart chart].",
    "Bäckerei": "Brot und größere Brötchen.",
}
_SETTINGS = """
general: {{debug: false, instance_name: "test"}}
search: {{safe_search: 0, autocomplete: "", default_lang: "en", ban_time_on_fail: 0, max_ban_time_on_fail: 0}}
server: {{port: {port}, bind_address: "127.0.0.1", secret_key: "none", base_url: false, image_proxy: false,
  http_protocol_version: "1.1", method: "GET"}}
ui: {{static_path: "/usr/share/python3-searx/static", templates_path: "/usr/share/python3-searx/templates",
  default_theme: "oscar", default_locale: "en", theme_args: {{oscar_style: logicodev}}, advanced_search: false,
  query_in_title: false, results_on_new_tab: false}}
outgoing: {{request_timeout: 10.0, useragent_suffix: "", pool_connections: 5, pool_maxsize: 5}}
engines:
  - {{name: here, engine: json_engine, shortcut: h, categories: general, paging: true,
     search_url: "http://{address}/?q={{query}}&p={{pageno}}", results_query: results, url_query: url,
     title_query: title, content_query: content, timeout: 10.0, enable_http: true}}
doi_resolvers: {{"oadoi.org": "https://oadoi.org/"}}
default_doi_resolver: "oadoi.org"
checker: {{off_when_debug: true}}
locales: {{en: English}}
"""


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, where: Path, **environment: str) -> Iterator[None]:
    """A server that listens on a port while the block runs."""
    with (where / "log").open("wb") as log, subprocess.Popen(
        command, cwd=where, env={**os.environ, **environment}, stdout=log, stderr=log
    ) as server:  # fmt: skip
        try:
            end = time.monotonic() + _START_S
            while time.monotonic() < end and server.poll() is None:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
                    break
                time.sleep(0.05)
            else:
                pytest.fail((where / "log").read_text("utf-8", "replace"))
            yield
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(5.0)
            server.kill()  # nothing, where it has ended


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a wiki with a few articles."""
    place, port = tmp_path_factory.mktemp("wiki"), _free_port()
    (place / "db").mkdir()
    environment = dict(os.environ)

    def php(script: str, *arguments: str, text: str = "") -> None:
        command = ["php", str(WIKI / "maintenance" / script), *arguments]
        done = subprocess.run(
            command, input=text.encode(), env=environment, capture_output=True, timeout=_START_S, cwd=place
        )
        assert done.returncode == 0, done.stdout + done.stderr

    php(
        "install.php", "--dbtype", "sqlite", "--dbpath", str(place / "db"), "--confpath", str(place),
        "--scriptpath", "", "--server", f"http://127.0.0.1:{port}", "--pass", "only-for-this-test", "Test", "Admin",
    )  # fmt: skip
    environment["MW_CONFIG_FILE"] = str(place / "LocalSettings.php")
    for title, text in _ARTICLES.items():
        php("edit.php", title, text=text)
    command = ["php", "-S", f"127.0.0.1:{port}", "-t", str(WIKI)]
    with running(command, port, place, MW_CONFIG_FILE=environment["MW_CONFIG_FILE"]):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def searx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a searx that asks one engine, ours."""
    place, port = tmp_path_factory.mktemp("searx"), _free_port()

    def answer(ask: Ask) -> Resource:
        asked = parameters(ask)
        page, query = int(asked["p"][0]), asked["q"][0]
        numbers = range(0) if page > 2 else range(page * 10, page * 10 + 10)
        rows = [
            {"url": f"https://result.test/{n}", "title": f"{query} {n}", "content": f"about {query}"} for n in numbers
        ]
        return in_json({"results": rows})

    with in_thread(Web.of(Site("127.0.0.1", {}, {"/": answer}))) as server:
        (place / "settings.yml").write_text(_SETTINGS.format(port=port, address=server.address))
        run = f"from searx import webapp; webapp.app.run(host='127.0.0.1', port={port}, threaded=True)"
        with running([PYTHON, "-c", run], port, place, SEARX_SETTINGS_PATH=str(place / "settings.yml")):
            yield f"http://127.0.0.1:{port}"


def asked(engine: str, *queries: str) -> FoundSeeds:
    return asyncio.run(find(topic_of("127.0.0.1:9", engine, *queries, per_query=15)))


@needs_wiki
def test_a_real_wiki_gives_articles_and_what_they_cite(wiki: str) -> None:
    result = asked(f"mediawiki:{wiki}", "perovskite solar")
    assert result.troubles == []
    articles = {f"{wiki}/index.php/Perovskite_solar_cell", f"{wiki}/index.php/Tandem_cell"}
    assert urls(result) == articles | {"http://cells.test/intro", "https://nrel.test/chart"}
    first = result.rows[0]
    assert first.title == "Perovskite solar cell"
    assert "Perovskite solar cells are cheap" in first.snippet


@needs_wiki
def test_a_real_wiki_takes_phrases_minus_and_letters_of_any_kind(wiki: str) -> None:
    assert urls(asked(f"mediawiki:{wiki}", "größere Brötchen")) == {f"{wiki}/index.php/B%C3%A4ckerei"}
    without = asked(f"mediawiki:{wiki}", '"perovskite solar" -silicon')
    assert f"{wiki}/index.php/Perovskite_solar_cell" in urls(without)
    assert f"{wiki}/index.php/Tandem_cell" not in urls(without)
    assert "-silicon is not asked for" in without.notes[0], "a wiki without CirrusSearch would look for the word"
    assert asked(f"mediawiki:{wiki}", "nothing-has-this-word").rows == []


@needs_wiki
def test_the_search_of_a_real_site_is_found_by_its_description(wiki: str) -> None:
    result = asked(f"opensearch:{wiki}/index.php", "Brot")
    assert result.troubles == []
    assert f"{wiki}/index.php/B%C3%A4ckerei" in urls(result)


@needs_wiki
def test_a_sentence_and_a_real_wiki_make_a_crawl(wiki: str, tmp_path: Path) -> None:
    cells = Site("cells.test", {"/intro": page("intro", "solar", ["/more"]), "/more": page("more", "solar", [])})
    with in_thread(Web.of(cells)) as server:
        topic = topic_for(server.address, [], find=Find(engines=(f"mediawiki:{wiki}",)), budget=Budget(pages=20))
        topic = replace(topic, scope=Scope(exclude_hosts=("127.0.0.1",)))  # not the wiki itself
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    told = explain(tmp_path / "c", "http://cells.test/intro")
    assert "found: it is a seed, found by search engines\n    by mediawiki:127.0.0.1" in told
    assert "cited by Perovskite solar cell" in told
    with CrawlReader(tmp_path / "c") as crawl:
        assert crawl.page("http://cells.test/more") is not None


@needs_searx
def test_a_real_searx_is_asked_page_by_page(searx: str) -> None:
    result = asked(f"searxng:{searx}", "größe 日本")
    assert result.troubles == []
    assert len(result.rows) == 15, "of two pages"
    assert result.rows[0].title.startswith("größe 日本")
    assert result.rows[0].snippet == "about größe 日本"
