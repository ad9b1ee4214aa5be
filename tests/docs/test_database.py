"""docs/database.md: its tables are those of the code; its chain from seeds to SQL runs on each kind of database."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.cli.main import main
from dowse.model.database_url import SCHEMES
from dowse.store.shared.tables import SHARED
from tests.docs.database_reference import REGENERATE, reference
from tests.docs.markdown import DOCS, blocks, codes, section, tables
from tests.store.shared.same import asked, check_same

TEXT = (DOCS / "database.md").read_text(encoding="utf-8")
URL = "postgresql://me@localhost/webs"


def test_columns_are_described_where_they_are_declared() -> None:
    assert reference(TEXT) == TEXT, f"write it anew: {REGENERATE}"


def test_keys_are_those_of_the_tables() -> None:
    for shared in SHARED:
        if shared.name != "crawls":
            told = section(TEXT, f"`{shared.name}`")
            assert f"The key is {' and '.join(f'`{key}`' for key in shared.keys)}." in told.replace("\n", " ")


def test_every_kind_of_database_is_named() -> None:
    named = " ".join(code for row in tables(section(TEXT, "The database's address"))[0][1:] for code in codes(row[0]))
    assert all(f"{dialect}://" in named for dialect in set(SCHEMES.values()))


def run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code


def test_the_chain_of_the_paper_runs(
    database: str, crawl: Path, web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    chain = section(TEXT, "The whole chain")
    [topic], [commands], [query] = (blocks(chain, kind) for kind in ("toml", "sh", "sql"))
    Path("solar.toml").write_text(topic.text, "utf-8")
    seeds, crawls = commands.text.replace(URL, database).splitlines()
    assert "--engine mediawiki --engine arxiv" in seeds
    run(seeds.replace("mediawiki --engine arxiv", f"local:{crawl}") + " --most-seeds 10", monkeypatch)
    assert "10 written to " in capsys.readouterr().out
    resources = asked(database, "SELECT * FROM resources")
    assert len(resources) == 10
    assert {row["collection"] for row in resources} == {"perovskite solar cells"}
    run(f"{crawls} --quiet --delay 0 --workers 0 --resolve '*={web}' --allow-private", monkeypatch)
    check_same(database, tmp_path / "solar")
    found = asked(database, query.text)
    assert len(found) == 10
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)
    for row in found:
        with (Path(row["folder"]) / row["warc_file"]).open("rb") as archive:
            archive.seek(row["warc_offset"])
            copy = next(iter(ArchiveIterator(archive)))
        assert copy.rec_headers.get_header("WARC-Target-URI") == row["url"], "other tools find the local copy"
    [one] = asked(database, "SELECT uuid, judge, threshold FROM crawls")
    assert (one["judge"], one["threshold"]) == ("erid", 0.01)
    taken = asked(database, "SELECT taken_by, taken_at FROM resources")
    assert {row["taken_by"] for row in taken} == {one["uuid"]}
    assert all(row["taken_at"] for row in taken)
    run(f"dowse why solar {resources[0]['url']}", monkeypatch)
    assert "local:" in capsys.readouterr().out, "who found it came along"


def test_queries_run(database: str, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(f"dowse publish {crawl} {database}", monkeypatch)
    check_same(database, crawl)
    kind = database.partition(":")[0]
    by_hash = blocks(section(TEXT, "Tables"), "sql")[0].text
    if kind == "mysql":
        by_hash = by_hash.replace(
            "sha256('http://portal.dowse.test/')", "unhex(sha2('http://portal.dowse.test/', 256))"
        )
    if kind != "sqlite":
        [row] = asked(database, by_hash)
        assert row["outcome"] == "fetched"
