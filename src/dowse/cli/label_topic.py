"""A sitting of ``dowse label`` about the crawl's own topic: what is answered becomes an example or a counter-example of
the crawl's judge."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import replace

import numpy as np
import xxhash

from dowse.cli.excerpt import excerpt
from dowse.cli.keys import read_key, read_words
from dowse.cli.terminal import say, say_styled
from dowse.judge import LearnedJudge, Terms, learned_judge, learns, subject_of
from dowse.judge.asking import AskedPage, Asking
from dowse.judge.questions import Kind
from dowse.lab.finished.page_texts import archived_document
from dowse.lab.report.settings_text import subject_of as name_of
from dowse.lab.wording import counted
from dowse.model.errors import UserError
from dowse.model.page import Bag
from dowse.model.shown import shown, shown_lines
from dowse.model.strategy import Sample
from dowse.model.topic import Topic
from dowse.model.words import words
from dowse.store import CrawlReader, PageView, damage_told
from dowse.store.answers import Answers

__all__ = ["TopicSitting"]

_MOST = 4_000  # pages to look at; of a larger crawl, so many by lot
_ROUND = 6  # answers, until what is expected is told
_ENOUGH = 8  # of each side
_LEAST = 20  # answers in all
_LINES = 40  # of a page's text, at a time
_QUESTION = "y(es), n(o), s(kip), b(ack), o(pen), t(ext), f(ind), q(uit)"
_WHY = {
    Kind.TOP: "one of the likeliest",
    Kind.LIKELY: "drawn from the likely ones",
    Kind.UNCERTAIN: "one of the most uncertain",
    Kind.RANDOM: "drawn by lot",
    Kind.NEW: "like many others, and none that you answered",
    Kind.FOUND: "found by your words",
}


class TopicSitting:
    """One sitting. Answers are on the disk before the next question; whoever stops, however, goes on from there."""

    def __init__(self, crawl: CrawlReader, topic: Topic) -> None:
        self._crawl = crawl
        self._topic = topic
        self._name = shown(topic.name or topic.query or name_of(crawl.topic()))[:80]
        self._terms = Terms(topic.judge.language)
        self.learns = learns(topic)
        self.answers = Answers(crawl.folder)
        self.answers.check_columns()  # before anybody has answered
        self._pages = {page.id: page for page in _by_lot([page for page in crawl.judged_pages() if not page.dropped])}
        if not self._pages:
            raise UserError(f"{crawl.folder} has no judged page to label")
        self._asking = self._make_asking(topic)
        self._asked: list[
            tuple[int, bool, Kind]
        ] = []  # pages of this sitting, whether they were answered, and why asked
        self._wanted = 0  # answers of this sitting that are enough, once both sides have theirs
        self._fresh = 0  # answers of this sitting
        self._words_of_topic = words(" ".join((topic.query, *(keyword.text for keyword in topic.keywords))))

    def _make_asking(self, topic: Topic) -> Asking:
        crawl = self._crawl
        judge = learned_judge(topic) or LearnedJudge(subject_of(topic))
        judged = crawl.judged()
        urls = {page.id: page.url for page in judged}
        wanted = {*judge.wanted(judged, len(judged)), *self._pages, *self._ids_of_answers(urls)}
        with damage_told(crawl.folder):
            samples = {id_: Sample(Bag.unpacked(data), urls[id_]) for id_, data in crawl.details(sorted(wanted))}
        if not samples:
            raise UserError(
                f"the records in {crawl.folder} have no terms of its pages, as an earlier Dowse made them: "
                "crawl again, with this folder as --cache, or train a category with --name"
            )
        for id_, url in urls.items():  # answers about pages beyond those that are looked at count as well
            if url in self.answers.known and id_ in samples and id_ not in self._pages:
                page = crawl.page(url)
                if page is not None:
                    self._pages[id_] = page
        judge.restore(judged, {id_: (one.bag, one.url) for id_, one in samples.items()}, len(judged), 0)
        pages = [AskedPage(id_, samples[id_]) for id_ in self._pages if id_ in samples]
        verdicts = None if self.learns else np.array([bool(self._pages[page.id].relevant) for page in pages], np.bool_)
        asking = Asking(judge, pages, verdicts)
        known = {id_: self.answers.known[url] for id_, url in urls.items() if url in self.answers.known}
        asking.know(known, {id_ for id_ in known if self.answers.asked[urls[id_]] == Kind.RANDOM})
        return asking

    def _ids_of_answers(self, urls: dict[int, str]) -> list[int]:
        return [id_ for id_, url in urls.items() if url in self.answers.known]

    def run(self) -> None:
        """Ask until both sides have enough, nothing is left to ask, or nobody answers."""
        self._greet()
        while (found := self._asking.question()) is not None:
            before = self._fresh
            if not self._ask(*found):
                break
            if self._fresh <= before:  # skipped, or taken back
                continue
            if self._fresh % _ROUND == 0:
                self._tell()
            if self._is_enough():
                say("\nboth sides have enough; run the same command to go on")
                break
        if found is None:
            say("there is no page left to ask about")
        self._part()

    def _is_enough(self) -> bool:
        known = self.answers
        both = min(known.count(True), known.count(False)) >= _ENOUGH
        return both and len(known.known) >= _LEAST and self._fresh >= self._wanted

    def _greet(self) -> None:
        known = self.answers
        self._wanted = _LEAST if self._both_had_enough() else 0
        say(f"topic: {self._name}; {len(self._pages)} pages to ask about; answered so far: "
            f"{known.count(True)} yes, {known.count(False)} no")  # fmt: skip
        if not self.learns:
            say("this crawl is judged by a predicate, a threshold or another method, which does not learn: answers tell"
                " how good its verdicts are, and 'dowse rejudge --learned' judges by them")  # fmt: skip
        if known.known:
            self._tell()

    def _both_had_enough(self) -> bool:
        known = self.answers
        return min(known.count(True), known.count(False)) >= _ENOUGH and len(known.known) >= _LEAST

    def _part(self) -> None:
        known = self.answers
        say(f"{known.count(True)} yes, {known.count(False)} no in {known.path}")
        if self._fresh % _ROUND:
            self._asking.learn()
            self._tell()

    # -- one question ----------------------------------------------------------------------------------------------

    def _ask(self, id_: int, kind: Kind) -> bool:
        """Show a page and take the answer; False when there is none."""
        page = self._pages[id_]
        lines = 0  # of its text that were shown
        self._show(page, kind)
        while True:
            say(f"is it on the topic? {_QUESTION}: ", nl=False)
            key = read_key()
            if key in ("", "q"):
                return False
            if key in ("y", "n"):
                self._answered(page, key == "y", kind)
                return True
            if key == "s":
                self._asking.skip(page.id)
                self._asked.append((page.id, False, kind))
                return True
            if key == "b" and self._asked:
                (page, kind), lines = self._back(), 0
                self._show(page, kind)
            elif key == "o":
                self._open(page)
            elif key == "t":
                lines = self._show_text(page, lines)
            elif key == "f":
                found = self._find()
                if found is not None:
                    page, kind, lines = found, Kind.FOUND, 0
                    self._show(page, kind)
            else:
                say("nothing to go back to" if key == "b" else f"please answer {_QUESTION}")

    def _answered(self, page: PageView, answer: bool, kind: Kind) -> None:
        self.answers.add(page.url, answer, kind)
        self._asking.answer(page.id, answer, kind)
        self._asked.append((page.id, True, kind))
        self._fresh += 1

    def _back(self) -> tuple[PageView, Kind]:
        """The page before, and why it was asked about, as if it had not been."""
        id_, answered, kind = self._asked.pop()
        if answered:
            self.answers.take_back(self._pages[id_].url)
            self._fresh -= 1
        self._asking.take_back(id_)
        return self._pages[id_], kind

    def _show(self, page: PageView, kind: Kind) -> None:
        chance = self._asking.chance(page.id)
        say(f"\n{shown(page.title) or '(no title)'}\n{shown(page.url)}\nchance {chance:.2f}; {_WHY[kind]}")
        if kind is Kind.NEW:
            few = "few of your answers are" if self.answers.count(True) else "no answer is"
            say(f"{few} yes: do you know words of such pages? f finds one that says them")
        document = archived_document(self._crawl, page)
        if document is None:
            say("(its text cannot be read from the archive; o opens it in the browser)")
            return
        telling = dict.fromkeys(self._terms.sequence(self._words_of_topic), 1.0)
        say_styled(excerpt(document.text, telling, self._terms, marked=not sys.stdout.isatty()))

    def _find(self) -> PageView | None:
        """The page that says most of some words; the one that was asked about comes again."""
        line = read_words("words on a page that you look for: ")
        terms = subject_of(replace(self._topic, query=line, keywords=(), examples=())).query if words(line) else ()
        found = self._asking.find(np.array(terms, np.uint32)) if terms else None
        if found is None:
            say("no page that is left says any of these" if terms else "these are no words")
            return None
        return self._pages[found]

    def _open(self, page: PageView) -> None:
        try:
            opened = webbrowser.open(page.url)
        except webbrowser.Error:
            opened = False
        if not opened:
            say("there is no browser here: t shows its text")

    def _show_text(self, page: PageView, start: int) -> int:
        """Show some lines of a page's text; where the next ones begin."""
        document = archived_document(self._crawl, page)
        text = [] if document is None else document.text.split("\n")
        if not text:
            say("its text cannot be read from the archive")
        for line in text[start : start + _LINES]:
            say(shown_lines(line))
        end = start + _LINES
        if end < len(text):
            say(f"... {len(text) - end} more lines: t shows them")
            return end
        return 0

    # -- what is known ---------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        """What is expected of the verdicts by now, and how that is known."""
        asking = self._asking
        if not asking.has_model:
            say("too little is known so far to judge by: a yes would help most")
            return
        found = asking.expected()
        precision, recall = (f"{value:.2f} ({low:.2f} to {high:.2f})" for value, low, high in (
            found.precision, found.recall))  # fmt: skip
        relevant = int(np.count_nonzero(asking.pages.relevant))
        say(f"\nexpected precision {precision}, recall {recall}: by {counted(asking.drawn, 'answer')} about pages drawn"
            f" by lot, and the chances; {relevant} of {len(asking.pages.ids)} pages would be relevant")  # fmt: skip


def _by_lot(pages: list[PageView]) -> list[PageView]:
    if len(pages) <= _MOST:
        return pages
    chosen = sorted(pages, key=lambda page: xxhash.xxh3_64_intdigest(f"label {page.id}".encode()))[:_MOST]
    return sorted(chosen, key=lambda page: page.id)
