"""Digests of recorded pages for any topic, without parsing: exactly what the live crawl's step gives.

What a topic and a scope change is worked out here from numbers: the verdict, the similarity of anchors and paragraphs,
which links are refused. Everything else was kept.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dowse.engine.page.job import Job
from dowse.engine.page.judged import Judged, judged, repeated_blocks
from dowse.engine.page.step import PageStep
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge, Vocabulary
from dowse.lab.corpus.index import Index
from dowse.lab.corpus.pages import Pages
from dowse.lab.corpus.parsing import NOFOLLOW, NOINDEX, PAGE, REFUSED
from dowse.model.facts import PageFacts
from dowse.model.page import Digest, Links, Signature
from dowse.parse import Measures, add_refresh, in_context, line_groups, mentions

__all__ = ["Digests"]

_UNKNOWN = -1  # not yet asked of the scope
_ALLOWED = 0
_REMEMBERED = 50_000  # pages whose lines are kept, some 3 KB each
_ANCHOR_TOKENS = 1 << 20  # read at a time


class Digests:
    """page number -> :class:`Digest` for one judge and one scope. A response that was not parsed when the cache was
    made (another media type) is parsed when it is asked for."""

    def __init__(
        self, index: Index, pages: Pages, vocabulary: Vocabulary, judge: TopicJudge, scope: StaticScope, max_links: int
    ) -> None:
        self._index = index
        self._pages = pages
        self._judge = judge
        self._scope = scope
        self._max_links = max_links
        self._read = judge.nearness.reader(vocabulary)
        self._step = PageStep(judge, scope, max_links)
        self._rules = [""]  # what a number of _rule_of stands for
        self._rule_of = np.full(len(pages.fingerprints), _UNKNOWN, np.int16)  # address -> the rule that refuses it
        # what depends on the pages before is measured page by page, by numbers of the lexicon and not of the vocabulary
        # a judge may ask for what is not kept: structured data, or the text
        self._parses = self.learns or judge.judge.needs_objects or judge.judge.needs_text
        self._by_anchor = np.zeros(0) if self._parses else self._anchor_similarities()
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
        near = self._judge.nearness.similarities
        parts = [
            near(self._read(tokens[start:end]))[:-1]  # nothing stands behind the last line end
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
        return starts

    def __call__(self, number: int, repeats: bytes = b"", *, keep_bag: bool = False) -> Digest:
        pages = self._pages
        columns, strings = pages.columns, pages.strings
        flags, text_len, words, n_links, canonical, refresh, *by_rule = pages.facts[number].tolist()
        if not flags & PAGE or self._parses:
            return self._step.digest(Job(self._index.response(number), 0.0, repeats=repeats, keep_bag=keep_bag))
        start = perf_counter()
        by_line, of_page = self._judge_page(number, repeats, keep_bag)
        judge_s = perf_counter() - start
        refused = dict(zip(REFUSED, by_rule, strict=True))
        links = self._links(number, by_line, of_page, refused)
        refresh_url = self._url(refresh)
        if refresh_url is not None and not flags & NOFOLLOW and self._scope.refuse(refresh_url) is None:
            add_refresh(links, refresh_url)
        exact = int(columns["exact"][number])
        return Digest(
            verdict=of_page.verdict,
            title=strings["titles"][number],
            language=strings["languages"][number],
            charset=strings["charsets"][number],
            words=words,
            text_len=text_len,
            links=links,
            n_links=n_links,
            refused_links={rule: count for rule, count in refused.items() if count},
            canonical=self._url(canonical),
            refresh=refresh_url,
            noindex=bool(flags & NOINDEX),
            nofollow=bool(flags & NOFOLLOW),
            lines=of_page.lines,
            bag=of_page.bag,
            signature=Signature(exact, columns["minhash"][64 * number : 64 * number + 64].tobytes() if exact else b""),
            parse_s=perf_counter() - start - judge_s,
            judge_s=judge_s,
        )

    def _judge_page(self, number: int, repeats: bytes, keep_bag: bool) -> tuple[NDArray[np.float64], Judged]:
        """How near each line is to the topic, and what is said of the page and its blocks."""
        page = self._read(self._pages.columns["tokens"][self._pages.bounds("token_ends", number)])
        of_page = judged(self._judge, page, self._starts(number), repeats, self._facts(number), keep_bag=keep_bag)
        return self._judge.nearness.similarities(page), of_page

    def _facts(self, number: int) -> PageFacts:
        strings = self._pages.strings
        _, _, words, n_links, *_ = self._pages.facts[number].tolist()
        return PageFacts(
            strings["urls"][number], strings["titles"][number], strings["languages"][number], words, n_links
        )

    def _url(self, number: int) -> str | None:
        return None if number < 0 else self._pages.strings["urls"][number]

    def _links(self, number: int, by_line: NDArray[np.float64], of_page: Judged, refused: dict[str, int]) -> Links:
        """The rows that the scope and the limit leave; what they refuse is added to ``refused``."""
        pages = self._pages
        columns, strings = pages.columns, pages.strings
        rows = pages.bounds("row_ends", number)
        mentions_at = pages.bounds("mention_ends", number)
        targets, counts = columns["targets"][rows], columns["counts"][rows]
        mentioned, paragraphs, paths = (columns[name][mentions_at] for name in ("mentioned", "paragraphs", "paths"))
        anchors, rels, positions = columns["anchors"][rows], columns["rels"][rows], columns["positions"][rows]
        rules = self._rules_of(targets)
        if rules.any() or len(targets) > self._max_links:
            kept = self._kept(rules, counts, refused)
            renumbered = np.full(len(targets), -1, np.int32)
            renumbered[kept] = np.arange(len(kept))
            mentioned = renumbered[mentioned]
            paragraphs, paths = paragraphs[mentioned >= 0], paths[mentioned >= 0]
            mentioned = mentioned[mentioned >= 0]
            targets, counts, anchors = targets[kept], counts[kept], anchors[kept]
            rels, positions = rels[kept], positions[kept]
        if not len(targets):
            return Links()
        headings = columns["headings"][pages.bounds("heading_ends", number)]
        found = mentions(mentioned, paragraphs, paths, self._starts(number), headings)
        measures = Measures(self._by_anchor[anchors], by_line, of_page.by_block, of_page.weights)
        return Links(
            urls=strings["urls"].take(targets),
            fingerprints=pages.fingerprints[targets],
            counts=counts.astype(np.float32),
            anchors=strings["anchors"].take(anchors),
            rels=strings["rels"].take(rels),
            positions=positions.copy(),
            similarity=in_context(found, measures),
        )

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

    def _kept(self, rules: NDArray[np.int16], counts: NDArray[np.int32], refused: dict[str, int]) -> NDArray[np.intp]:
        by_rule = np.bincount(rules, counts, len(self._rules))
        for rule, count in zip(self._rules[1:], by_rule[1:].tolist(), strict=True):
            refused[rule] = refused.get(rule, 0) + int(count)
        allowed = np.flatnonzero(rules == _ALLOWED)
        beyond = allowed[self._max_links :]
        if len(beyond):
            refused["max-links"] = int(counts[beyond].sum())
        return allowed[: self._max_links]
