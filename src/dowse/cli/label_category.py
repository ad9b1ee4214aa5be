"""A sitting of ``dowse label --name``: a person answers about the most uncertain pages of a crawl, and a category
learns from that."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from dowse.cli.excerpt import excerpt
from dowse.cli.keys import read_key
from dowse.cli.terminal import say, say_styled
from dowse.cli.train import described, stamp
from dowse.cli.uncertain import Pool
from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.judge import Category, Terms, load_category
from dowse.judge.category_file import ENDING, save_category
from dowse.judge.training import FEWEST, check_installed, train
from dowse.model.errors import UserError
from dowse.model.shown import shown
from dowse.model.topicfile import topic_from_json
from dowse.model.words import words
from dowse.store import CrawlReader, PageView
from dowse.store.answers import Answers

__all__ = ["CategorySitting", "changes"]

_EVERY = 5  # answers from one training to the next
_FOR, _AGAINST = 10, 4  # telling words of a page that are shown
_TERMS = 6  # that gained most, or lost most
_QUESTION = "y(es), n(o), s(kip), b(ack), q(uit)"


class CategorySitting:
    """One sitting. ``category`` is what is known so far: what was given, else what was learned here, else what the
    crawl's predicate knows by that name. ``out`` is where what is learned here goes: any other file is left as it is,
    since it may know more examples than this folder has answers."""

    def __init__(self, crawl: CrawlReader, category: Category | None, name: str) -> None:
        self.name = name
        self.out = crawl.folder / f"{name}{ENDING}"
        topic = with_kept_categories(topic_from_json(crawl.topic()), crawl.folder)
        if category is None and (self.out.is_file() or name in topic.categories):
            category = load_category(self.out if self.out.is_file() else Path(topic.categories[name]))
        self.category = category
        self.answers = Answers(crawl.folder, name)
        self.answers.check_columns()  # before anybody has answered
        language = topic.judge.language if category is None else category.language
        self.pool = Pool(crawl, Terms(language), embedded=category is not None and category.needs_text)
        self.likely: dict[str, float] = {}
        self.asked: list[tuple[str, bool]] = []  # pages of this sitting, and whether they were answered
        self.fresh = 0  # answers since the last training
        self.can_train = _can_train()

    def run(self) -> None:
        """Ask until there is nothing left to ask, or nobody answers."""
        if not self.pool.pages:
            raise UserError(f"{self.out.parent} has no judged page to label")
        self._greet()
        if self.category is not None:
            self._weigh(self.category)
        while (page := self._next()) is not None and self._ask(page):
            if self.can_train and self.fresh and self._due():
                self._train()
        if page is None:
            say("there is no page left to ask about")
        if self.fresh and self.can_train and self._enough():
            self._train()
        self._part()

    def _greet(self) -> None:
        known = self.answers
        say(f"{self.pool.total} pages; labelled {self.name}: {known.count(True)} yes, {known.count(False)} no")
        if len(self.pool.pages) < self.pool.total:
            say(f"looking at {len(self.pool.pages)} of them, spread over the crawl")

    def _part(self) -> None:
        yes, no = self.answers.count(True), self.answers.count(False)
        say(f"{yes} yes, {no} no in {self.answers.path}")
        if not self._enough():
            say(f"a category needs {FEWEST} of each: run the same command to go on")

    def _next(self) -> PageView | None:
        done = {*self.answers.known, *(url for url, _ in self.asked)}
        return self.pool.nearest(done, self.likely, above=self.answers.count(True) <= self.answers.count(False))

    def _ask(self, page: PageView) -> bool:
        """Show a page and take the answer; False when there is none."""
        while True:
            self._show(page)
            say(f"is it {self.name}? {_QUESTION}: ", nl=False)
            answer = read_key()
            if answer in ("", "q"):
                return False
            if answer in ("y", "n"):
                self.answers.add(page.url, answer == "y")
                self.asked.append((page.url, True))
                self.fresh += 1
                return True
            if answer == "s":
                self.asked.append((page.url, False))
                return True
            if answer == "b" and self.asked:
                page = self._back()
            else:
                say("nothing to go back to" if answer == "b" else f"please answer {_QUESTION}")

    def _back(self) -> PageView:
        """The page before, as if it had not been asked about."""
        url, answered = self.asked.pop()
        if answered:
            self.answers.take_back(url)
            self.fresh += 1  # what was learned from it is to be unlearned
        return self.pool.pages[url]

    def _show(self, page: PageView) -> None:
        sides = {True: "relevant", False: "not relevant", None: "not judged"}
        figures = f"score {page.score or 0.0:.3f} ({sides[page.relevant]})"
        if page.url in self.likely:
            figures += f", {self.name} {self.likely[page.url]:.2f}"
        say(f"\n{shown(page.title) or '(no title)'}\n{shown(page.url)}\n{figures}")
        document, bag = self.pool.document(page.url), self.pool.bag(page.url)
        if document is None or bag is None:
            say("(its text cannot be read from the archive)")
            return
        if self.category is None:
            telling = {
                term: value * weight
                for name, value, weight in page.reasons
                for term in self.pool.terms.sequence(words(name.partition(": ")[2]))
            }
        else:
            ordered = self.category.telling(bag.hashes, bag.counts)
            telling = dict([*ordered[:_FOR], *ordered[-_AGAINST:]])
        say_styled(excerpt(document.text, telling, self.pool.terms, marked=not sys.stdout.isatty()))

    # -- learning --------------------------------------------------------------------------------------------------

    def _enough(self) -> bool:
        return min(self.answers.count(True), self.answers.count(False)) >= FEWEST

    def _due(self) -> bool:
        return self._enough() and (self.fresh >= _EVERY or not self.out.is_file())

    def _weigh(self, category: Category) -> None:
        unread = self.pool.unread()
        if unread:
            say(f"reading {unread} pages from the archive", err=True)
        self.likely = self.pool.probabilities(category)
        self.category = category

    def _train(self) -> None:
        sides: tuple[list[str], list[str]] = ([], [])
        for url, answer in self.answers.known.items():
            sides[not answer].append(url)
        bags = [[bag for bag in map(self.pool.bag, urls) if bag is not None] for urls in sides]
        self.fresh = 0
        try:
            trained = train(
                self.name, *bags, language=self.pool.terms.language, made_at=stamp(),
                made_by=f"dowse {version('dowse')}",
            )  # fmt: skip
        except UserError as error:
            say(f"not trained: {error}")
            return
        before, likely = self.category, self.likely
        save_category(trained.category, self.out)
        self._weigh(trained.category)
        say("")
        for line in (*trained.notes, *described(trained.category)):
            say(line)
        for line in changes(before, trained.category, likely, self.likely):
            say(line)
        say(f'written: {self.out}. In a predicate: category("{self.name}") > 0.6')


def _can_train() -> bool:
    try:
        check_installed()
    except UserError as error:
        say(f"{error}; until then, answers are kept and nothing is trained", err=True)
        return False
    return True


def changes(before: Category | None, after: Category, was: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """A few lines: the figures before and after, how many pages change sides, which terms gained or lost most. ``was``
    and ``now`` are the probabilities of the same pages."""
    inside = sum(value >= after.threshold for value in now.values())
    lines = [f"pages of the crawl it takes: {inside} of {len(now)}"]
    if before is None:
        return lines
    figures = (
        (title, getattr(before.measured, name).value, getattr(after.measured, name).value)
        for title, name in (("F1", "f1"), ("AUC", "auc"))
    )
    lines = [f"before and now: {', '.join(f'{title} {old:.3f} -> {new:.3f}' for title, old, new in figures)}", *lines]
    both = was.keys() & now.keys()
    joined = sum(was[url] < before.threshold and now[url] >= after.threshold for url in both)
    left = sum(was[url] >= before.threshold and now[url] < after.threshold for url in both)
    lines.append(f"change sides: {joined} in, {left} out")
    moved = _moved(before, after)
    for title, terms in (("gained", moved[:_TERMS]), ("lost", moved[: -_TERMS - 1 : -1])):
        shown = [f"{term} {step:+.2f}" for term, step in terms if (step > 0) is (title == "gained")]
        if shown:
            lines.append(f"{title}: {', '.join(shown)}")
    return lines


def _moved(before: Category, after: Category) -> list[tuple[str, float]]:
    """The change of each term's weight, the greatest gain first."""
    old, new = (dict(zip(one.terms, (one.scales * one.weights).tolist(), strict=True)) for one in (before, after))
    steps = {term: new.get(term, 0.0) - old.get(term, 0.0) for term in {*old, *new}}
    return sorted(((term, step) for term, step in steps.items() if step), key=lambda pair: (-pair[1], pair[0]))
