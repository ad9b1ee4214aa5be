from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.database_url import DATABASE, completed, database_parts, located, url_fault, without_password
from dowse.model.topic import Publish, Seeds, Topic
from dowse.model.topicfile import topic_from_json, topic_to_json

word = st.text("abcXYZ019._~%-", min_size=1, max_size=8)


@given(word, st.text("abc:/@%!$&'()*+,;=-", min_size=1, max_size=12), word, word)
def test_no_part_of_a_password_is_shown(user: str, password: str, host: str, name: str) -> None:
    """However it is written: what stands before the last @ is a login."""
    whole = f"postgresql://{user}:{password}@{host}/{name}"
    assert without_password(whole) == f"postgresql://{user}@{host}/{name}"


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        (
            "postgresql:///webs?host=/run/pg&password=x&sslmode=require",
            "postgresql:///webs?host=/run/pg&sslmode=require",
        ),
        ("mysql://h/d?passwd=x", "mysql://h/d"),
        ("postgres://u@h/d?sslpassword=x", "postgres://u@h/d"),
        ("sqlite:////a/b@c:d.db", "sqlite:////a/b@c:d.db"),
        ("mariadb://u:@h/d", "mariadb://u@h/d"),
        ("mysql://:x@h/d", "mysql://h/d"),
    ],
)
def test_what_is_secret_is_left_out(whole: str, shown: str) -> None:
    assert without_password(whole) == shown
    parts = database_parts(whole)
    assert parts is not None
    assert parts.has_password is (shown != whole)


@pytest.mark.parametrize(
    "text", ["", "webs", "postgresql://", "http://h/d", "postgresql://u:a?b@h/d", "POSTGRESQL://h/d"]
)
def test_what_is_no_database(text: str) -> None:
    assert database_parts(text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("postgresql://u@h:5432/d", ""),
        ("postgresql://u@[::1]:5432/d", ""),
        ("mysql://[::1]/d", ""),
        ("sqlite:///a:b.db", ""),
        ("mysql://u:s3cret@h:s3cret/d", "the port is no number"),
        ("mysql://[::1]:x/d", "the port is no number"),
        ("oracle://u:s3cret@h/d", "oracle:// is not one of "),
        ("sub/plain.db", "sub/plain.db is no database's URL: for a file write sqlite:///sub/plain.db"),
        ("s3cret", "this is no database's URL: write "),
        ("u:s3cret@h.db", "this is no database's URL: write "),
        ("postgresql://u:s3cret?@h/d", "this is no database's URL: write "),
    ],
)
def test_why_a_text_is_no_database_is_told_without_its_password(text: str, told: str) -> None:
    fault = url_fault(text)
    assert fault.startswith(told)
    assert bool(fault) is bool(told)
    assert "s3cret" not in fault


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sqlite:///s", "sqlite:////in/here/s"),
        ("sqlite:///sub/s.db?x=1", "sqlite:////in/here/sub/s.db?x=1"),
        ("sqlite:////whole/s.db", "sqlite:////whole/s.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite://", "sqlite://"),
        ("postgresql://me@h/sub", "postgresql://me@h/sub"),
        ("webs", "webs"),
    ],
)
def test_a_file_is_where_the_folder_says(text: str, found: str) -> None:
    assert located(text, Path("/in/here")) == found


def test_the_environment_has_the_password_of_one_database() -> None:
    whole = "postgresql://me:secret@h:5432/webs"
    known = {DATABASE: whole}
    for text in ("postgresql://me@h:5432/webs", "postgresql://h:5432/webs", "postgres://me@h:5432/webs"):
        assert completed(text, known) == whole
    for text in (
        "postgresql://you@h:5432/webs", "postgresql://me@h/webs", "postgresql://me@other:5432/webs",
        "postgresql://me@h:5432/other", "mysql://me@h:5432/webs", "postgresql://me:mine@h:5432/webs", "sqlite:///a.db",
    ):  # fmt: skip
        assert completed(text, known) == text
    assert completed("postgresql://me@h/webs", {}) == "postgresql://me@h/webs"


def test_a_topic_keeps_its_databases_but_no_password() -> None:
    url = "postgresql://me:secret@h/webs"
    topic = Topic(query="x", seeds=Seeds(database=url, collection="mine"), publish=Publish(url))
    assert "secret" not in repr(topic)
    kept = topic_to_json(topic)
    assert "secret" not in str(kept)
    again = topic_from_json(kept)
    assert again.publish.url == again.seeds.database == "postgresql://me@h/webs"
    assert again.seeds.collection == "mine"
