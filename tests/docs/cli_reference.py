"""Writes docs/cli.md from the command line itself: ``.venv/bin/python -m tests.docs.cli_reference``.

Commands, arguments, options, defaults and their meaning come from the application; what a reference needs besides
(an example a command, exit codes) stands here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from dowse.cli.flags import FLAGS, GROUPS
from dowse.cli.help_lines import GroupedHelp
from dowse.cli.main import make_app

__all__ = ["EXAMPLES", "EXIT_CODES", "REGENERATE", "TARGET", "commands", "reference"]

TARGET = Path(__file__).parents[2] / "docs" / "cli.md"
REGENERATE = ".venv/bin/python -m tests.docs.cli_reference"
EXAMPLES = {
    "crawl": 'dowse crawl "perovskite solar cells" --seed https://en.wikipedia.org/wiki/Perovskite_solar_cell '
    "--budget 500p,30m",
    "watch": "dowse watch my-crawl --every 1d --budget 500p",
    "changes": "dowse changes my-crawl --since 7d",
    "seeds": 'dowse seeds "perovskite solar cells" --engine mediawiki --engine arxiv --to topic.toml',
    "init": "dowse init topic.toml",
    "judge": 'dowse judge https://en.wikipedia.org/wiki/Perovskite --topic "perovskite solar cells"',
    "rejudge": "dowse rejudge my-crawl --precision 0.9",
    "blocks": "dowse blocks portal.html --topic topic.toml --picture portal.png",
    "train": "dowse train birds --positive good/ --negative bad/",
    "label": "dowse label demo-crawl/bfs",
    "why": "dowse why demo-crawl/learning http://portal.dowse.test/",
    "report": "dowse report demo-crawl/learning",
    "export": "dowse export demo-crawl/learning --out pages.csv",
    "publish": "dowse publish demo-crawl/learning sqlite:///shared.db",
    "repair": "dowse repair demo-crawl/learning",
    "strategies": "dowse strategies",
    "plugins": "dowse plugins",
    "demo": "dowse demo",
    "demo-web": "dowse demo-web --port 8000",
    "cluster start": 'dowse cluster start "solar cells" --shards 8 --ground postgresql://me@db/crawls --on ray',
    "cluster shard": "dowse cluster shard 3 solar --ground postgresql://me@db/crawls --name solar",
    "cluster status": "dowse cluster status solar",
    "cluster stop": "dowse cluster stop solar",
    "cluster render": "dowse cluster render kubernetes --ground postgresql://crawler@db/crawls --name solar --shards 8",
    "objects read": "dowse objects read demo-crawl/learning --distinct --out objects.jsonl",
    "objects suggest": 'dowse objects suggest page.html name="Jazz night" startDate="12 May 2026" --out events.toml',
    "recrawl expand": "dowse recrawl expand objects.jsonl --engine searxng:https://search.example.org",
    "recrawl learn": "dowse recrawl learn first --kind Event",
    "recrawl plan": "dowse recrawl plan first --kind Event --patterns patterns.txt --pictures pictures",
    "recrawl run": "dowse recrawl run plan.toml --out second --budget 50MB",
    "recrawl check": "dowse recrawl check second --before first --kind Event",
    "erid calibrate": "dowse erid calibrate --labels demo-crawl/learning",
    "stats show": "dowse stats show solar --top 5",
    "stats save": "dowse stats save solar --out solar.json.gz",
    "stats merge": "dowse stats merge solar other-crawl --out both.json",
    "traces import": "dowse traces import access.log --out traces",
    "traces info": "dowse traces info traces --crawl demo-crawl/learning",
    "hostile serve": "dowse hostile serve",
    "hostile check": "dowse hostile check hostile-crawl",
    "lab info": "dowse lab info demo-crawl/learning",
    "lab compare": "dowse lab compare my-corpus --all-labels --strategy best-first --strategy dfs --out comparison",
    "lab freshness": "dowse lab freshness --budget 20,60",
    "lab judge": "dowse lab judge my-corpus --examples 0 --examples 8 --out verdicts",
    "lab readers": "dowse lab readers my-corpus --out simulated.csv",
    "lab figure": "dowse lab figure gt-7 my-corpus --all-labels --strategy best-first --strategy weighted",
}
EXIT_CODES = {
    0: "Done. A crawl has fetched a page or more, and reached its budget or target, or ran out of URLs.",
    1: "Failed: the records could not be written, or are damaged, or the crawl ended without a page, because nothing "
    "answered, nothing was allowed, or its budget was too small for one. For `dowse hostile check`: a trial did not "
    "end as it must.",
    2: "A mistake that you can put right. One line on standard error says what to change.",
    130: "Interrupted: by Ctrl-C, or a crawl by SIGTERM. Everything is recorded; go on with `dowse crawl --resume "
    "DIR`. The lab keeps its finished runs; run the same command to go on.",
    143: "A command of the lab was ended by SIGTERM. It keeps what it keeps after Ctrl-C.",
}
NOTES = {
    "crawl": """\
The topic is words in quotes, or the path of a [topic file](topic-file.md). An option replaces what the topic file says
under the key in the last column; an option that may be given several times adds to it. Dowse keeps the crawl in the
folder that `--out`, or `out` in the topic file, names, else in a new one under `crawls/`, named after the topic.
Without a budget and a target, the crawl goes on until it runs out of URLs. Without seeds, search engines
[find some](find.md).

```sh
dowse crawl topic.toml --budget 2000p --out my-crawl   # from a topic file
dowse crawl "tandem solar cells" --budget 200p         # search engines find the seeds
dowse crawl --resume my-crawl --budget 4000p           # go on after a stop, a crash or a spent budget
dowse crawl other.toml --cache my-crawl                # take pages from my-crawl instead of downloading them
dowse crawl topic.toml --predicate 'word("tandem") and language == "en"'   # what a page must satisfy
dowse crawl topic.toml --strategy learning --learn-from my-crawl           # start with what my-crawl learned
```

`--predicate` takes an [expression](predicates.md) and needs no topic beside it. It takes the place of the topic's own
predicate and threshold. `--learn-from` takes crawls with the strategy `learning`, and files that `dowse stats` wrote;
it adds several of them up ([learning](learning.md#starting-from-what-is-known)).

`--resume` reads the topic from the crawl's folder. Other options hold for that run only, but a budget counts all runs
together. Dowse does not keep a proxy's password: give the proxy again in the environment variable `DOWSE_PROXY`
([politeness](politeness.md#who-is-asking)). The crawl stops at the first limit or target it reaches, and says what
[going on would bring](forecast.md).

In a terminal, the crawl shows a live picture. Elsewhere it prints a line to standard error every 5 seconds, or, with
`--json`, JSON objects to standard output, one per line. [Saving downloads](cache.md) explains `--cache` and `--head`.
""",
    "seeds": """\
[Finding seeds](find.md) tells of the engines, their keys, expressions and targets. Without `--engine`, those are asked
that need no key. `--query` asks something else than the topic, and may be given several times; `--queries` asks many
things, and `--count-sites` tells which sites know of them.

```sh
dowse seeds '"solar cell" OR perovskite -lamp' --engine local:demo-crawl/bfs --to found.jsonl
dowse seeds "tandem cells" --engine scholarly --to my-crawl        # my-crawl starts from them when it is resumed
dowse seeds --queries objects.txt --count-sites --engine brave --to sites.csv
```
""",
    "judge": """\
With `--predicate` alone, only [the predicate](predicates.md) judges the page, and Dowse shows each of its parts. A file
has no address of its own: tests of the URL see `http://localhost/`. Without a crawl there is nothing to learn from: a
topic with the default method is judged by `similarity`. `--crawl` judges by the model of a finished crawl, and shows
the words that decided ([what you are shown](relevance.md#what-you-are-shown)).

```sh
dowse judge page.html --predicate 'word("hockey") >= 2 and language == "en"'
dowse judge page.html --crawl my-crawl
```

A URL is fetched once, as your browser would fetch it, without regard to robots.txt.
""",
    "rejudge": """\
[What is relevant](relevance.md#verdicts-can-change) tells what is decided by the records, and what is read from the
archive. Without options, pages get the verdicts of the crawl's own topic, with your answers to `dowse label`.
""",
    "blocks": """\
[Content blocks](blocks.md) explains what they are, and has the files of the example and its picture. A URL is fetched
as `dowse judge` fetches it.
""",
    "train": """\
Each side may mix sources: folders of files, single files, web pages, lists of URLs, pages that somebody labelled, pages
that a crawl judged. [Categories](categories.md) has more. URLs are fetched as `dowse judge` fetches them, a second
apart. Training needs the extra `train` (`pip install "dowse[train]"`).
""",
    "label": """\
One key answers. Dowse writes each answer to `labels.csv` in the crawl's folder at once, and judges all pages again when
you stop. Run the same command again to go on where you left. [What is relevant](relevance.md#say-what-is-right) has
more, and [categories](categories.md#label-a-crawl) tells of `--name` and `--category`.
""",
    "why": """\
The example asks about the results of `dowse demo`. Any URL will do: fetched, waiting, refused or never mentioned.
""",
    "export": """\
The columns are those of the table [`pages`](schema.md#pages), without `ordinal`, `signature` and `minhash`. Parquet
needs the extra `parquet` (`pip install "dowse[parquet]"`). In CSV, an apostrophe stands before text that a spreadsheet
would take for a formula ([exports](schema.md#exports)).

```sh
dowse export demo-crawl/learning --out texts.jsonl --text --relevant     # with the text of each page
dowse export demo-crawl/learning --seeds                                 # what search engines found, if they were asked
dowse export demo-crawl/learning --out good.md --min-score 0.9 --where 'word("tandem")'
```
""",
    "objects read": """\
`dowse objects DIR` is short for `dowse objects read DIR`. [Objects](objects.md) tells what is read, what becomes of
values, and when two objects are one. `--distinct`, and XPath in wrappers, need `pip install "dowse[objects]"`; Parquet
needs the extra `parquet`.
""",
    "recrawl plan": """\
[Selective recrawl](recrawl.md) tells how patterns are chosen, and what stands in a plan.
""",
    "objects suggest": """\
Name two or three pages, each followed by values that stand on it. A field that comes again begins the next object of
the page. [Wrappers](objects.md#wrappers) tells what comes out.
""",
    "repair": """\
When `dowse.sqlite` is damaged (a bad disk, a copy made while the crawl ran), the WARC files still hold what came over
the wire. Each archived page is judged again and recorded in a new folder, with the time of its download. What only the
records knew is gone: the URLs that waited, why pages were chosen, what was learned. To go on, start a new crawl with
the new folder as its [cache](cache.md).
""",
    "report": """\
`DIR/report.html` is written anew each time; a file that you name is overwritten only with `--force`.
""",
    "stats show": """\
`dowse stats DIR` is short for `dowse stats show DIR`. [Learning](learning.md#looking-at-what-was-learned) explains the
columns.
""",
    "stats save": """\
[Learning](learning.md#the-file) describes the file. `dowse crawl --learn-from` takes it.
""",
    "stats merge": """\
Merging adds up. What has a crawl in it that another has, too, is refused: no page counts twice.
""",
    "demo-web": """\
It prints the hosts that it serves, and the command that crawls them.
""",
    "hostile serve": """\
It prints what each trial does and how it must end, writes a topic file, and prints the commands that crawl the trials
and check the crawl. [The hostile web](hostile.md) has more. Its certificates need the extra `hostile` (`pip install
"dowse[hostile]"`).
""",
    "hostile check": """\
It leaves out trials whose seed the crawl was not given.
""",
    "lab info": """\
[The lab](lab.md#corpora) explains what makes a folder a corpus. The first time, all cores read and parse its pages, and
you see how far they are; the result is kept, so that the next time takes a moment. Without `--seed`, reach is measured
from the URLs in `roots.csv`, if there is one, else from the page of each host that links to the most other pages.
""",
    "lab figure": """\
[The lab](lab.md#figures-of-the-papers) explains what each figure shows. The `gt` figures and `ag-linkage` share their
runs with `dowse lab compare`, which keeps them. The `ag` figures also write a table beside the picture, as `.csv`.
`ridar-1` to `ridar-4` are [tables alone](erid.md#the-papers-tables); of the options they take `--label`, `--site`,
`--topic` and `--json`, and they also take the folder of a crawl.
""",
    "lab readers": """\
[Access logs](traces.md#simulated-readers) has the rules. The file is read by `dowse traces import`, and as `traces.csv`
beside a corpus it is the corpus' own log.
""",
    "lab judge": """\
[The lab](lab.md#measuring-verdicts) explains what is measured, and how. Without `--label` and `--labels-file` it takes
every label that has enough pages. Of a run that was stopped nothing is kept.
""",
    "lab compare": """\
[The lab](lab.md#comparing-strategies) explains what is measured, and how. `bfs`, `random` and the oracles always take
part. Each run is kept: a comparison that was stopped goes on where it was, and another strategy costs only its own
runs.
""",
}
_HEAD = f"""\
# The command line

<!-- Written by {REGENERATE}: change the commands, or that file. -->

`dowse COMMAND --help` shows this in a terminal. `python -m dowse` does the same as `dowse`. See also
[the topic file](topic-file.md), [the results](schema.md) and [politeness](politeness.md). No command overwrites a file
that you name, unless you add `--force`.
"""
_COMPLETION = """
`dowse --install-completion` makes your shell (bash, zsh, fish) complete commands and options, in terminals that you
open from then on; `dowse --show-completion` prints what it would install.
"""
_WORDS = {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "PATH"}


def commands() -> dict[str, Any]:
    """The commands of the application, by name ("hostile serve" for one of a group), in the order of its help."""
    root: Any = typer.main.get_command(make_app())
    found: dict[str, Any] = {}
    for name, command in root.commands.items():
        inner = getattr(command, "commands", {})
        found |= {f"{name} {own}": part for own, part in inner.items()} if inner else {name: command}
    return found


def _first_line(command: Any) -> str:
    return str(command.help).partition("\n")[0]


def _word(command: Any, parameter: Any) -> str:
    """What stands for a value: TEXT, NUMBER or PATH."""
    if parameter.metavar:
        return str(parameter.metavar)
    hint = get_type_hints(inspect.unwrap(command.callback)).get(parameter.name, str)
    kinds = [kind for kind in (hint, *get_args(hint)) if kind in _WORDS]
    kinds += [kind for inner in get_args(hint) for kind in get_args(inner) if kind in _WORDS]
    return _WORDS[kinds[0]] if kinds else "TEXT"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    flag = getattr(parameter, "is_flag", False)
    return "" if flag or parameter.default is None else f"`{parameter.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _arguments(command: Any) -> Iterator[str]:
    found = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    if found:
        yield "\n| argument | meaning | default |\n|---|---|---|\n"
    for parameter in found:
        name = parameter.metavar or parameter.name.upper()
        yield f"| `{_cell(name)}` | {_cell(parameter.help)} | {_default(parameter)} |\n"


def _options(command: Any) -> Iterator[str]:
    """A table of the options, or one for each group of them; a flag of a topic has its key in place of a default."""
    found = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    keys = {flag.name: f"`{flag.sets}`" for flag in FLAGS} if _is_grouped(command) else {}
    for group in GROUPS if _is_grouped(command) else (None,):
        rows = [parameter for parameter in found if group is None or parameter.rich_help_panel == group]
        if rows:
            yield f"\n**{group}**\n" if group else ""
            yield f"\n| option | meaning | {'topic file' if keys else 'default'} |\n|---|---|---|\n"
        yield from (_option(command, parameter, keys) for parameter in rows)


def _is_grouped(command: Any) -> bool:
    return isinstance(command, GroupedHelp)


def _option(command: Any, parameter: Any, keys: dict[str, str]) -> str:
    *others, last = sorted(parameter.opts, key=len)
    value = "" if parameter.is_flag else f" {_word(command, parameter)}"
    names = ", ".join([*(f"`{name}`" for name in others), f"`{last}{_cell(value)}`"])
    again = " May be given several times." if parameter.multiple else ""
    end = keys.get(last, "") if keys else _default(parameter)
    return f"| {names} | {_cell(parameter.help)}{again} | {end} |\n"


def reference() -> str:
    """The whole page."""
    known = commands()
    parts = [_HEAD, "\n| command | |\n|---|---|\n"]
    parts += [
        f"| [`{name}`](#dowse-{name.replace(' ', '-')}) | {_cell(_first_line(command))} |\n"
        for name, command in known.items()
    ]
    core = "[compiled core](performance.md#the-compiled-core)"
    parts.append(
        f"\n`dowse --version` prints the version, and whether the {core} is in use. `-h` is short for `--help`.\n"
    )
    parts.append(_COMPLETION)
    for name, command in known.items():
        parts += [f"\n## dowse {name}\n\n{_first_line(command)}\n\n```sh\n{EXAMPLES[name]}\n```\n"]
        parts += ["\n", NOTES[name]] if name in NOTES else []
        parts += [*_arguments(command), *_options(command)]
    parts.append("\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
    parts += [f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items()]
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
