"""How good categories are: ``python -m bench.categories CORPUS [--embed] [--scale both|idf|ratio] [--json FILE]``.

Each label of a corpus with pages enough becomes a category, trained on 8, 30 and 100 pages a side, drawn at random, by
the very training of ``dowse train``. Its answers are then compared with the labels of pages it was not trained on. F1
is that at the category's own threshold, as if there were as many held-out pages inside as outside. Beside the truth
stands what cross-validation had told, how often the truth lies in the interval it told, by how much the probabilities
are off, and the AUC of the similarity to the same examples, which is what a crawl without a category goes by. Means
over labels and draws; CPU time of training, and of a page, whose terms are in the order of their hashes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge import Terms, TopicVector, training
from dowse.judge.bags import Bag, bag_of
from dowse.judge.measured import auc
from dowse.judge.similarity import rocchio, unit_vector
from dowse.lab.corpus import Corpus, example_texts, open_corpus

SIZES = (8, 30, 100)
DRAWS = 2
LEAST_PAGES = 150
MOST_HELD_OUT = 1_000  # a side

COLUMNS = ("auc", "auc_told", "f1", "f1_told", "similarity_auc", "off_by", "in_interval", "train_s", "page_ms")

Scale = Callable[[Any, NDArray[np.bool_]], NDArray[np.float64]]


def _idf(matrix: Any, truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    known = np.asarray((matrix > 0).sum(axis=0)).ravel()
    return np.where(known > 0, 1 + np.log((len(truth) + 1) / (known + 1)), 0.0)


def _ratio(matrix: Any, truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    inside, outside = (np.asarray((matrix[side] > 0).sum(axis=0)).ravel() for side in (truth, ~truth))
    share = (inside + 1) / (np.count_nonzero(truth) + 2) * (np.count_nonzero(~truth) + 2) / (outside + 1)
    return np.where(inside + outside > 0, np.abs(np.log(share)), 0.0)


SCALES: dict[str, Scale] = {"both": training._scales, "idf": _idf, "ratio": _ratio}


def read(corpus: Corpus, embedded: bool) -> dict[int, Bag]:
    """The pages that have words, by number; one of those with the same words."""
    terms, found = Terms("english"), {}
    seen = set()
    for number in np.flatnonzero(corpus.pages.is_page()).tolist():
        [example] = example_texts(corpus, [number])
        bag = bag_of(example.text or "", terms, embedded=embedded)
        if bag.terms and bag.key not in seen:
            seen.add(bag.key)
            found[number] = bag
    return found


def f1(likely: NDArray[np.float64], truth: NDArray[np.bool_], threshold: float) -> float:
    """F1 as if both sides were of one size."""
    hits, alarms = float((likely[truth] >= threshold).mean()), float((likely[~truth] >= threshold).mean())
    return 2 * hits / (1 + hits + alarms)


def off(likely: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """How far probabilities are from what comes true, tenth by tenth: the expected calibration error."""
    share = np.where(truth, 0.5 / np.count_nonzero(truth), 0.5 / np.count_nonzero(~truth))
    tenth = np.minimum((likely * 10).astype(np.intp), 9)
    sums = (np.bincount(tenth, share * values, 10) for values in (likely, truth.astype(np.float64)))
    return float(np.abs(np.subtract(*sums)).sum())


def similarity(positive: list[Bag], negative: list[Bag], pages: list[Bag]) -> list[float]:
    counts = [
        [dict(zip(bag.terms, bag.counts.tolist(), strict=True)) for bag in side] for side in (positive, negative, pages)
    ]
    inside, outside = ([unit_vector(one, "log") for one in side] for side in counts[:2])
    vector = TopicVector(rocchio({}, inside, outside))
    return [vector.cosine(one) for one in counts[2]]


def trial(pages: dict[int, Bag], inside: frozenset[int], size: int, draw: int) -> tuple[float, ...]:
    """One draw: the columns of the table."""
    dice = np.random.default_rng([draw, size, *sorted(inside)[:4]])
    sides = [
        dice.permutation([number for number in pages if (number in inside) is side]).tolist() for side in (True, False)
    ]
    known = [[pages[number] for number in side[:size]] for side in sides]
    held_out = [[pages[number] for number in side[size : size + MOST_HELD_OUT]] for side in sides]
    started = time.process_time()
    category = training.train("bench", *known, language="english", made_at="", made_by="").category
    took_s = time.process_time() - started
    truth = np.repeat([True, False], [len(side) for side in held_out])
    bags = [*held_out[0], *held_out[1]]
    started = time.process_time()
    likely = np.array([category.likelihood(category.score(bag.hashes, bag.counts, bag.embedding)) for bag in bags])
    page_ms = 1e3 * (time.process_time() - started) / len(bags)
    measured = category.measured
    by_similarity = auc(np.array(similarity(known[0], known[1], bags)), truth)
    area = auc(likely, truth)
    return (
        area, measured.auc.value, f1(likely, truth, category.threshold), measured.f1.value, by_similarity,
        off(likely, truth), float(measured.auc.low <= area <= measured.auc.high), took_s, page_ms,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--embed", action="store_true", help="train with embeddings, too")
    parser.add_argument("--scale", choices=SCALES, default="both", help="how terms are scaled")
    parser.add_argument("--size", type=int, action="append", help="examples a side")
    parser.add_argument("--json", type=Path, help="write the figures")
    chosen = parser.parse_args()
    training._scales = SCALES[chosen.scale]  # type: ignore[assignment]
    corpus = open_corpus(chosen.corpus)
    pages = read(corpus, chosen.embed)
    labels = {
        label: found for label, found in corpus.labels.pages.items() if LEAST_PAGES <= len(found) <= len(pages) // 2
    }
    print(f"{len(pages):,} pages, {len(labels)} labels with {LEAST_PAGES} pages or more, {DRAWS} draws each")
    print(" a side     AUC  (told)      F1  (told)  similarity  off by  in interval  seconds  ms a page")
    found = []
    for size in chosen.size or SIZES:
        rows = [trial(pages, inside, size, draw) for inside in labels.values() for draw in range(DRAWS)]
        means = np.mean(rows, axis=0).tolist()
        area, told, score, f1_told, near, miss, within, took_s, page_ms = means
        found.append(
            {"examples": size, "labels": len(labels), "draws": DRAWS, **dict(zip(COLUMNS, means, strict=True))}
        )
        figures = f"{size:7d} {area:7.3f} {told:7.3f} {score:7.3f} {f1_told:7.3f}"
        print(f"{figures} {near:11.3f} {miss:7.3f} {within:12.0%} {took_s:8.2f} {page_ms:10.3f}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
