"""What would sharpen a topic whose words are too vague: the best few ways, with pages and words of the crawl itself."""

from __future__ import annotations

from collections import Counter

from dowse.judge import subject_of
from dowse.judge.subject import terms_of
from dowse.lab.finished.page_texts import archived_document
from dowse.lab.finished.whole_words import WholeWords
from dowse.model.page import Bag
from dowse.model.topicfile import topic_from_json
from dowse.store import CrawlReader, PageView, damage_told

__all__ = ["odd_word", "ways_to_sharpen"]

_LOOKED_AT = 200  # relevant pages
_READ = 8  # of them, read again to find a word
_FEWEST = 3  # pages that have a word in common
_NAMED, _SHORTEST = 12, 3  # words that are looked up; letters of one


def ways_to_sharpen(crawl: CrawlReader) -> list[str]:
    """Two or three sentences, the best way first."""
    best = crawl.top_pages(_LOOKED_AT)
    ways = []
    if best:
        ways.append(f"an example: if {best[0].url} is on the topic, name it under [examples] in a topic file")
    else:
        ways.append("an example: name a page that you know to be on the topic under [examples] in a topic file")
    odd = odd_word(crawl, best)
    if odd is not None:
        word, page = odd
        ways.append(
            f"a word to exclude: if pages about '{word}' are not meant, name one as a counter-example, such as"
            f" {page.url}"
        )
    ways.append(f"your answers: dowse label {crawl.folder}")
    return ways


def odd_word(crawl: CrawlReader, relevant: list[PageView]) -> tuple[str, PageView] | None:
    """The word that most sets apart the doubtful ones of the relevant pages, and a page that has it: those that lack
    the rarest of the query's words or, where hardly any does, the half with the lower scores. None where they have
    no word in common. The pages come with the highest scores first."""
    with damage_told(crawl.folder):
        topic = topic_from_json(crawl.topic())
        query = subject_of(topic).query
        bags = {id_: Bag.unpacked(data) for id_, data in crawl.details([page.id for page in relevant])}
    sets = {page.id: set(bags[page.id].terms.tolist()) for page in relevant if page.id in bags}
    met = Counter(term for terms in sets.values() for term in query if term in terms)
    if not met:
        return None
    rarest = min(met, key=lambda term: (met[term], term))
    known = [page for page in relevant if page.id in sets]
    odd = [page for page in known if rarest not in sets[page.id]]
    if len(odd) < _FEWEST:
        odd = known[(len(known) + 1) // 2 :]
    among = Counter(term for page in odd for term in sets[page.id])
    others = Counter(term for terms in sets.values() for term in terms)
    others.subtract(among)
    for term in query:
        among.pop(term, None)
    size, rest = max(1, len(odd)), max(1, len(known) - len(odd))
    common = [term for term in among if among[term] >= _FEWEST]
    if not common:
        return None
    common.sort(key=lambda term: (among[term] / size - others[term] / rest, term), reverse=True)
    words = WholeWords(terms_of(topic), set(common[:_NAMED]))
    for page in odd[:_READ]:
        document = archived_document(crawl, page)
        if document is not None:
            words.read(document.words())
    names = words.names()
    for term in common[:_NAMED]:
        if _is_telling(names.get(term, "")):
            return names[term], [page for page in odd if term in sets[page.id]][-1]
    return None


def _is_telling(word: str) -> bool:
    """A number, or a short word, says nothing to who has not seen the pages."""
    return word.isalpha() and (len(word) >= _SHORTEST or not word.isascii())
