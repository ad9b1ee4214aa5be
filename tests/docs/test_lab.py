"""docs/lab.md: a judge of one's own is measured as it says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.markdown import DOCS, blocks, section
from tests.docs.test_python import run
from tests.lab.compare.webs import write_labelled

TEXT = (DOCS / "lab.md").read_text(encoding="utf-8")


def test_a_judge_of_ones_own_is_measured(tmp_path: Path) -> None:
    folder = write_labelled(tmp_path / "demo-crawl" / "bfs")
    labels = folder / "labels.csv"
    labels.write_text(labels.read_text().replace("solar cells", "silicon"))
    [example] = blocks(section(TEXT, "Measuring verdicts"), "python")
    rows = run(example.text, tmp_path).splitlines()
    assert len(rows) == 6
    assert all(re.fullmatch(r"(similarity|every-second) name.* [01]\.\d+", row) for row in rows)
