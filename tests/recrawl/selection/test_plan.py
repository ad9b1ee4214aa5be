"""A plan's file is read as it was written, and what a person may get wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.errors import UserError
from dowse.recrawl.patterns.pattern_file import read_patterns, write_patterns
from dowse.recrawl.selection.plan import Follower, Plan, SitePlan, read_plan, write_plan

PLAN = Plan(
    "cost-aware", 3, 360,
    (
        SitePlan(
            ("http://a.example/",),
            ("http://a.example/e/{int}",),
            (("http://a.example/", "http://a.example/list"), ("http://a.example/list", "http://a.example/e/{int}")),
            ("http://a.example/{slug}",),
        ),
    ),
)  # fmt: skip

_PATHS = st.text(st.characters(codec="utf-8", exclude_characters="{}#", exclude_categories=("Cc", "Cs")), max_size=9)


@given(_PATHS)
def test_a_plan_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
    url = f"http://a.example/{path}'\"\\"
    plan = Plan("SR(1)", 1, 2, (SitePlan((url,), (url,), ((url, url),)),))
    file = tmp_path_factory.mktemp("plan") / "plan.toml"
    write_plan(file, plan)
    assert read_plan(file) == plan


def test_only_the_plans_links_are_followed() -> None:
    follower = Follower(PLAN)
    links = ["http://a.example/list", "http://a.example/e/1", "http://a.example/about", "http://b.example/"]
    assert follower.follows("http://a.example/", links) == [True, False, False, False]
    assert follower.follows("http://a.example/list", links) == [False, True, False, False]
    assert follower.follows("http://a.example/about", links) == [False] * 4
    assert [follower.states_objects(link) for link in links] == [False, True, False, False]


def test_a_plan_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("[[site]]\nentries = ['http://a.example/']\n", "utf-8-sig")
    assert read_plan(file).entries == ("http://a.example/",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[site]", "Expected"),
        ("a = " + "[" * 5000, "is no TOML"),
        ("", "no [[site]]"),
        ("[[site]]\nobjects = []", "needs entries"),
        ("[[site]]\nentries = [7]", "7 is no text"),
        ("[[site]]\nentries = 'http://a.example/'", "entries is a list"),
        ("[[site]]\nentries = ['http://a.example/']\nfollow = ['x']", "pairs of patterns"),
        ("[[site]]\nentries = ['http://a.example/']\nobjects = ['http://a.example/{number}']", "'{number}'"),
        ("[expected]\nobjects = 'many'\n[[site]]\nentries = ['http://a.example/']", "many"),
    ],
)
def test_what_is_no_plan_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"plan\.toml") as error:
        read_plan(file)
    assert told in str(error.value)


def test_patterns_are_read_as_they_were_written_and_edited(tmp_path: Path) -> None:
    file = tmp_path / "patterns.txt"
    write_patterns(file, [("http://a.example/e/{int}", "3 pages"), ("http://a.example/", "")])
    with file.open("a") as stream:
        stream.write("\n  http://a.example/e/{int}  # again\nhttp://a.example/{slug}\n")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))  # as some editors save it
    texts = [pattern.text for pattern in read_patterns(file)]
    assert texts == ["http://a.example/e/{int}", "http://a.example/", "http://a.example/{slug}"]
    file.write_text("\nhttp://a.example/{bad}\n")
    with pytest.raises(UserError, match=r"patterns.txt:2: .*\{bad\}"):
        read_patterns(file)
    file.write_text("# nothing\n")
    with pytest.raises(UserError, match="no pattern"):
        read_patterns(file)
