"""Small webs for the engine's tests, served for real on loopback."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.loop.engine import Stop
from dowse.loopback import Resource, Site
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings, Limits, Network, Politeness, Scope, Seeds, StrategyChoice, Topic

WORDS = {
    "solar": "perovskite solar cells reach high efficiency because the perovskite layer absorbs light well "
    "and solar modules made of perovskite cells are cheap to print on glass or foil in one pass",
    "bread": "knead the dough with flour water yeast and salt then let the loaf rise twice before it is baked "
    "in a hot oven with steam until the crust is brown and crisp all around the tin",
}


def page(name: str, kind: str, links: list[str], head: str = "") -> Resource:
    """An HTML page of one kind of text, unique by its name, with links."""
    anchors = " ".join(f'<a href="{link}">to {link.rsplit("/", 1)[-1]}</a>' for link in links)
    unique = " ".join(f"{name}{n}" for n in range(40))
    body = f"<p>{WORDS[kind]}</p><p>{unique}</p>{anchors}"
    return Resource(f"<html><head><title>{name}</title>{head}</head><body>{body}</body></html>".encode())


def chain(host: str, count: int) -> Site:
    """A site whose pages /0, /1, ... each link to the next two."""
    resources = {
        f"/{n}": page(f"{host.partition('.')[0]}p{n}", "solar" if n % 3 else "bread", [f"/{n + 1}", f"/{n + 2}"])
        for n in range(count)
    }
    return Site(host, resources)


def topic_for(address: str, seeds: list[str], **changes: object) -> Topic:
    """A topic that crawls ``*.test`` at ``address``: no delay, no workers, short waits."""
    topic = Topic(
        name="test",
        query="perovskite solar cells",
        seeds=Seeds(urls=tuple(seeds)),
        scope=Scope(),
        strategy=StrategyChoice("bfs"),
        budget=Budget(pages=500),
        politeness=Politeness(delay_s=0.0),
        limits=Limits(retry_wait_s=0.05, timeout_s=5.0, connect_timeout_s=2.0),
        network=Network(allow_private=True, resolve={"*.test": address}),
        judge=JudgeSettings("similarity"),  # pages are few here, and known by their words
        workers=0,
    )
    return replace(topic, **changes)  # type: ignore[arg-type]


async def crawl_all(topic: Topic, folder: Path, *, resume: bool = False, hash_seed: int | None = None) -> Stop:
    """Run a crawl to its end. With a ``hash_seed`` and a concurrency of 1, it is the same each time."""
    assembly = await assemble(topic, folder, resume=resume, hash_seed=hash_seed)
    try:
        return await assembly.run()
    finally:
        await assembly.close()


def adding(site: Site, **resources: Resource) -> Site:
    """The site with more resources; ``robots_txt`` stands for /robots.txt."""
    more = {"/" + name.replace("_", "."): resource for name, resource in resources.items()}
    return replace(site, resources={**site.resources, **more})
