"""A small web of two kinds of pages, a crawl of it, and the command line in this process."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from dowse.cli.main import main
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import JudgeSettings
from tests.engine.servers import crawl_all, topic_for
from tests.judge.made import BIRDS, STEEL, texts

PAGES = 15  # of each kind
QUERY = "bird nest feather wing"


def html(title: str, text: str, links: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body><p>{text}</p>{links}</body></html>"


def two_kinds() -> Web:
    """``/bird/N`` and ``/steel/N`` on one site, and a page that links to them all."""
    resources = {}
    for kind, subject in (("bird", BIRDS), ("steel", STEEL)):
        for number, text in enumerate(texts(subject, PAGES, seed=11)):
            resources[f"/{kind}/{number}"] = Resource(html(f"{kind} {number}", text).encode())
    links = " ".join(f'<a href="{path}">page</a>' for path in resources)
    return Web.of(Site("a.test", {"/": Resource(html("All", "a list of pages", links).encode()), **resources}))


def crawled(folder: Path, judge: JudgeSettings | None = None, **more: Any) -> Path:
    """A crawl of that web, with a threshold between the two kinds; ``more`` is for its topic."""

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            settings = judge or JudgeSettings(threshold=0.1)
            topic = topic_for(server.address, ["http://a.test/"], query=QUERY, judge=settings, **more)
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0, answers: str = "") -> tuple[str, str]:
    """What a command says on standard output and on standard error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["dowse", *arguments])
        patch.setattr(sys, "stdin", io.StringIO(answers))
        with pytest.raises(SystemExit) as end:
            main()
    out, err = capsys.readouterr()
    assert end.value.code == code, err + out
    return out, err


def mistake(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a mistake is told on."""
    out, err = said(capsys, *arguments, code=2)
    assert out == ""
    assert err.startswith("dowse: ")
    assert err.count("\n") == 1
    return err
