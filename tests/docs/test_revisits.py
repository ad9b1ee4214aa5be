"""docs/revisits.md says what there is."""

from __future__ import annotations

import re

from dowse.recrawl.revisit import POLICIES
from tests.docs.markdown import DOCS

PAGE = (DOCS / "revisits.md").read_text(encoding="utf-8")


def test_every_policy_is_told() -> None:
    table = PAGE.partition("| policy |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(POLICIES)
