"""Digests of recorded pages for any topic, without parsing: exactly what the live crawl's step gives.

What a topic and a scope change is worked out here from numbers: the verdict, the similarity of anchors and paragraphs,
which links are refused. Everything else was kept.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dowse.crawl.job import Job
from dowse.crawl.step import PageStep
from dowse.frontier.scope import StaticScope
from dowse.judge import Judge, Vocabulary
from dowse.lab.corpus.index import Index
from dowse.lab.corpus.pages import Pages
from dowse.lab.corpus.parsing import NOFOLLOW, NOINDEX, PAGE, REFUSED
from dowse.model.page import Digest, Links, Signature, Verdict
from dowse.parse import Measures, add_refresh, in_context, line_groups, mentions

__all__ = ["Digests"]

_UNKNOWN = -1  # not yet asked of the scope
_ALLOWED = 0
_REMEMBERED = 50_000  # pages whose verdict is kept, some 3 KB each
_ANCHOR_TOKENS = 1 << 20  # read at a time


_Judged = tuple[Verdict, NDArray[np.float64], NDArray[np.float64]]
"""The verdict on a page, and how near each of its lines and blocks is to the topic."""


class Digests:
    """page number -> :class:`Digest` for one judge and one scope. A response that was not parsed when the cache was
    made (another media type) is parsed when it is asked for."""

    def __init__(
        self, index: Index, pages: Pages, vocabulary: Vocabulary, judge: Judge, scope: StaticScope, max_links: int
    ) -> None:
        self._index = index
        self._pages = pages
        self._judge = judge
        self._scope = scope
        self._max_links = max_links
        self._read = judge.reader(vocabulary)
        self._step = PageStep(judge, scope, max_links)
        self._rules = [""]  # what a number of _rule_of stands for
        self._rule_of = np.full(len(pages.fingerprints), _UNKNOWN, np.int16)  # address -> the rule that refuses it
        # what depends on the pages before is measured page by page, by numbers of the lexicon and not of the vocabulary
        self._by_anchor = np.zeros(0) if self.learns else self._anchor_similarities()
        self._judged: dict[int, _Judged] = {}

    @property
    def learns(self) -> bool:
        """Does a digest depend on those made before (idf)? Then pages are parsed each time, and none is remembered."""
        return self._judge.frequencies is not None

    def start_over(self) -> None:
        """Forget what was learned from digests made before: another crawl begins."""
        if self._judge.frequencies is not None:
            self._judge.frequencies.start_over()

    def _anchor_similarities(self) -> NDArray[np.float64]:
        """How near each anchor of the corpus is to the topic; NaN where it has no word."""
        tokens = self._pages.columns["anchor_tokens"]
        ends = np.flatnonzero(tokens == 0)
        cuts = np.searchsorted(ends, np.arange(_ANCHOR_TOKENS, len(tokens), _ANCHOR_TOKENS))
        bounds = [0, *(ends[cuts[cuts < len(ends)]] + 1).tolist(), len(tokens)]
        parts = [
            self._judge.similarities(self._read(tokens[start:end]))[:-1]  # nothing stands behind the last line end
            for start, end in pairwise(bounds)
        ]
        return np.concatenate(parts)

    def __call__(self, number: int) -> Digest:
        pages = self._pages
        columns, strings = pages.columns, pages.strings
        flags, text_len, words, n_links, canonical, refresh, *by_rule = pages.facts[number].tolist()
        if not flags & PAGE or self.learns:
            return self._step.digest(Job(self._index.response(number), 0.0))
        start = perf_counter()
        verdict, by_line, by_block = self._judged.get(number) or self._judge_page(number)
        judge_s = perf_counter() - start
        refused = dict(zip(REFUSED, by_rule, strict=True))
        links = self._links(number, by_line, by_block, refused)
        refresh_url = self._url(refresh)
        if refresh_url is not None and not flags & NOFOLLOW and self._scope.refuse(refresh_url) is None:
            add_refresh(links, refresh_url)
        exact = int(columns["exact"][number])
        return Digest(
            verdict=verdict,
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
            signature=Signature(exact, columns["minhash"][64 * number : 64 * number + 64].tobytes() if exact else b""),
            parse_s=perf_counter() - start - judge_s,
            judge_s=judge_s,
        )

    def _judge_page(self, number: int) -> _Judged:
        """Strategies are compared on the same pages, so this is remembered."""
        columns, bounds = self._pages.columns, self._pages.bounds
        reading = self._read(columns["tokens"][bounds("token_ends", number)])
        by_line = self._judge.similarities(reading)
        groups = line_groups(columns["block_starts"][bounds("block_ends", number)], len(by_line))
        judged = self._judge.verdict_of(reading), by_line, self._judge.similarities(reading, groups)
        if len(self._judged) < _REMEMBERED:
            self._judged[number] = judged
        return judged

    def _url(self, number: int) -> str | None:
        return None if number < 0 else self._pages.strings["urls"][number]

    def _links(
        self, number: int, by_line: NDArray[np.float64], by_block: NDArray[np.float64], refused: dict[str, int]
    ) -> Links:
        """The rows that the scope and the limit leave; what they refuse is added to ``refused``."""
        pages = self._pages
        columns, strings = pages.columns, pages.strings
        rows = pages.bounds("row_ends", number)
        of_page = pages.bounds("mention_ends", number)
        targets, counts = columns["targets"][rows], columns["counts"][rows]
        mentioned, paragraphs, paths = (columns[name][of_page] for name in ("mentioned", "paragraphs", "paths"))
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
        found = mentions(
            mentioned, paragraphs, paths, columns["block_starts"][pages.bounds("block_ends", number)],
            columns["headings"][pages.bounds("heading_ends", number)],
        )  # fmt: skip
        measures = Measures(self._by_anchor[anchors], by_line, by_block, np.ones(len(by_block)))
        similarity, places, repeated = in_context(found, measures)
        return Links(
            urls=strings["urls"].take(targets),
            fingerprints=pages.fingerprints[targets],
            counts=counts.astype(np.float32),
            anchors=strings["anchors"].take(anchors),
            rels=strings["rels"].take(rels),
            positions=positions.copy(),
            similarity=similarity,
            places=places,
            repeated=repeated,
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
