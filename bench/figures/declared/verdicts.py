"""How good verdicts, answers, categories and forecasts are, against labels and against what came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures.declared.comparisons import NAMES
from bench.figures.figure import Figure, Measurement
from bench.figures.tables import bounds, mean_of, number, percent, table, with_interval

__all__ = ["VERDICTS", "kept_verdicts"]

_FIRST = "bfs"  # the background that the others are set against
_TOLD = (0, 1, 3, 8, 20)


def kept_verdicts(told: Mapping[str, Any]) -> dict[str, Any]:
    """Of ``lab judge --json``: means over topics, and what another background changes."""
    measures = ("f1", "average_precision", "precision", "recall", "brier")
    verdicts = [
        {
            **row["setting"], "topics": row["topics"],
            **{name: bounds(row["figures"][name]) for name in measures}, "f1_of_best": bounds(row["f1_of_best"]),
            "share_brier": number(row["share_brier"]),
        }
        for row in told["verdicts"]
    ]  # fmt: skip
    biases = [
        {**row["setting"], "f1": bounds(row["f1"]), "average_precision": bounds(row["average_precision"])}
        for row in told["biases"]
    ]
    crawls = [
        {"strategy": row["strategy"], "share": bounds(row["share"]), "corpus_share": number(row["corpus_share"])}
        for row in told["crawls"]
    ]
    return {"verdicts": verdicts, "biases": biases, "crawls": crawls}


_JUDGED = tuple(
    Measurement(f"judge-{corpus}", f"dowse lab judge {corpus}{options} --last-part", minutes, kept_verdicts)
    for corpus, options, minutes in (
        ("wikispeedia", " --every 2", 3.0),
        ("docsweb", "", 1.5),
        ("webkb", "", 1.0),
    )
)

Row = Mapping[str, Any]


def _two(told: Mapping[str, Any]) -> str:
    return with_interval(told, "{:.2f}".format)


def _rows(one: Any, *, against: bool = False) -> list[Row]:
    """The verdicts from the first background, or by judges that need none; with or without counter-examples."""
    found: list[Row] = one["verdicts"]
    return [
        row for row in found
        if row["background"] in ("", _FIRST) and bool(row["counter_examples"]) == against
    ]  # fmt: skip


def _told(examples: int) -> str:
    return "name alone" if not examples else f"{examples} example{'s' if examples > 1 else ''}"


def _verdicts(found: Sequence[Any]) -> str:
    rows = []
    shares = []
    for name, one in zip(NAMES.values(), found, strict=True):
        own = sorted(_rows(one), key=lambda row: row["examples"])
        shares.append(f"{own[0]['share_brier']:.3f} ({name})")
        for place, row in enumerate(own):
            corpus = f"{name}, {row['topics']} labels" if not place else ""
            told = _told(row["examples"]) if not place or own[place - 1]["examples"] != row["examples"] else ""
            figures = [_two(row["f1"]), mean_of(row["f1_of_best"], ".2f"), _two(row["average_precision"])]
            figures += [mean_of(row["precision"], ".2f"), mean_of(row["recall"], ".2f"), mean_of(row["brier"], ".3f")]
            rows.append([corpus, told, f"`{row['judge']}`", *figures])
    heads = ["corpus", "told", "judge", "F1", "of best", "average precision", "precision", "recall", "Brier"]
    usual = f"To say the label's share of every page has a Brier score of {', '.join(shares)}."
    return f"{table(heads, rows, left=3)}\n\n{usual}"


def _counter_examples(found: Sequence[Any]) -> str:
    """F1 without and with counter-examples."""
    rows = []
    for name, one in zip(NAMES.values(), found, strict=True):
        without, with_them = ({(row["judge"], row["examples"]): row for row in _rows(one, against=side)}
                              for side in (False, True))  # fmt: skip
        judges = dict.fromkeys(judge for judge, _ in with_them)
        for place, examples in enumerate(_TOLD[1:]):
            cells = [
                f"{mean_of(without[judge, examples]['f1'], '.2f')}, {_two(with_them[judge, examples]['f1'])}"
                for judge in judges
            ]
            rows.append(["" if place else name, _told(examples), *cells])
    return table(["corpus", "told", *(f"`{judge}`" for judge in judges)], rows, left=2)


def _backgrounds(found: Sequence[Any]) -> str:
    """How much more of a focused crawl is on the topic, and what that changes."""
    rows = []
    for name, one in zip(NAMES.values(), found, strict=True):
        shares = {crawl["strategy"]: with_interval(crawl["share"], percent) for crawl in one["crawls"]}
        for place, bias in enumerate(row for row in one["biases"] if not row["counter_examples"]):
            first = [
                "" if place else name,
                "" if place else shares[_FIRST],
                "" if place else shares[bias["background"]],
            ]
            changes = (with_interval(bias[key], "{:+.3f}".format) for key in ("f1", "average_precision"))
            rows.append([*first, _told(bias["examples"]), *changes])
    heads = ["corpus", "on the topic, %: breadth first", "focused", "told", "F1", "average precision"]
    return table(heads, rows)


# -- answers -----------------------------------------------------------------------------------------------------------


def kept_numbers(told: Any) -> Any:
    """Everything, with the digits that are kept."""
    if isinstance(told, dict):
        return {key: kept_numbers(value) for key, value in told.items()}
    if isinstance(told, list):
        return [kept_numbers(value) for value in told]
    return number(told) if isinstance(told, float) else told


_ANSWERED = tuple(
    Measurement(f"label-{corpus}", f"python -m bench.labelling {corpus}{options} --last-part", minutes, kept_numbers, 1)
    for corpus, options, minutes in (
        ("wikispeedia", "", 5.0),
        ("docsweb", "", 1.3),
        ("webkb", "", 1.0),
    )
)


def _answers(found: Sequence[Any]) -> str:
    rows = []
    for name, one in zip(NAMES.values(), found, strict=True):
        f1 = [one["measured"][told] for told in ("name", "examples", "answers", "finding")]
        cells = [f"{own['crawl_f1']:.2f} / {own['f1']:.2f} / {own['average_precision']:.2f}" for own in f1]
        held = [f"{percent(share)} ({width:.2f})" for share, width in zip(one["held"], one["widths"], strict=True)]
        rows.append([f"{name}, {one['labels']} labels", *cells, *held, f"{one['question_ms']:.0f}"])
    heads = ["corpus", "name alone: F1 of the crawl / F1 / AP", "8 examples", "20 answers",
             "20 answers, and words",
             "precision within its interval, % (width)",
             "recall within, % (width)", "CPU ms a question"]  # fmt: skip
    return table(heads, rows)


# -- categories --------------------------------------------------------------------------------------------------------


def _category(name: str, corpus: str, options: str, minutes: float) -> Measurement:
    command = f"python -m bench.categories {corpus}{options}"
    return Measurement(f"category-{name}-{corpus}", command, minutes, kept_numbers, 1)


_TRAINED = tuple(_category("words", corpus, "", 0.4) for corpus in NAMES)
_EMBEDDED = tuple(_category("embed", corpus, " --embed --size 8", 0.3) for corpus in NAMES)


def _categories(found: Sequence[Any]) -> str:
    rows = []
    for name, one in zip(NAMES.values(), found, strict=True):
        for place, row in enumerate(one):
            cells = [f"{row[key]:.3f}" for key in ("auc", "f1", "similarity_auc", "auc_told", "f1_told", "off_by")]
            first = "" if place else f"{name}, {row['labels']} labels"
            costs = [f"{100 * row['in_interval']:.0f}", f"{row['train_s']:.2f}", f"{row['page_ms']:.3f}"]
            rows.append([first, str(row["examples"]), *cells, *costs])
    heads = ["web", "examples per side", "AUC", "F1", "AUC of similarity", "AUC, estimated", "F1, estimated",
             "probabilities off by", "AUC within its interval, %", "CPU s to train", "CPU ms a page"]  # fmt: skip
    return table(heads, rows, left=2)


def _embeddings(found: Sequence[Any]) -> str:
    rows = []
    for place, name in enumerate(NAMES.values()):
        words = {row["examples"]: row for row in found[place]}
        for number_of, row in enumerate(found[3 + place]):
            cells = [f"{one[key]:.3f}" for key in ("auc", "f1") for one in (words[row["examples"]], row)]
            rows.append(["" if number_of else name, str(row["examples"]), *cells])
    heads = ["web", "examples per side", "AUC, words", "AUC, with embeddings", "F1, words", "F1, with embeddings"]
    return table(heads, rows, left=2)


# -- forecasts ---------------------------------------------------------------------------------------------------------

_FORECAST = "python -m bench.forecast wikispeedia docsweb webkb"
_EXPECTED = Measurement("forecast", f"{_FORECAST} --topics 2 --jobs 2", 0.5, kept_numbers)
_EXPECTED_BY_NAME = Measurement(
    "forecast-by-name", f"{_FORECAST} --by-query --all --topics 2 --jobs 2", 0.5, kept_numbers
)


def _forecasts(found: Sequence[Any]) -> str:
    [one] = found
    rows = []
    for row in one:
        shares = [f"{row[key]:.0%}" if key.endswith(("inside", "off")) else f"{row[key]:+.0%}" for key in _COLUMNS]
        rows.append(
            [NAMES.get(row["corpus"], row["corpus"]), f"{row['next']:,}", str(row.get("forecasts", "")), *shares]
        )
    heads = ["corpus", "next", "forecasts", "relevant: inside", "off by", "bias", "value: inside", "off by", "bias"]
    return table(heads, rows)


_COLUMNS = ("relevant_inside", "relevant_off", "relevant_bias", "value_inside", "value_off", "value_bias")

VERDICTS = (
    Figure("verdicts", "docs/relevance.md", _JUDGED, _verdicts),
    Figure("verdicts-counter-examples", "docs/relevance.md", _JUDGED, _counter_examples),
    Figure("verdicts-backgrounds", "docs/relevance.md", _JUDGED, _backgrounds),
    Figure("answers", "docs/relevance.md", _ANSWERED, _answers),
    Figure("categories", "docs/categories.md", _TRAINED, _categories),
    Figure("category-embeddings", "docs/categories.md", (*_TRAINED, *_EMBEDDED), _embeddings),
    Figure("forecasts", "docs/forecast.md", (_EXPECTED,), _forecasts),
    Figure("forecasts-by-name", "docs/forecast.md", (_EXPECTED_BY_NAME,), _forecasts),
)
