"""``dowse recrawl``: learn where objects are, plan which pages to fetch again, run the plan, check what it brought."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dowse.cli.flags import AsJson, Folder, Force, flagged, with_flags
from dowse.cli.help_lines import WholeLines
from dowse.cli.outputs import check_out
from dowse.cli.recrawl_expand import expand
from dowse.cli.recrawl_objects import Kinds, Objects, Wrappers, objects_of
from dowse.cli.recrawl_words import learned_lines, plan_lines, renewal_json, renewal_lines
from dowse.cli.terminal import interruptible, say, say_json
from dowse.lab.wording import counted
from dowse.model.errors import UserError
from dowse.model.topic_fields import Fault, budget_text

if TYPE_CHECKING:
    from dowse.recrawl.crawled import CrawledPage
    from dowse.recrawl.selection.atlas import Atlas
    from dowse.recrawl.selection.choose import Choice

__all__ = ["recrawl"]

recrawl = typer.Typer(
    cls=WholeLines, name="recrawl", rich_markup_mode=None,
    help="Fetch again only those pages that keep a collection of objects up to date.",
)  # fmt: skip

recrawl.command()(expand)

Form = Annotated[
    str, typer.Option("--form", metavar="robust|paper", help="How the URLs of object pages become patterns.")
]
_ASKING = (
    "--budget", "--delay", "--concurrency", "--workers", "--contact", "--proxy", "--resolve", "--header", "--cookie",
    "--allow-private", "--allow-address", "--cache", "--cache-age",
)  # fmt: skip


@recrawl.command()
def learn(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file of patterns to write.")] = Path(
        "patterns.txt"
    ),
    objects: Objects = None,
    kind: Kinds = None,
    wrapper: Wrappers = None,
    form: Form = "robust",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn the URL patterns of a crawl's pages, and write them to a file that you may edit.

    The crawl should have taken whole sites: dowse crawl --strategy bfs --scope host.
    """
    from dowse.recrawl.patterns.learn import learn_patterns
    from dowse.recrawl.patterns.pattern import parse_pattern
    from dowse.recrawl.patterns.pattern_file import write_patterns
    from dowse.recrawl.selection.atlas import Atlas

    check_out(out, force=force)
    with interruptible("nothing was written"):
        pages = _pages(folder, objects, kind, wrapper)
        atlas = Atlas(pages, [parse_pattern(text) for text in learn_patterns(pages, _form(form))])
    rows = [
        (pattern.text, atlas.pages_of.get(number, 0), len(atlas.objects_of.get(number, ())))
        for number, pattern in enumerate(atlas.patterns)
    ]
    write_patterns(out, ((text, _remark(pages, found)) for text, pages, found in rows))
    if as_json:
        names = ("pattern", "pages", "objects")
        say_json({"file": str(out), "patterns": [dict(zip(names, row, strict=True)) for row in rows]})
    else:
        say("\n".join(learned_lines(atlas, rows, len(pages))))
        say(f"written to {out}; now: dowse recrawl plan {shlex.quote(str(folder))} --patterns {shlex.quote(str(out))}")


@recrawl.command()
def plan(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The plan to write.")] = Path("plan.toml"),
    patterns: Annotated[
        Path | None,
        typer.Option("--patterns", metavar="FILE", help="Patterns from 'recrawl learn'. The default is to learn them."),
    ] = None,
    objects: Objects = None,
    kind: Kinds = None,
    wrapper: Wrappers = None,
    form: Form = "robust",
    coverage: Annotated[
        float | None,
        typer.Option(
            "--coverage",
            metavar="SHARE",
            help="Cover this share of the objects at little cost. The default is 0.99, without --k.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="N",
            help="In place of --coverage: take patterns that add N objects or more, whatever they cost: SR(N).",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            "-b",
            metavar="SIZE",
            help="With either: pass over what does not fit into a run of this size, such as 50MB.",
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures",
            metavar="DIR",
            help="Draw coverage against bytes, and the patterns of the site with the most objects, into this folder.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Choose which patterns to fetch again, and find the cheapest way to them.

    Prints what each pattern adds and costs, and writes a plan that you may edit.
    """
    from dowse.recrawl.patterns.learn import learn_patterns
    from dowse.recrawl.patterns.pattern import parse_pattern
    from dowse.recrawl.patterns.pattern_file import read_patterns
    from dowse.recrawl.selection.atlas import Atlas
    from dowse.recrawl.selection.choose import COVERAGE
    from dowse.recrawl.selection.plan import plan_of, write_plan

    if k is not None and coverage is not None:
        raise UserError("--k and --coverage choose in two ways: give one of them")
    if coverage is not None and not 0 < coverage <= 1:
        raise UserError(f"--coverage: must be above 0 and at most 1, not {coverage:g}")
    if k is not None and k < 1:
        raise UserError(f"--k: must be at least 1, not {k}")
    enough, most = COVERAGE if coverage is None else coverage, _bytes(budget)
    check_out(out, force=force)
    with interruptible("nothing was written"):
        known = None if patterns is None else read_patterns(patterns)
        pages = _pages(folder, objects, kind, wrapper)
        atlas = Atlas(pages, known or [parse_pattern(text) for text in learn_patterns(pages, _form(form))])
        choice = _choice(atlas, k, enough, most)
        write_plan(out, plan_of(atlas, choice))
        if pictures is not None:
            _draw(atlas, choice, pictures)
    if as_json:
        steps = [{**asdict(step), "pattern": atlas.patterns[step.pattern].text} for step in choice.steps]
        say_json(
            {
                "file": str(out), "method": choice.method, "patterns": len(choice.patterns), "objects": choice.objects,
                "object_bytes": choice.object_bytes, "way_bytes": choice.way_bytes, "of_objects": len(atlas.objects),
                "of_bytes": sum(page.wire_bytes for page in pages), "steps": steps,
            }
        )  # fmt: skip
    else:
        say("\n".join(plan_lines(atlas, choice, sum(page.wire_bytes for page in pages))))
        if coverage is not None and choice.objects < coverage * len(atlas.objects):
            say(f"--budget does not go as far as --coverage {coverage:g}")
        say(f"written to {out}; now: dowse recrawl run {shlex.quote(str(out))} --out DIR")


@recrawl.command()
@flagged(*_ASKING)
def run(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, as 'recrawl plan' writes it.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Keep the crawl in this folder.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in this folder.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print progress and summary as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **given: Any,
) -> None:
    """Crawl by a plan: from its entries, along the links that it follows, and nowhere else.

    The folder is one of a crawl as any other: see it with 'dowse report' and 'dowse objects'.
    """
    from dowse.cli.crawl import run_crawl
    from dowse.cli.crawl_summary import finish
    from dowse.cli.display import choose_display
    from dowse.cli.signals import INTERRUPTED
    from dowse.engine.assembly.kept_settings import check_alone, read_settings
    from dowse.engine.assembly.planned import ByPlan, FollowsPlan, planned_topic
    from dowse.model.topic import Topic
    from dowse.recrawl.selection.plan import read_plan

    followed = read_plan(plan)
    topic = planned_topic(followed, Topic(name=plan.stem))
    if resume:
        check_alone(out)
        topic, asked = read_settings(out), topic
        if topic.seeds.urls != asked.seeds.urls:
            raise UserError(f"{out} was begun by a plan with other entries than {plan}: give that, or another --out")
    stop, published = run_crawl(
        with_flags(topic, given), out, choose_display(as_json=as_json, quiet=quiet), resume=resume,
        strategy=FollowsPlan(followed), judge=ByPlan(followed),
    )  # fmt: skip
    code = finish(out, stop, as_json=as_json, quiet=quiet, published=published)
    raise typer.Exit(INTERRUPTED if stop.kind == "interrupted" else code)


@recrawl.command()
def check(
    after: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="A run's folder, or a file of its objects.")],
    before: Annotated[
        Path, typer.Option("--before", metavar="DIR|FILE", help="What it is compared with: the crawl or run before it.")
    ],
    kind: Kinds = None,
    wrapper: Wrappers = None,
    day: Annotated[
        str | None,
        typer.Option("--day", metavar="YYYY-MM-DD", help="What ended before this day is over, not gone: today."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which objects are new, changed or gone since the last run, and whether it is time to learn again.

    It is when fewer than 95 % of the last run's objects were found, those left out whose time is over. Then the exit
    code is 3.
    """
    from dowse.recrawl.renewal import renewal

    today = _day(day)
    with interruptible():
        found = renewal(objects_of(before, None, kind, wrapper), objects_of(after, None, kind, wrapper), today)
    if as_json:
        say_json(renewal_json(found))
    else:
        say("\n".join(renewal_lines(found)))
    raise typer.Exit(3 if found.is_due else 0)


def _pages(
    folder: Path, objects: Path | None, kinds: list[str] | None, wrappers: list[Path] | None
) -> list[CrawledPage]:
    from dowse.engine.assembly.crawled_pages import crawled_pages
    from dowse.recrawl.numbered import with_objects

    pages = crawled_pages(folder)
    found = with_objects(pages, objects_of(folder, objects, kinds, wrappers))
    if not any(page.objects for page in found):
        raise UserError(f"none of the objects is on a page of {folder}: are they of another crawl?")
    return found


def _choice(atlas: Atlas, k: int | None, coverage: float, budget: float | None) -> Choice:
    from dowse.recrawl.selection.choose import choose_by_cost, choose_sr

    if not atlas.objects:
        raise UserError("no pattern matches a page with objects: learn the patterns from this crawl")
    choice = choose_sr(atlas, k, budget=budget) if k is not None else choose_by_cost(atlas, coverage, budget=budget)
    if not choice.edges:
        raise UserError("nothing is chosen: give a larger --budget or a smaller --k")
    return choice


def _draw(atlas: Atlas, choice: Choice, folder: Path) -> None:
    from dowse.lab.draw.picture_file import save_picture
    from dowse.lab.recrawl.charts import coverage_chart, tree_chart

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--pictures: cannot make {folder}: {(error.strerror or 'it is in the way').lower()}") from None
    objects = dict.fromkeys(choice.edges, 0)
    for number in choice.patterns:
        objects[atlas.site_of[number]] += len(atlas.objects_of[number])
    largest = max(sorted(objects), key=lambda origin: objects[origin])
    save_picture(coverage_chart(atlas), folder / "coverage.svg")
    save_picture(tree_chart(atlas, choice, largest), folder / "tree.svg")


def _remark(pages: int, objects: int) -> str:
    told = counted(pages, "page")
    return f"{told}, {counted(objects, 'object')}" if objects else told


def _form(name: str) -> str:
    from dowse.recrawl.patterns.learn import FORMS

    if name not in FORMS:
        raise UserError(f"--form: must be one of {', '.join(FORMS)}, not {name!r}")
    return name


def _bytes(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = budget_text(text).bytes
    except Fault as fault:
        raise UserError(f"--budget: {fault.message}") from None
    if found is None:
        raise UserError(f"--budget: a plan is made for bytes, such as 50MB, not {text!r}")
    return float(found)


def _day(text: str | None) -> date:
    try:
        return datetime.now(UTC).date() if text is None else date.fromisoformat(text)
    except ValueError:
        raise UserError(f"--day: write it as 2026-11-30, not {text!r}") from None
