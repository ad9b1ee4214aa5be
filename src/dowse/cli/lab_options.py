"""What the commands of the lab that run on topics share: options, the topics, their progress, and what is written."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dowse.cli.flags import read_topic, with_flags
from dowse.cli.outputs import check_out
from dowse.cli.terminal import say
from dowse.engine.workers.port import default_workers
from dowse.judge import check_judge
from dowse.lab.compare.comparison import fitting_labels
from dowse.lab.compare.each_topic import Hands, Told
from dowse.lab.compare.narrowed_labels import narrowed
from dowse.lab.compare.plan import DEFAULT, SPEEDS, Plan, with_default
from dowse.lab.compare.shard_choice import by_shards, shard_counts
from dowse.lab.compare.yardstick import FLATTERY, Yardstick, by_topic, own_verdicts
from dowse.lab.corpus import Corpus, Unfit
from dowse.lab.corpus.labels import LABELS
from dowse.lab.wording import counted
from dowse.model.errors import UserError
from dowse.model.topic import Topic
from dowse.model.topicfile import COST_FORMS

__all__ = [
    "KEPT", "NO_TOPIC", "AllLabels", "Budget", "ByQuery", "CostForm", "EveryNth", "FigureSeeds", "FigureSpeeds",
    "InsideOnly", "LabelChoice", "LabelFile", "LabelNames", "MinPages", "OwnVerdicts", "SeedSets", "SeedsKind",
    "ShardCounts", "Speeds", "Strategies", "TopicJobs", "TracesUntil", "WithoutDefault", "WorkOn", "YardstickTopic",
    "check_outputs", "chosen_labels", "chosen_strategies", "hands_on", "job_count", "label_choice", "measured_by",
    "plain", "rows_json", "shown_topics", "spread_labels", "tell_default", "tell_unfit", "yardstick_topic",
]  # fmt: skip

_HERE, _RAY = "here", "ray"
KEPT = "finished runs are kept: run the same command to go on"  # told when a command is interrupted
NO_TOPIC = "no topic could be run: see why above"

Strategies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[:KEY=VALUE,...]",
        help=f"A strategy to run beside {DEFAULT}. The default is best-first.",
    ),
]
WithoutDefault = Annotated[
    bool, typer.Option("--without-default", help=f"Do not add {DEFAULT} to the strategies that are named.")
]
ShardCounts = Annotated[
    str | None,
    typer.Option(
        "--shards", metavar="N,N,...", help="Run each strategy by so many engines with one budget, as in 1,2,4,8."
    ),
]
OwnVerdicts = Annotated[
    bool, typer.Option("--own-verdicts", help="Look for the pages that the crawl in CORPUS called relevant.")
]
YardstickTopic = Annotated[
    str | None,
    typer.Option(
        "--topic", metavar="TOPIC", help="Look for the pages that this topic (words, or a topic file) calls relevant."
    ),
]
LabelNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A label to take as a topic, or LABEL and EXPR: its pages that satisfy a predicate."
    ),
]
AllLabels = Annotated[bool, typer.Option("--all-labels", help="Take every label that has enough pages.")]
EveryNth = Annotated[
    int,
    typer.Option(metavar="N", help="Of all labels, take the first and every N-th after it, in the order of names."),
]
LabelFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Take the labels in this file, one per line.")]
MinPages = Annotated[int, typer.Option(metavar="N", help="Leave out labels with fewer pages than this.")]
Budget = Annotated[
    str, typer.Option(metavar="SHARE", help="How far each run goes: 20% of the corpus's pages, or 900r (requests).")
]
SeedSets = Annotated[int, typer.Option(metavar="N", help="Run each topic this many times, from different seeds.")]
_SEEDS = "Start on the topic, 2 to 4 links away from it, or from roots.csv."
SeedsKind = Annotated[str, typer.Option(metavar="near|far|roots", help=_SEEDS)]
FigureSeeds = Annotated[
    str | None, typer.Option(metavar="near|far|roots", help=f"{_SEEDS} The default is the figure's own.")
]

ByQuery = Annotated[
    bool, typer.Option("--by-query", help="Give the crawler only the label's name, and no example pages.")
]
CostForm = Annotated[
    str,
    typer.Option(metavar="|".join(COST_FORMS), help="What maximise=efficiency divides by, as [cost] form does live."),
]
_SPEEDS = "Sites whose times were not recorded are all alike, or each has its own latency and speed."
Speeds = Annotated[str, typer.Option(metavar="|".join(SPEEDS), help=_SPEEDS)]
FigureSpeeds = Annotated[
    str | None, typer.Option(metavar="|".join(SPEEDS), help=f"{_SPEEDS} The default is the figure's own.")
]
TracesUntil = Annotated[
    str,
    typer.Option(
        metavar="SHARE|DAY",
        help="Let crawls know traces=own and traces=simulated up to here: 50% of the accesses, or a day.",
    ),
]
InsideOnly = Annotated[bool, typer.Option("--inside", help="Do not follow links that leave the recorded set.")]
TopicJobs = Annotated[
    int | None, typer.Option(metavar="N", help="Run this many topics at a time. The default is one per core.")
]

WorkOn = Annotated[
    str,
    typer.Option(
        "--on", metavar="here|ray[:ADDRESS]",
        help="Where topics are run: on this machine, or on a Ray cluster whose nodes see CORPUS at the same path.",
    ),
]  # fmt: skip


def hands_on(on: str, jobs: int | None) -> Callable[[Corpus], Hands] | None:
    """Who runs the topics of a corpus that is opened later; None: processes of this machine. A cluster is reached at
    once, since a corpus may take minutes to open."""
    kind, _, address = on.partition(":")
    if on == _HERE:
        return None
    if kind != _RAY:
        raise UserError(f"--on {on}: there are here, ray and ray:ADDRESS")
    if jobs is not None:
        raise UserError("--jobs is for this machine: a Ray cluster runs as many topics at a time as it has CPUs")
    from dowse.cluster.on_ray import connect
    from dowse.lab.compare.on_ray import RayHands

    ray = connect(address)
    return lambda corpus: RayHands(ray, corpus.folder.resolve(), corpus.digest)


def job_count(jobs: int | None) -> int:
    """How many processes; UserError for less than one."""
    if jobs is not None and jobs < 1:
        raise UserError(f"--jobs: must be at least 1, not {jobs}")
    return jobs or default_workers()


def chosen_strategies(
    named: Sequence[str] | None, *, without_default: bool, shards: str | None = None
) -> tuple[str, ...]:  # fmt: skip
    """The strategies to run: the default one takes part unasked, unless it is left out. Each is run by every
    number of ``shards`` that is asked for."""
    if without_default:
        chosen = tuple(named or (name for name in with_default(None) if name != DEFAULT))
    else:
        chosen = with_default(named)
    return chosen if shards is None else by_shards(chosen, shard_counts(shards))


def tell_default(named: Sequence[str] | None, chosen: Sequence[str]) -> None:
    """Say that the default strategy takes part where only others were named."""
    if named and DEFAULT in chosen and DEFAULT not in named:
        say(f"{DEFAULT} takes part too, since it is the default: --without-default leaves it out", err=True)


def yardstick_topic(topic: str | None, given: Mapping[str, Any]) -> Topic | None:
    """The topic or predicate whose verdicts are wanted for labels; None where labels come from elsewhere. What is wrong
    with it is told before a corpus is opened."""
    chosen = with_flags(read_topic(topic), given)
    if topic is None and chosen.predicate is None:
        return None
    check_judge(chosen)
    return chosen


def measured_by(corpus: Corpus, plan: Plan, topic: Topic | None) -> Yardstick:
    """The pages that a topic's judge calls relevant, or (without a topic) that the crawl in the corpus' folder did;
    UserError when these are too few."""
    if topic is not None:
        say("judging every page of the corpus", err=True)
    found = own_verdicts(corpus) if topic is None else by_topic(corpus, topic)
    pages = sum(map(len, found.labels.pages.values()))
    if pages < plan.min_pages:
        raise UserError(
            f"{counted(pages, 'page')} of {corpus.folder} {'is' if pages == 1 else 'are'} relevant by {found.source}, "
            f"and {plan.min_pages} are asked for: lower --min-pages"
        )
    say(f"{pages:,} pages are relevant by {found.source}", err=True)
    if found.flatters:
        say(FLATTERY, err=True)
    return found


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """The labels that were asked for: some by name, all that have enough pages, every ``step``-th of these, or ``some``
    of these."""

    named: tuple[str, ...]
    every: bool
    step: int = 1
    some: int = 0


def label_choice(
    named: Sequence[str] | None, file: Path | None, every: bool, step: int = 1, others: str = "", *,
    some: int | None = None,
) -> LabelChoice:  # fmt: skip
    """What the options say; UserError when they ask for nothing. A corpus may take minutes to open, so whatever can be
    told without one is told before. ``others``: more ways to name a topic."""
    labels = list(named or ())
    if file is not None:
        labels += _read(file)
    if some is not None and some < 1:
        raise UserError(f"--queries: must be at least 1, not {some}")
    if not (labels or every or some):
        raise UserError(f"name topics: --label NAME, --labels-file FILE or --all-labels{others}")
    if step < 1 or (step > 1 and not every):
        raise UserError(f"--every: must be at least 1, not {step}" if step < 1 else "--every chooses among all labels")
    return LabelChoice(tuple(labels), every, step, some or 0)


def _read(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    labels = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not labels:
        raise UserError(f"{file} names no label: write one per line")
    return labels


def chosen_labels(corpus: Corpus, plan: Plan, choice: LabelChoice) -> list[str]:
    """The labels to run on; UserError when the corpus has none, too small ones only, or not one that was named."""
    pages = corpus.labels.pages
    if not pages:
        missing = f"{corpus.folder} has no {LABELS}" if not (corpus.folder / LABELS).is_file() else (
            f"{corpus.folder / LABELS} has no rows"
        )  # fmt: skip
        raise UserError(f"{missing}, so there are no topics: write one with the columns url and label")
    unknown = [name for name in choice.named if name not in pages and narrowed(corpus, name) is None]
    if unknown:
        raise UserError(f"no page of {corpus.folder} has the label {unknown[0]!r}: dowse lab info lists them")
    fitting = fitting_labels(corpus, plan) if choice.every or choice.some else []
    labels = [*choice.named, *(fitting[:: choice.step] if choice.every else spread_labels(fitting, choice.some))]
    if not labels:
        largest = max(pages, key=lambda label: len(pages[label]))
        most = len(pages[largest])
        raise UserError(
            f"no label of {corpus.folder} has {plan.min_pages} pages, the largest ({largest}) has {most}: "
            f"lower --min-pages to {most} or less"
        )
    return labels


def spread_labels(labels: Sequence[str], count: int) -> list[str]:
    """So many labels, spread evenly over all of them in the order of their names; all where there are no more.

    >>> spread_labels(["a", "b", "c", "d", "e"], 2), spread_labels(["a", "b"], 10), spread_labels(["a"], 0)
    (['a', 'c'], ['a', 'b'], [])
    """
    count = min(count, len(labels))
    return [labels[place * len(labels) // count] for place in range(count)]


def tell_unfit(unfit: Sequence[Unfit]) -> None:
    """Say which labels were left out, and why."""
    for one in unfit:
        say(f"left out {one.label}: {one.reason}", err=True)


@contextmanager
def shown_topics() -> Iterator[Told]:
    """A bar in a terminal, a line a topic elsewhere."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("topics"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bars:
            task = bars.add_task("topics", total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)
    else:
        yield lambda done, total: say(f"topic {done} of {total} done", err=True)


# -- what they write ---------------------------------------------------------------------------------------------------


def check_outputs(
    out: Path | None, as_json: Path | None, files: Callable[[Path], Iterable[Path]], *, force: bool
) -> None:  # fmt: skip
    """Make the folder, and tell now, not after hours of runs, what could not be written. ``files``: those of a
    folder."""
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "it is a file" if out.is_file() else error.strerror or str(error)
            raise UserError(f"cannot make the folder {out}: {why}; choose another with --out") from None
        for path in files(out):
            check_out(path, force=force)
    if as_json is not None:
        check_out(as_json, force=force)


def rows_json(**parts: Any) -> str:
    """An object of these parts, a line for each row of a list: a run alone is a thousand numbers."""
    written = (
        f"{json.dumps(name)}: "
        + ("[\n" + ",\n".join(map(json.dumps, part)) + "\n]" if isinstance(part, list) else json.dumps(part, indent=1))
        for name, part in parts.items()
    )
    return "{\n" + ",\n".join(written) + "\n}\n"


def plain(value: Any) -> Any:
    """Values for JSON: numbers that it has no words for become null."""
    if isinstance(value, dict):
        return {key: plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
