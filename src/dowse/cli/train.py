"""``dowse train``: a category from example pages."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.examples import Examples, read_examples
from dowse.cli.flags import NETWORK, AsJson, Force, flagged, with_flags
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say, say_json
from dowse.judge import Category, Terms
from dowse.judge.bags import bag_of
from dowse.judge.category import check_name
from dowse.judge.category_file import ENDING, save_category
from dowse.judge.embedding import check_installed as check_embeddings
from dowse.judge.measured import Figure
from dowse.judge.training import Trained, check_installed
from dowse.judge.training import train as train_category
from dowse.model.clock import SystemClock
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic
from dowse.model.topicfile import load_topic
from dowse.store.times import iso

__all__ = ["described", "stamp", "train"]

_TERMS = 12
SOURCES = "a file, a folder of files, a list of URLs, a URL, LABELS.csv:label, CRAWL:relevant or CRAWL:irrelevant"

Name = Annotated[str, typer.Argument(metavar="NAME", help='The category\'s name, as in category("NAME").')]


@flagged("--language", "--seed-number", *NETWORK)
def train(
    name: Name,
    positive: Annotated[
        list[str] | None, typer.Option(metavar="SOURCE", help=f"Pages that belong to the category: {SOURCES}.")
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Pages that do not, named in the same ways; near misses teach most."),
    ] = None,
    topic: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take [examples], language and network from this topic file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help=f"The file to write. The default is NAME{ENDING}."),
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Also use the embedding of a page (needs the extra 'embed').")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Train a category for predicates from example pages."""
    check_installed()
    if embed:
        _named("--embed", check_embeddings)
    check_name(name)
    of_topic = with_flags(Topic() if topic is None else load_topic(topic), given)
    path = out or Path(f"{name}{ENDING}")
    check_out(path, force=force)
    terms = Terms(of_topic.judge.language)
    sides = [
        [*(named or ()), *(example.source for example in of_topic.examples if example.positive is side)]
        for named, side in ((positive, True), (negative, False))
    ]
    for sources, flag in zip(sides, ("positive", "negative"), strict=True):
        if not sources:
            raise UserError(
                f"there are no {flag} examples: name some with --{flag}, or in [examples] of the --topic file"
            )
    with interruptible():
        found = [read_examples(sources, of_topic) for sources in sides]
        bags = [[bag_of(text, terms, embedded=embed) for text in side.texts] for side in found]
        trained = train_category(
            name, *bags, language=terms.language, made_at=stamp(), made_by=_version(), seed_number=of_topic.seed_number
        )
    save_category(trained.category, path)
    _tell(trained, found, path, as_json)


def _named(flag: str, check: object) -> None:
    assert callable(check)
    try:
        check()
    except TopicError as error:
        raise UserError(f"{flag} {error.message}") from None


def stamp() -> str:
    """The time of day, in UTC, as files have it."""
    return f"{iso(SystemClock().wall())[:19]}+00:00"


def _version() -> str:
    return f"dowse {version('dowse')}"


def _tell(trained: Trained, found: list[Examples], path: Path, as_json: bool) -> None:
    notes = [*(note for side in found for note in side.notes), *trained.notes]
    category = trained.category
    if as_json:
        value = {
            "name": category.name, "file": str(path), "language": category.language,
            "examples": {"positive": category.positive, "negative": category.negative},
            "measured": asdict(category.measured), "threshold": category.threshold, "terms": len(category.terms),
            "for": category.strongest(_TERMS), "against": category.strongest_against(_TERMS), "notes": notes,
        }  # fmt: skip
        say_json(value)
        return
    for note in notes:
        say(note, err=True)
    say("\n".join(described(category)))
    say(f'written: {path}. In a predicate: category("{category.name}") > 0.6')


def described(category: Category) -> list[str]:
    """A category in a few lines: its examples, how good it is, what it goes by."""
    measured = category.measured
    return [
        f"{category.name}: {category.positive} positive and {category.negative} negative examples,"
        f" {len(category.terms)} terms",
        f"cross-validated ({measured.rounds} times {measured.folds} folds; 90 % interval, spread between rounds):",
        *(
            f"  {title:10s}{_shown(figure)}"
            for title, figure in (
                ("precision", measured.precision), ("recall", measured.recall), ("F1", measured.f1),
                ("AUC", measured.auc),
            )
        ),
        f"threshold: {category.threshold:.3f}",
        f"for:     {_words(category.strongest(_TERMS))}",
        f"against: {_words(category.strongest_against(_TERMS))}",
    ]  # fmt: skip


def _shown(figure: Figure) -> str:
    return f"{figure.value:.3f}  ({figure.low:.2f} to {figure.high:.2f}, ±{figure.spread:.3f})"


def _words(terms: list[tuple[str, float]]) -> str:
    return ", ".join(f"{term} {weight:+.2f}" for term, weight in terms) or "nothing"
