"""What a crawl was started with, as its records keep it, and read back when it is resumed."""

from __future__ import annotations

import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.engine.assembly.shared import has_password
from dowse.fetch import user_agent
from dowse.judge import TopicJudge
from dowse.model.database_url import PUBLISH_LOGIN
from dowse.model.errors import UserError
from dowse.model.proxy_login import LOGIN, PROXY, has_login
from dowse.model.secret_fields import OWN_HEADERS, sends_secrets
from dowse.model.topic import Topic
from dowse.model.topicfile import predicate_text, topic_from_json, topic_to_json
from dowse.store import CrawlStore, damage_told
from dowse.store.sharded import is_sharded

__all__ = ["check_alone", "check_login", "new_settings", "read_settings", "seeds_before", "stored_topic"]


def new_settings(topic: Topic, seeds: list[str], judge: TopicJudge) -> dict[str, Any]:
    """What a new crawl is started with, as its records keep it."""
    return {
        "topic": topic_to_json(topic),
        "version": version("dowse"),
        "seeds": seeds,
        LOGIN: has_login(topic.network.proxy),
        OWN_HEADERS: sends_secrets(topic.network),
        PUBLISH_LOGIN: has_password(topic),
        "warcinfo": _warcinfo(topic),
        "threshold": judge.threshold,  # where a judge learns, that of its first look
    }


def _warcinfo(topic: Topic) -> dict[str, str]:
    """Who made the archive, and what for: fields of its ``warcinfo`` records (WARC 1.1, section 6.2)."""
    found = {
        "operator": topic.network.contact or "",
        "http-header-user-agent": user_agent(topic.network),
        "isPartOf": topic.name or topic.query,
        "description": topic.query or predicate_text(topic),
    }
    return {name: value for name, value in found.items() if value}


def check_login(topic: Topic, store: CrawlStore) -> None:
    """A proxy's password is in no record: whoever resumes gives it again."""
    proxy = topic.network.proxy
    if proxy and proxy == stored_topic(store).network.proxy and store.settings().get(LOGIN):
        raise UserError(
            f"the crawl goes through {proxy} with a password, which is not kept: give the proxy's whole URL in the"
            f" environment variable {PROXY}, or with --proxy"
        )


def check_alone(folder: Path) -> None:
    """UserError where several engines share the crawl in a folder: one by itself cannot go on with it."""
    if is_sharded(folder):
        raise UserError(
            f"{folder} is a crawl that several engines share: it goes on with dowse crawl --resume"
            f" {shlex.quote(str(folder))}"
        )


def read_settings(folder: Path) -> Topic:
    """The topic a folder's crawl was started with."""
    with CrawlStore.open(folder) as store:
        return with_kept_categories(stored_topic(store), folder)


def stored_topic(store: CrawlStore) -> Topic:
    """The same, of a folder that is open; categories where they were then."""
    with damage_told(store.folder):
        return topic_from_json(store.settings()["topic"])


def seeds_before(store: CrawlStore) -> list[str]:
    """What an earlier run started from, and what was found since (``dowse seeds --to``)."""
    with damage_told(store.folder):
        return [*store.settings().get("seeds", []), *(row.url for row in store.found())]
