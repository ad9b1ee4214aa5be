"""docs/architecture.md: the walk of one URL leads through the modules that a crawl really passes."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import dowse
from dowse.engine.assembly.assemble import assemble
from dowse.loopback import in_thread
from dowse.loopback.demo import demo_topic, demo_web
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings
from tests.docs.markdown import ROOT, section

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_PACKAGE = Path(dowse.__file__).parent
_MOST = 40
# what runs before the crawl, in another process, or in a crawl with processes only
_ELSEWHERE = {
    "cli/crawl.py", "cli/flags.py", "engine/assembly/prepare.py", "engine/assembly/join.py",
    "engine/workers/process_pool.py", "engine/workers/wire.py", "engine/workers/worker.py",
}  # fmt: skip


def _walk() -> list[str]:
    steps = section(TEXT, "The walk of one URL").split("A page that an earlier crawl")[0]
    return re.findall(r"`((?:\w+/)+\w+\.py)`", steps)


def test_the_walk_is_short_and_names_each_module_once() -> None:
    walk = _walk()
    assert len(walk) == len(set(walk)) <= _MOST
    assert [module for module in walk if not (_PACKAGE / module).is_file()] == []


def test_a_crawl_passes_the_modules_of_the_walk(tmp_path: Path) -> None:
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            passed.add(frame.f_code.co_filename)

    async def main(address: str) -> None:
        topic = replace(demo_topic(address), judge=JudgeSettings(), workers=0, budget=Budget(pages=3))
        sys.setprofile(note)
        try:
            assembly = await assemble(topic, tmp_path / "c")
            try:
                await assembly.run()
            finally:
                await assembly.close()
        finally:
            sys.setprofile(None)

    with in_thread(demo_web()) as server:
        asyncio.run(main(server.address))
    missed = {module for module in _walk() if str(_PACKAGE / module) not in passed}
    assert missed <= _ELSEWHERE
