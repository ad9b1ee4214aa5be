from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.errors import TopicError
from dowse.model.url import canonical
from dowse.seeds.files import Problem, SeedList, load_seeds, read_seeds

LIST = b"""\
# portals
https://example.org/a
   HTTP://Example.org/b   # a note

example.com/path?x=1
https://example.org/a
https://example.org/c#part
ftp://example.org/d
garbage line
http://[
"""


def test_a_list_keeps_its_order_and_reports_garbage_by_line() -> None:
    seeds = read_seeds(LIST)
    assert seeds.urls == (
        "https://example.org/a",
        "http://example.org/b",
        "https://example.com/path?x=1",
        "https://example.org/c",
    )
    assert [problem.line for problem in seeds.problems] == [8, 9, 10]
    assert str(seeds.problems[1]) == "line 9: 'garbage line' is not a web address"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_is_read_by_its_url_column(delimiter: str) -> None:
    rows = [
        ["title", "URL", "n"],
        ['"one\nline more"', "https://e.org/1", "1"],
        ["two", "", "2"],
        ["# three"],
        ["four"],
    ]
    rows.append(["five", "https://e.org/5", "5"])
    text = "\n\n# exported\n" + "\n".join(delimiter.join(row) for row in rows)
    seeds = read_seeds(text.encode())
    assert seeds.urls == ("https://e.org/1", "https://e.org/5")
    assert seeds.problems == (Problem(7, "the url column is empty"), Problem(9, "the url column is empty"))


def test_a_one_column_table_is_a_table() -> None:
    assert read_seeds(b"url\nhttps://e.org/1\n").urls == ("https://e.org/1",)
    assert read_seeds(b"url\nhttps://e.org/1\n").problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str) -> None:
    text = newline.join(["https://bücher.example/ä", "https://e.org/"])
    assert read_seeds(text.encode(encoding)).urls == ("https://xn--bcher-kva.example/%C3%A4", "https://e.org/")


def test_nothing_is_no_problem() -> None:
    assert read_seeds(b"") == read_seeds(b"\n# only a comment\n")
    assert read_seeds(b"") == SeedList(())


def test_a_monstrous_cell_costs_one_line() -> None:
    seeds = read_seeds(b"url,note\nhttps://e.org/1,x\n" + b"y" * 200_000 + b",z\nhttps://e.org/2,x\n")
    assert seeds.urls == ("https://e.org/1", "https://e.org/2")
    assert [problem.line for problem in seeds.problems] == [3]
    assert len(str(read_seeds(b"x" * 100_000).problems[0])) < 200


def test_a_file_that_cannot_be_read_is_the_users_to_mend(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(LIST)
    assert load_seeds(tmp_path / "list.txt") == read_seeds(LIST)
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(TopicError, match="cannot read the seed list"):
            load_seeds(path)


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: ("url,x\n" + text).encode("utf-8", "replace")))
def test_any_bytes_give_canonical_urls_or_problems(body: bytes) -> None:
    seeds = read_seeds(body)
    assert all(canonical(url) == url for url in seeds.urls)
    assert all(problem.line >= 1 for problem in seeds.problems)
