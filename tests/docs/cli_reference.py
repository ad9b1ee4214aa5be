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

from dowse.cli.flags import FLAGS, GROUPS, GroupedHelp
from dowse.cli.main import make_app

__all__ = ["EXAMPLES", "EXIT_CODES", "REGENERATE", "TARGET", "commands", "reference"]

TARGET = Path(__file__).parents[2] / "docs" / "cli.md"
REGENERATE = ".venv/bin/python -m tests.docs.cli_reference"
EXAMPLES = {
    "crawl": 'dowse crawl "perovskite solar cells" --seed https://en.wikipedia.org/wiki/Perovskite_solar_cell '
    "--budget 500p,30m",
    "init": "dowse init topic.toml",
    "judge": 'dowse judge https://en.wikipedia.org/wiki/Perovskite --topic "perovskite solar cells"',
    "blocks": "dowse blocks portal.html --topic topic.toml --picture portal.png",
    "train": "dowse train birds --positive good/ --negative bad/",
    "label": "dowse label demo-crawl/bfs --name solar",
    "why": "dowse why demo-crawl/learning http://portal.dowse.test/",
    "report": "dowse report demo-crawl/learning",
    "export": "dowse export demo-crawl/learning --to csv --out pages.csv",
    "strategies": "dowse strategies",
    "demo": "dowse demo",
    "demo-web": "dowse demo-web --port 8000",
    "stats show": "dowse stats show solar --top 5",
    "stats save": "dowse stats save solar --out solar.json.gz",
    "stats merge": "dowse stats merge solar other-crawl --out both.json",
    "hostile serve": "dowse hostile serve",
    "hostile check": "dowse hostile check hostile-crawl",
    "lab info": "dowse lab info demo-crawl/learning",
    "lab compare": "dowse lab compare my-corpus --all-labels --strategy best-first --strategy dfs --out comparison",
    "lab figure": "dowse lab figure gt-7 my-corpus --all-labels --strategy best-first --strategy weighted",
}
EXIT_CODES = {
    0: "Done. For a crawl: it stopped at its budget or target, or no URL was left.",
    1: "Failed: the records could not be kept, or are damaged, or no URL was left and not one page had been fetched. "
    "For `dowse hostile check`: a trial did not end as it must.",
    2: "A mistake you can mend. One line on standard error says what to change.",
    130: "Interrupted by Ctrl-C, or a crawl by SIGTERM. Everything is recorded: go on with `dowse crawl --resume DIR`. "
    "The lab keeps the runs that were finished: the same command goes on.",
    143: "A command of the lab was ended by SIGTERM; what it keeps is as after Ctrl-C.",
}
NOTES = {
    "crawl": """\
The topic is words in quotes, or the path of a [topic file](topic-file.md). An option given here counts instead of the
same key in the topic file; `--seed`, `--sitemap` and `--cache` add to it. Without `--out` and without `out` in the
topic file, the crawl is kept in a new folder under `crawls/`, named after the topic. Without a budget and a target it
goes on until no URL is left.

```sh
dowse crawl topic.toml --budget 2000p --out my-crawl   # from a topic file
dowse crawl --resume my-crawl --budget 4000p           # go on after a stop, a crash or a spent budget
dowse crawl other.toml --cache my-crawl                # what my-crawl holds is not downloaded again
dowse crawl topic.toml --predicate 'word("tandem") and language == "en"'   # what a page must satisfy
dowse crawl topic.toml --strategy learning --learn-from my-crawl           # start from what my-crawl has learned
```

`--predicate` takes an [expression](predicates.md), and may stand alone, without a topic. It decides in place of the
topic's own predicate and threshold. `--learn-from` takes crawls with the strategy `learning`, and files that
`dowse stats` writes; several are added up ([learning](learning.md#starting-from-what-is-known)).

`--resume` takes the topic from the folder. Options given with it hold for that run only; budgets count all runs
together. A proxy's password is not kept: give the proxy again in the environment variable `DOWSE_PROXY`
([politeness](politeness.md#who-is-asking)). The crawl stops at the first limit or target it reaches, and says what
[going on would bring](forecast.md).
In a terminal the crawl shows a live picture; elsewhere a line every 5 seconds on standard error; with `--json` an
object a line on standard output. [Saving downloads](cache.md) tells more of `--cache` and `--head`.
""",
    "judge": """\
With `--predicate` alone, the page is judged by [it](predicates.md); each of its parts is shown. A file has no address
of its own: tests of the URL see `http://localhost/`.

```sh
dowse judge page.html --predicate 'word("hockey") >= 2 and language == "en"'
```

A page given as URL is fetched once, as your browser would, without asking its robots.txt.
""",
    "blocks": """\
[Content blocks](blocks.md) tells what they are, has the files of the example, and shows the picture. A page given as
URL is fetched as by `dowse judge`.
""",
    "train": """\
Each side is mixed of whatever there is: folders of page files, single files, web pages, lists of them, pages that
somebody labelled, or that a crawl judged. [Categories](categories.md) tells more. A page given as URL is fetched as by
`dowse judge`, a second apart. Training needs the extra `train` (`pip install "dowse[train]"`).
""",
    "label": """\
Answers are kept at once in `labels.csv` in the crawl's folder, and the category beside it. The same command goes on
where it was left. [Categories](categories.md#label-a-crawl) tells more.
""",
    "why": """\
The example looks into what `dowse demo` has left. It works for any URL: fetched, waiting, refused or never heard of.
""",
    "export": """\
The columns are those of the table [`pages`](schema.md#pages), without `ordinal`, `signature` and `minhash`. Parquet
needs the extra `parquet` (`pip install "dowse[parquet]"`). In CSV, text that a spreadsheet would take for a formula has
an apostrophe before it ([exports](schema.md#exports)).
""",
    "stats show": """\
`dowse stats DIR` is short for `dowse stats show DIR`. [Learning](learning.md#looking-at-what-was-learned) tells what
the columns mean.
""",
    "stats save": """\
[Learning](learning.md#the-file) describes the file. `dowse crawl --learn-from` takes it.
""",
    "stats merge": """\
Merging is adding up: name no crawl twice, nor one that started from another of them.
""",
    "demo-web": """\
It prints the hosts it shows and the command that crawls them.
""",
    "hostile serve": """\
It prints what each trial does and must come to, writes a topic file, and prints the commands that crawl the trials and
check the crawl. [The hostile web](hostile.md) tells more. Its certificates need the extra `hostile`
(`pip install "dowse[hostile]"`).
""",
    "hostile check": """\
A trial whose seed is not among the crawl's is left out.
""",
    "lab info": """\
What makes a folder a corpus is told in [the lab](lab.md#corpora). The first time, its pages are read and parsed by all
cores, which is shown; the result is kept, and the next time takes a moment. Without `--seed`, reach is measured from
the URLs in `roots.csv` where there is one, else from the page of each host that has the most links to other pages.
""",
    "lab figure": """\
[The lab](lab.md#figures-of-the-papers) tells what each figure shows. The runs of the `gt` figures and of `ag-linkage`
are those of `dowse lab compare`, and kept like them. The `ag` figures write their table beside the picture, as `.csv`.
""",
    "lab compare": """\
[The lab](lab.md#comparing-strategies) tells what is measured and how. `bfs`, `random` and the oracles always take part.
Each run is kept: a comparison that was stopped goes on where it was, and a further strategy costs its own runs only.
""",
}
_HEAD = f"""\
# The command line

<!-- Written by {REGENERATE}: change the commands, or that file. -->

`dowse COMMAND --help` says the same in a terminal. `python -m dowse` is another way to say `dowse`. See also
[the topic file](topic-file.md), [the results](schema.md) and [politeness](politeness.md).
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
    parts.append(f"\n`dowse --version` prints the version, and whether the {core} is in use.\n")
    for name, command in known.items():
        parts += [f"\n## dowse {name}\n\n{_first_line(command)}\n\n```sh\n{EXAMPLES[name]}\n```\n"]
        parts += ["\n", NOTES[name]] if name in NOTES else []
        parts += [*_arguments(command), *_options(command)]
    parts.append("\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
    parts += [f"| {code} | {meaning} |\n" for code, meaning in EXIT_CODES.items()]
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
