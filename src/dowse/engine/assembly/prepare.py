"""What comes before a crawl begins: seed lists and example pages are read, and what was given as an object is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dowse.engine.exchange.documents import Documents
from dowse.engine.exchange.exchange import Exchange
from dowse.engine.life import Sites
from dowse.judge import GuardedJudge, Terms
from dowse.model.budget import Budget, Purse
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import Transport
from dowse.model.judge import Judge
from dowse.model.plugins import missing_members
from dowse.model.strategy import Strategy
from dowse.model.topic import Example, StrategyChoice, Topic
from dowse.model.url import canonical
from dowse.model.words import words
from dowse.seeds import load_seeds

__all__ = ["ambiguous_words", "documents_of", "exchange_of", "named_after", "read_examples", "read_seeds"]


def ambiguous_words(topic: Topic) -> list[str]:
    """What to tell of a topic that has stop words alone, such as IT or "The Who": they are taken as names."""
    terms = Terms(topic.judge.language)
    named = [word for text in (topic.query, *(keyword.text for keyword in topic.keywords)) for word in words(text)]
    if not named or terms.sequence(named) or any(example.positive for example in topic.examples):
        return []
    return [
        f"{' '.join(named)!r} has nothing but stop words, which stand on most pages: they are taken as a name. An"
        " example page ([examples] in a topic file) would tell what is meant"
    ]


def exchange_of(topic: Topic, transport: Transport, clock: Clock) -> Exchange:
    """The way out for a program that does not crawl: nothing is recorded, and there is no budget."""
    purse = Purse(Budget())
    sites = Sites(topic, purse, clock)
    sites.journal.archives = False
    return Exchange(topic, transport, sites, purse, clock)


def documents_of(topic: Topic, transport: Transport, clock: Clock) -> Documents:
    """Documents for a program that does not crawl."""
    return Documents(exchange_of(topic, transport, clock))


def read_seeds(topic: Topic, before: list[str] | None, notes: list[str], *, needed: bool = True) -> list[str]:
    """The topic's seed URLs and those of its seed files, canonical, in order; odd lines are noted, none left at all is
    an error where they are ``needed``. A resumed crawl has its seeds from ``before``, and needs their files no more."""
    urls = list(before or [])
    for text in topic.seeds.urls:
        url = canonical(text if "://" in text else f"https://{text}")
        if url is None:
            raise TopicError(f"{text!r} is not a web address", key="seeds.urls")
        urls.append(url)
    for text in topic.seeds.sitemaps:
        if "://" in text and canonical(text) is None:
            raise TopicError(f"{text!r} is not a web address", key="seeds.sitemaps")
        if "://" not in text and before is None:
            _check_readable(text)
    for path in topic.seeds.files if before is None else ():
        found = load_seeds(path)
        urls += found.urls
        notes += [f"{path}: {problem}" for problem in found.problems]
    if needed and before is None and not urls and not topic.seeds.sitemaps:
        why = notes[0] if notes else f"{', '.join(topic.seeds.files)}: there is nothing in it"
        raise TopicError(f"there is no seed to start from: {why}")
    return list(dict.fromkeys(urls))


def _check_readable(path: str) -> None:
    """A sitemap that is a file is read when the crawl runs: that it can be, is known before."""
    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        raise TopicError(f"cannot read the sitemap: {(error.strerror or 'unreadable').lower()}", source=path) from None


async def read_examples(topic: Topic, documents: Documents, notes: list[str]) -> Topic:
    """The topic with the text of each example filled in. One that cannot be read is noted; none left is an error."""
    examples = []
    for example in topic.examples:
        if example.text is None:
            try:
                document = (await documents.read(example.source)).parsed()
                example = replace(example, text=f"{document.title}\n{document.text}")
            except TopicError as error:
                notes.append(f"example left out: {error}")
                continue
        examples.append(example)
    if not any(example.positive for example in examples) and _positive(topic.examples):
        raise TopicError(f"no example could be read: {'; '.join(notes)}")
    return replace(topic, examples=tuple(examples))


def _positive(examples: tuple[Example, ...]) -> bool:
    return any(example.positive for example in examples)


def named_after(topic: Topic, strategy: Strategy | None, judge: Judge | None) -> Topic:
    """The topic with the names of what was given, which its records are to keep. TopicError when that is no strategy,
    or no judge."""
    for given in (strategy, judge):
        if isinstance(given, type):  # has the members, too
            raise TopicError(f"{given.__name__} is a class: give what it makes, {given.__name__}()")
    if strategy is not None:
        missing = missing_members(strategy, Strategy)
        if missing:
            raise TopicError(f"{type(strategy).__name__} is no strategy: it has no {', '.join(missing)}")
        if topic.strategy.learn_from:
            raise TopicError("a strategy that is given is made already, and starts from nothing: leave out learn_from")
        if strategy.name != topic.strategy.name:
            own = StrategyChoice(strategy.name, maximise=topic.strategy.maximise)
            topic = replace(topic, strategy=replace(own, min_priority=topic.strategy.min_priority))
    if judge is not None:
        topic = replace(topic, judge=replace(topic.judge, method=GuardedJudge(judge).name))
    return topic
