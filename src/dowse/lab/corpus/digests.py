"""Digests of recorded pages for any topic, without parsing: exactly what the live crawl's step gives.

What its first half leaves of a page was kept, with all links; here the scope refuses some of these, and the second half
of the step judges the page by the numbers of its words.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.engine.page.judged import PageWords, facts_of, judge_page, repeated_blocks
from dowse.engine.page.parsed import PageParts, parse_response
from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge, Vocabulary
from dowse.lab.corpus.index import Index
from dowse.lab.corpus.page_arrays import Pages
from dowse.lab.corpus.parsing import LINK_COLUMNS, LINK_STRINGS, NOINDEX, PAGE, REFUSED
from dowse.model.block_rule import BlockRule
from dowse.model.page import Counting, Digest, Signature
from dowse.parse import Gathered, Mentions, line_groups, mentions

__all__ = ["Digests"]

_PUBLISHED = BlockRule()  # the cache has the blocks that it makes
_UNKNOWN = -1  # not yet asked of the scope
_ALLOWED = 0
_NOT_ASKED = -1.0  # no similarity
_REMEMBERED = 50_000  # pages whose lines are kept, some 3 KB each
_ANCHOR_TOKENS = 1 << 20  # read at a time
_USUAL = Counting()


class Digests:
    """page number -> :class:`Digest` for one judge and one scope. A response that was not parsed when the cache was
    made (another media type) is parsed when it is asked for."""

    def __init__(
        self, index: Index, pages: Pages, vocabulary: Vocabulary, judge: TopicJudge, scope: StaticScope,
        max_links: int, rule: BlockRule = _PUBLISHED,
    ) -> None:  # fmt: skip
        self._index = index
        self._pages = pages
        self._judge = judge
        self._scope = scope
        self._max_links = max_links
        self._read = judge.nearness.reader(vocabulary)
        self._rule = rule
        self._cut: dict[int, NDArray[np.int32]] = {}  # pages that were cut by another rule than that of the cache
        self._step = PageStep(judge, scope, max_links, rule=rule)
        self._rules = [""]  # what a number of _rule_of stands for
        self._rule_of = np.full(len(pages.fingerprints), _UNKNOWN, np.int16)  # address -> the rule that refuses it
        # what depends on the pages before is measured page by page, by numbers of the lexicon and not of the vocabulary
        # a predicate may ask for what is not kept, structured data or the text; a language may have other stems
        self._parses = self.learns or bool(judge.nearness.pools) or judge.judge.needs_objects or judge.judge.needs_text
        self._by_anchor = np.zeros(0) if self._parses else self._anchor_similarities()
        self._by_url = np.full(len(pages.fingerprints), _NOT_ASKED)  # by address
        self._lines: dict[int, tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.intp]]] = {}

    @property
    def learns(self) -> bool:
        """Does a digest depend on those made before (idf)? Then pages are parsed each time, and none is remembered."""
        return self._judge.nearness.frequencies is not None

    def start_over(self) -> None:
        """Forget what was learned from digests made before: another crawl begins."""
        if self._judge.nearness.frequencies is not None:
            self._judge.nearness.frequencies.start_over()

    def _anchor_similarities(self) -> NDArray[np.float64]:
        """How near each anchor of the corpus is to the topic; NaN where it has no word."""
        tokens = self._pages.columns["anchor_tokens"]
        ends = np.flatnonzero(tokens == 0)
        cuts = np.searchsorted(ends, np.arange(_ANCHOR_TOKENS, len(tokens), _ANCHOR_TOKENS))
        bounds = [0, *(ends[cuts[cuts < len(ends)]] + 1).tolist(), len(tokens)]
        parts = [
            self._judge.nearness.similarities(self._read(tokens[start:end]))[
                :-1
            ]  # nothing stands behind the last line end
            for start, end in pairwise(bounds)
        ]
        return np.concatenate(parts)

    def repeated(self, number: int, known: bytes) -> bytes:
        """What of a page repeats over its site, when these lines do: a digest depends on nothing else of them."""
        if not known or not self._pages.facts[number, 0] & PAGE:
            return b""
        found = self._lines.get(number)
        if found is None:
            page = self._read(self._pages.columns["tokens"][self._pages.bounds("token_ends", number)])
            found = *page.lines(), line_groups(self._starts(number), page.count_lines())
            if len(self._lines) < _REMEMBERED:
                self._lines[number] = found
        blocks = repeated_blocks(*found, known)
        return np.packbits(blocks).tobytes() if blocks.any() else b""

    def _starts(self, number: int) -> NDArray[np.int32]:
        starts: NDArray[np.int32] = self._pages.columns["block_starts"][self._pages.bounds("block_ends", number)]
        if self._rule == _PUBLISHED:
            return starts
        found = self._cut.get(number)
        if found is None:  # of the outline nothing is kept
            found = np.array(parse_response(self._index.response(number), rule=self._rule).starts, np.int32)
            if len(self._cut) < _REMEMBERED:
                self._cut[number] = found
        return found

    def __call__(
        self, number: int, repeats: bytes = b"", *, terms: int = 0, counting: Counting = _USUAL
    ) -> Digest:  # fmt: skip
        pages, judge = self._pages, self._judge
        if not pages.facts[number, 0] & PAGE or self._parses:
            job = Job(self._index.response(number), 0.0, repeats=repeats, terms=terms, counting=counting)
            return self._step.digest(job)
        start = perf_counter()
        page, targets, texts = self._page(number)
        read_at = perf_counter()
        reading = self._read(pages.columns["tokens"][pages.bounds("token_ends", number)])
        words = PageWords(reading, judge.nearness.similarities(reading), self._by_anchor[texts], self._urls(targets))
        facts = facts_of(pages.strings["urls"][number], page.content)
        digest = judge_page(
            judge, page, words, facts, self._scope.refuse, repeats=repeats, terms=terms, counting=counting,
            feeds=self._scope.takes_feeds,
        )  # fmt: skip
        digest.parse_s, digest.judge_s = read_at - start, perf_counter() - read_at
        return digest

    def _urls(self, targets: NDArray[np.int32]) -> NDArray[np.float64]:
        """How near the words of these addresses are to the topic."""
        new = targets[self._by_url[targets] == _NOT_ASKED]
        if len(new):
            self._by_url[new] = self._judge.nearness.of_urls(self._pages.strings["urls"].take(new))
        return self._by_url[targets]

    def _page(self, number: int) -> tuple[PageParts, NDArray[np.int32], NDArray[np.int32]]:
        """What the first half of the step left of a page, without the links that the scope refuses; and the numbers of
        the addresses of those that are left, and of the anchor of each mention."""
        pages = self._pages
        columns, strings = pages.columns, pages.strings
        flags, refresh, feed, *facts = pages.facts[number].tolist()
        rows = pages.bounds("row_ends", number)
        targets, of_links = columns["targets"][rows], {name: columns[name][rows] for name in LINK_COLUMNS}
        refused = dict(zip(REFUSED, facts, strict=False))
        kept = self._kept(targets, of_links["counts"], refused)
        if kept is not None:
            targets, of_links = targets[kept], {name: column[kept] for name, column in of_links.items()}
        given: dict[str, Any] = of_links | {name: strings[name].take(of_links[name]) for name in LINK_STRINGS}
        given["refused"] = {rule: count for rule, count in refused.items() if count}
        exact = int(columns["exact"][number])
        minhash = columns["minhash"][64 * number : 64 * number + 64].tobytes() if exact else b""
        mentioned, texts = self._mentions(number, kept)
        page = PageParts(
            pages.content(number), Signature(exact, minhash), bool(flags & NOINDEX),
            strings["urls"][refresh] if refresh >= 0 else None, strings["urls"][feed] if feed >= 0 else None,
            self._starts(number),
            Gathered(strings["urls"].take(targets), **given), mentioned, pages.fingerprints[targets],
        )  # fmt: skip
        return page, targets, texts

    def _mentions(self, number: int, kept: NDArray[np.intp] | None) -> tuple[Mentions, NDArray[np.int32]]:
        """Where the links stand, and their anchors; those of the rows that are ``kept``, where not all are."""
        pages = self._pages
        at = pages.bounds("mention_ends", number)
        names = ("mentioned", "paragraphs", "paths", "texts")
        rows, paragraphs, paths, texts = (pages.columns[name][at] for name in names)
        if kept is not None:
            renumbered = np.full(int(rows.max(initial=-1)) + 1, -1, np.int32)
            renumbered[kept] = np.arange(len(kept))
            rows = renumbered[rows]
            left = rows >= 0
            rows, paragraphs, paths, texts = rows[left], paragraphs[left], paths[left], texts[left]
        headings = pages.columns["headings"][pages.bounds("heading_ends", number)]
        return mentions(rows, paragraphs, paths, self._starts(number), headings), texts

    def _rules_of(self, targets: NDArray[np.int32]) -> NDArray[np.int16]:
        rules = self._rule_of[targets]
        unknown = targets[rules == _UNKNOWN]
        if len(unknown):
            for target, url in zip(unknown.tolist(), self._pages.strings["urls"].take(unknown), strict=True):
                rule = self._scope.refuse(url) or ""
                if rule not in self._rules:
                    self._rules.append(rule)
                self._rule_of[target] = self._rules.index(rule)
            rules = self._rule_of[targets]
        return rules

    def _kept(
        self, targets: NDArray[np.int32], counts: NDArray[np.int32], refused: dict[str, int]
    ) -> NDArray[np.intp] | None:
        """The rows that the scope and the limit leave; None: all. What they refuse is added to ``refused``."""
        rules = self._rules_of(targets)
        if not rules.any() and len(targets) <= self._max_links:
            return None
        by_rule = np.bincount(rules, counts, len(self._rules))
        for rule, count in zip(self._rules[1:], by_rule[1:].tolist(), strict=True):
            refused[rule] = refused.get(rule, 0) + int(count)
        allowed = np.flatnonzero(rules == _ALLOWED)
        beyond = allowed[self._max_links :]
        if len(beyond):
            refused["max-links"] = int(counts[beyond].sum())
        return allowed[: self._max_links]
