"""docs/objects.md: its example prints what it says, and its tables name what there is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dowse
from dowse.judge import build_judge
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.model.topic import Topic
from dowse.parse.objects.wrapped import read_wrapped
from dowse.parse.objects.wrapper import NORMALISERS, load_wrapper
from tests.docs.markdown import DOCS, blocks, codes, section, tables

TEXT = (DOCS / "objects.md").read_text(encoding="utf-8")
ADDRESS = "127.0.0.1:8000"


def run(command: str, folder: Path) -> str:
    """What a command of the page says, on both outputs."""
    path = os.pathsep.join((str(folder), str(Path(dowse.__file__).parents[1])))
    done = subprocess.run(
        ["sh", "-e", "-c", command.replace("dowse ", f"{sys.executable} -m dowse ")], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("example")


def test_the_example_prints_what_it_says(folder: Path) -> None:
    example = section(TEXT, "An example to paste")
    pages, work = (block.text for block in blocks(example, "sh"))
    [shown] = blocks(example, "text")
    made, _, server = pages.strip().rpartition("\n")
    assert server.startswith("python3 -m http.server 8000")
    run(made, folder)
    html = {f"/{file.name}": Resource(file.read_bytes()) for file in (folder / "web").iterdir()}
    with in_thread(Web.of(Site("127.0.0.1", {"/": html["/index.html"], **html}))) as server_:
        lines = run(work.replace(ADDRESS, server_.address), folder).replace(server_.address, ADDRESS).splitlines()
    for line in shown.text.splitlines():
        assert line in lines


def test_the_wrapper_is_one(tmp_path: Path) -> None:
    [toml] = blocks(TEXT, "toml")
    (tmp_path / "events.toml").write_text(toml.text, "utf-8")
    wrapper = load_wrapper(tmp_path / "events.toml")
    page = b"<li class=event><h2>Jazz</h2><a class=tag href=/1>a</a><a class=tag>b</a> Tickets: 12 EUR"
    [one] = read_wrapped(wrapper, page, "text/html", "https://e.org/events/1")
    assert one.fields == {
        "name": "Jazz", "price": 12.0, "priceCurrency": "EUR", "keywords": "a; b", "url": "https://e.org/1",
    }  # fmt: skip


def test_the_function_reads(folder: Path) -> None:
    [code] = blocks(TEXT, "python")
    (folder / "my_objects.py").write_text(code.text, "utf-8")
    program = (
        "import dowse, my_objects; "
        "print(*my_objects.papers(dowse.PageFacts(), '<cite>On webs</cite> (1999) <cite>More</cite>'))"
    )
    assert "{'name': 'On webs', 'year': 1999.0}" in run(f'{sys.executable} -c "{program}"', folder)


def test_the_tables_name_what_there_is() -> None:
    keys = tables(section(TEXT, "Wrappers"))[0][1:]
    named = [code for row in keys if row[0] == "`as`" for code in codes(row[1])]
    assert [name for name in named if name in NORMALISERS] == list(NORMALISERS)
    sources = [codes(row[0]) for row in tables(section(TEXT, "What is read"))[0][1:]]
    assert [name for row in sources for name in row] == ["json-ld", "microdata", "rdfa", "opengraph", "module:name"]


def test_the_fields_of_predicates_can_be_pasted() -> None:
    text = section((DOCS / "predicates.md").read_text(encoding="utf-8"), "Fields of objects")
    [examples] = blocks(text, "text")
    for expression in examples.text.splitlines():
        build_judge(Topic(query="solar cells", predicate=expression))
