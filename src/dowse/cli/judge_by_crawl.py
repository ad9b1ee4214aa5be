"""``dowse judge --crawl``: one page, by the model that a crawl has learned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dowse.cli.decided import decided_lines
from dowse.cli.named_page import read_page_for
from dowse.cli.terminal import say, say_json
from dowse.cli.verdict_words import learned_from
from dowse.judge.learned.lead import page_bag
from dowse.lab.finished.crawl_judge import crawl_judge
from dowse.lab.finished.whole_words import WholeWords
from dowse.model.errors import UserError
from dowse.model.judge import LEARNED
from dowse.model.shown import shown
from dowse.model.topicfile import topic_from_json
from dowse.store import CrawlReader

__all__ = ["by_crawl"]


def by_crawl(source: str, folder: Path, given: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a page's chance by what the crawl in a folder has learned, and the words that decided."""
    with CrawlReader(folder) as crawl:
        judge, topic = crawl_judge(crawl), topic_from_json(crawl.topic())
    if judge is None:
        raise UserError(f"{folder} has no model: its judge does not learn, or learned too little")
    page = read_page_for(source, topic, given)
    document, words = page.document, WholeWords(judge.terms)
    words.read(document.words())
    url = document.url if document.url.startswith(("http://", "https://")) else ""
    reading, _ = page.judge.nearness.read_lines(document.lines)
    found = judge.decided(page_bag(reading), url, words.names())
    wanted, language = topic.scope.languages, page.facts().language
    relevant = found.chance >= judge.threshold and (not wanted or not language or language in wanted)
    if as_json:
        say_json({
            "source": source, "title": document.title, "score": found.chance, "relevant": relevant,
            "threshold": judge.threshold, "method": LEARNED, "model": judge.version, "log_odds": found.log_odds,
            "base": found.base, "words": [list(word) for word in found.words],
            "site": [list(domain) for domain in found.domains], "address": [list(word) for word in found.address],
        })  # fmt: skip
        return
    made_of = learned_from({"positive": judge.judge.positive, "made_of": judge.made_of})
    say(shown(document.title) or shown(source))
    say(
        f"{'relevant' if relevant else 'not relevant'}: a chance of {found.chance:.3f}, threshold {judge.threshold:.2f}"
    )
    say(f"by model {judge.version} of {shown(str(folder))}, made of {made_of}")
    for line in decided_lines(found):
        say(f"  {shown(line) if not line.startswith(' ') else '    ' + shown(line)}")
