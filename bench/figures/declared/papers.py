"""Figures of the papers: ``dowse lab figure``, as tables and as pictures. Where a figure shows the runs of a
comparison, its options are those of that comparison, whose runs the lab has kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bench.figures.declared.comparisons import NAMES, PLAIN, STARTS, strategy_name
from bench.figures.figure import Figure, Measurement
from bench.figures.tables import bounds, mean_of, number, percent, table, times, with_interval
from dowse.lab.papers.lift_table import AGAINST

__all__ = ["PAPERS", "kept_curves", "kept_lift"]


def kept_curves(places: Sequence[float], told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of ``lab figure --json``: the height of each curve at the places nearest to these."""
    kept = []
    for curve in told["curves"]:
        rows = []
        for place in places:
            nearest = min(range(len(curve["at"])), key=lambda one, place=place: abs(curve["at"][one] - place))  # type: ignore[misc]
            ends = {"mean": curve["height"][nearest], "low": curve["low"][nearest], "high": curve["high"][nearest]}
            rows.append({"at": number(curve["at"][nearest]), **bounds(ends)})
        kept.append({"strategy": curve["strategy"], "kind": curve["kind"], "runs": curve["runs"], "places": rows})
    return kept


def kept_lift(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of the ``ag`` figures: their table."""
    return [
        {
            "strategy": row["strategy"], "runs": row["area"]["runs"],
            **{name: bounds(row[name]) for name in ("harvest", "lift", "area")},
            "against": {other: bounds(told) for other, told in row["against"]},
        }
        for row in told["table"]
    ]  # fmt: skip


def _figure(
    figure: str, corpus: str, options: str, minutes: float, kept: Callable[[Any], Any], strategies: str = "",
    start: str = "",
) -> Measurement:  # fmt: skip
    name = "-".join(part for part in (figure, corpus, start) if part)
    chosen = "".join(f" --strategy {one}" for one in strategies.split())
    labels = "" if "--queries" in options else "--all-labels "
    command = f"dowse lab figure {figure} {corpus} {labels}{options}{chosen}"
    return Measurement(name, command, minutes, kept, picture=f"{name}.png")


def _picture(measurement: Measurement, says: str) -> str:
    return f"![{says}](images/{measurement.picture})"


# -- TH-Gatherer -------------------------------------------------------------------------------------------------------

_PARENTS = (1, 2, 4, 8, 16, 20)
_ERRORS = [
    _figure("th-3", corpus, options, minutes, partial(kept_curves, _PARENTS))
    for corpus, options, minutes in (
        ("wikispeedia", "--queries 10 --by-query", 0.2),
        ("docsweb", "--queries 10 --by-query", 0.2),
        ("webkb", "--queries 10 --by-query", 0.2),
    )
]
_COST = (5, 10, 20)
_VALUED = "hybrid hybrid:maximise=efficiency hybrid:form=paper weighted best-first similar-link learning"
_BOUGHT = "hybrid hybrid:maximise=efficiency learning"
_VALUES, _EFFICIENCIES = (
    [
        _figure(
            name, corpus, f"{options} --by-query --inside --budget 20%", minutes, partial(kept_curves, _COST), drawn
        )
        for corpus, options, minutes in (
            ("wikispeedia", "--queries 5 --seed-sets 1", 0.4 * whole),
            ("docsweb", "--queries 5 --seeds-kind roots", whole),
            ("webkb", "--queries 4 --seed-sets 1", 0.2 * whole),
        )
    ]
    for name, drawn, whole in (("th-4", _VALUED, 2.2), ("th-5", _BOUGHT, 1.5))
)


def _errors(found: Sequence[Any]) -> str:
    rows = [
        [f"{name}, `{curve['strategy']}`", *(mean_of(place, ".4f") for place in curve["places"])]
        for name, one in zip(NAMES.values(), found, strict=True)
        for curve in sorted(one, key=lambda curve: curve["strategy"])
    ]
    heads = ["pages that link", *map(str, _PARENTS[:-1]), f"{_PARENTS[-1]} and more"]
    says = "Error of the predicted value by the number of pages that link"
    return f"{table(heads, rows)}\n\n{_picture(_ERRORS[0], says)}"


def _values(pictures: Sequence[Measurement], says: str, found: Sequence[Any]) -> str:
    """Shares at each cost, a column a web and cost."""
    by_name = [{curve["strategy"]: curve["places"] for curve in one} for one in found]
    order = [curve["strategy"] for curve in found[0]]
    names = [name for name in order if any(name in curves for curves in by_name)]
    rows = []
    for name in names:
        cells = (with_interval(curves[name][-1], percent) if name in curves else "" for curves in by_name)
        early = [mean_of(_percent(curves[name][1]), ".1f") if name in curves else "" for curves in by_name]
        rows.append([strategy_name(name), *(cell for pair in zip(early, cells, strict=True) for cell in pair)])
    topics = (one[0]["runs"] for one in found)
    titles = [
        head
        for name, count in zip(NAMES.values(), topics, strict=True)
        for head in (f"{name} ({count}), at {_COST[1]} %", f"at {_COST[2]} %")
    ]
    links = "\n".join(_picture(one, f"{says}, {name}") for one, name in zip(pictures, NAMES.values(), strict=True))
    return f"{table(['', *titles], rows)}\n\n{links}"


def _percent(told: Mapping[str, Any]) -> dict[str, Any]:
    return {**told, "mean": None if told["mean"] is None else 100 * told["mean"]}


# -- gray tunneling ----------------------------------------------------------------------------------------------------

_TARGETS = (
    ("wikispeedia", "--every 3 --inside --seed-sets 1"),
    ("docsweb", "--inside --seeds-kind roots --seed-sets 1"),
    ("webkb", "--inside --seed-sets 1"),
)
_DRAWN = [
    _figure(figure, corpus, options, 0.1, partial(kept_curves, (100,)), f"{PLAIN} tunnel:form=paper learning")
    for corpus, options in _TARGETS
    for figure in ("gt-5", "gt-6", "gt-7")
]


def _drawn(found: Sequence[Any]) -> str:
    """The three pictures of each web."""
    says = ("Average harvest rate", "Average target recall", "Sum of target lengths")
    titles = [f"{title}, {NAMES[corpus]}" for corpus, _ in _TARGETS for title in says]
    return "\n".join(_picture(one, title) for one, title in zip(_DRAWN, titles, strict=True))


# -- Aggarwal ----------------------------------------------------------------------------------------------------------

_LIFT_OPTIONS = {
    "encyclopedia, near": ("wikispeedia", "--every 3 --inside --seed-sets 1", "near", 1.9),
    "encyclopedia, far": ("wikispeedia", "--every 3 --inside --seeds-kind far --seed-sets 1", "far", 2.2),
    "documentation, entry pages": ("docsweb", "--inside --seeds-kind roots --seed-sets 1", "roots", 1.9),
    "departments, near": ("webkb", "--inside --seed-sets 1", "near", 0.8),
    "departments, far": ("webkb", "--inside --seeds-kind far --seed-sets 1", "far", 1.1),
}
_LIFTS = [
    _figure("ag-linkage", corpus, options, minutes, kept_lift, start=start)
    for corpus, options, start, minutes in _LIFT_OPTIONS.values()
]
_REUSES = [
    _figure(figure, corpus, f"{options} --inside --seed-sets 1 --budget 10%", minutes, kept_lift)
    for corpus, options, minutes in (("wikispeedia", "--every 3", 0.5), ("webkb", "--every 2", 0.2))
    for figure in ("ag-6-linkage", "ag-7-linkage")
]


def _lifts(found: Sequence[Any]) -> str:
    """Mean harvest, then areas against those of two others on the same runs: a row a strategy, a column a start."""
    by_name = [{row["strategy"]: row for row in one} for one in found]
    names = [row["strategy"] for row in found[0]]

    def by_start(cell: Callable[[Mapping[str, Any]], str], without: str = "") -> str:
        rows = (
            [strategy_name(name), *(cell(rows[name]) if name in rows else "" for rows in by_name)]
            for name in names
            if name != without
        )
        return table(["strategy", *STARTS], rows)

    parts = [by_start(lambda row: with_interval(row["lift"], percent))]
    for other in AGAINST:
        parts += [
            f"Area under recall as a multiple of that of `{other}`, topic by topic:",
            by_start(lambda row, other=other: with_interval(row["against"].get(other), times), other),  # type: ignore[misc]
        ]
    links = "\n".join(
        _picture(one, f"Lift curves, {name}") for one, name in zip(_LIFTS, _LIFT_OPTIONS, strict=True)
    )  # fmt: skip
    return "\n\n".join([*parts, links])


_STARTED = {"fresh": "fresh", "reused": "from a crawl for the same topic, other seeds",
            "half new": "from such a crawl, half of the pages new since",
            "other topic": "from a crawl for another topic"}  # fmt: skip


def _reuse(found: Sequence[Any]) -> str:
    rows = []
    for place, name in enumerate(("encyclopedia", "departments")):
        same, changed = ({row["strategy"]: row for row in one} for one in found[2 * place : 2 * place + 2])
        for start, says in _STARTED.items():
            row = {**changed, **same}.get(start)
            if row is not None:
                shares = (with_interval(row[one], percent) for one in ("lift", "harvest"))
                area = with_interval(row["area"], "{:.3f}".format)
                against = with_interval(row["against"].get("fresh"), times)
                rows.append([name, says, *shares, area, against])
    heads = ["web", "start", "mean harvest, %", "harvest at the end, %", "area under recall", "against fresh"]
    pictures = "\n".join(_picture(one, f"Harvest rate, {one.name}") for one in _REUSES[:2])
    return f"{table(heads, rows, left=2)}\n\n{pictures}"


# -- ERID -------------------------------------------------------------------------------------------------------------

_KEYWORDS = {
    "course": "course homework lecture exam syllabus assignment instructor",
    "faculty": "professor faculty research publications department interests",
}


def _table(name: str, corpus: str, options: str, suffix: str, kept: Callable[[Any], Any]) -> Measurement:
    return Measurement(f"{name}-{suffix}", f"dowse lab figure {name} {corpus}{options}", 0.2, kept)


def _kept_times(told: Mapping[str, Any]) -> dict[str, Any]:
    times = told["times"]
    stages = {stage["name"]: number(stage["total_s"]) for stage in times["stages"]}
    return {"site": told["site"], "answers": times["pages"], **stages, "clock": number(times["wall_s"])}


def _kept_outcomes(told: Mapping[str, Any]) -> dict[str, Any]:
    figures = {name: number(told[name]) for name in ("precision", "recall")}
    return {"site": told["site"], **told["outcomes"], **figures}


_TIMES = [
    _table(name, corpus, "", corpus, _kept_times)
    for name, corpus in (("ridar-1", "webkb"), ("ridar-2", "webkb"), ("ridar-1", "wikispeedia"))
]
_OUTCOMES = [
    _table(name, "webkb", f' --label {label} --topic "{words}"', label, _kept_outcomes)
    for label, words in _KEYWORDS.items()
    for name in ("ridar-3", "ridar-4")
]


def _site_times(found: Sequence[Any]) -> str:
    rows = []
    for one in found:
        clock = one["clock"]
        stages = (
            f"{one[stage]:.2f} ({percent(one[stage] / clock)})"
            for stage in ("connection", "download", "processing", "overall")
        )
        rows.append([one["site"], f"{one['answers']:,}", *stages, f"{clock:.2f}"])
    heads = ["seconds (% of the clock)", "answers", "connection", "download", "processing", "these together", "clock"]
    return table(heads, rows)


def _site_outcomes(found: Sequence[Any]) -> str:
    sides = ("accepted_right", "accepted_wrong", "refused_right", "refused_wrong")
    labels = [label for label in _KEYWORDS for _ in range(2)]
    rows = [
        [f"{label}, {one['site']}", *(f"{one[side]:,}" for side in sides),
         f"{one['precision']:.2f}", f"{one['recall']:.2f}"]
        for label, one in zip(labels, found, strict=True)
    ]  # fmt: skip
    heads = ["label, site", "accepted, rightly", "wrongly", "refused, rightly", "wrongly", "precision", "recall"]
    return table(heads, rows)


PAPERS = (
    Figure("th-3", "docs/strategies.md", tuple(_ERRORS), _errors),
    Figure("th-4", "docs/strategies.md", tuple(_VALUES), partial(_values, _VALUES, "Share of all value by cost")),
    Figure("th-5", "docs/strategies.md", tuple(_EFFICIENCIES),
           partial(_values, _EFFICIENCIES, "Value over the knapsack bound by cost")),
    Figure("tunnel-pictures", "docs/tunneling.md", tuple(_DRAWN), _drawn),
    Figure("learning-lift", "docs/learning.md", tuple(_LIFTS), _lifts),
    Figure("learning-reuse", "docs/learning.md", tuple(_REUSES), _reuse),
    Figure("ridar-times", "docs/erid.md", tuple(_TIMES), _site_times),
    Figure("ridar-outcomes", "docs/erid.md", tuple(_OUTCOMES), _site_outcomes),
)  # fmt: skip
