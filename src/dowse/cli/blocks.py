"""``dowse blocks``: the content blocks of a page, each with its similarity to a topic."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dowse.cli.flags import NETWORK, AsJson, Force, flagged
from dowse.cli.named_page import Page, TopicWords, read_page
from dowse.cli.outputs import check_out
from dowse.cli.terminal import say, say_json
from dowse.lab.blocks import Block, BlockedPage, measure
from dowse.lab.blocks.block_html import write_markup
from dowse.lab.blocks.block_picture import blocks_drawing
from dowse.lab.blocks.legend import tunnel_told
from dowse.lab.draw.picture_file import check_picture, save_picture
from dowse.lab.html_markup import clip
from dowse.model.block_rule import BlockRule
from dowse.model.errors import UserError
from dowse.model.shown import shown

__all__ = ["blocks"]

_WIDTH = 100  # where there is no terminal
_WHERE, _LEAST = 26, 20
_BAR = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MOST_ROWS = 200
_HTML = ".html"
_ENDINGS = (".png", ".svg", _HTML)


@flagged(*NETWORK)
def blocks(
    source: Page,
    topic: TopicWords,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png|FILE.svg|FILE.html", help="Also draw the page, with its blocks in colour."),
    ] = None,
    alpha: Annotated[
        float, typer.Option(metavar="SHARE", help="Split elements of at least this share of the page's height.")
    ] = BlockRule().alpha,
    k: Annotated[
        int, typer.Option("--k", metavar="N", help="Split elements with a child of at least this many links.")
    ] = BlockRule().k,
    force: Force = False,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Show which blocks of a page are on the topic."""
    rule = BlockRule(alpha, k)
    if picture is not None:
        if picture.suffix.lower() not in _ENDINGS:
            raise UserError(f"--picture: {str(picture)!r} must end in {', '.join(_ENDINGS[:-1])} or {_HTML}")
        if picture.resolve() in (Path(source).resolve(), Path(topic).resolve()):
            raise UserError(f"--picture: {str(picture)!r} is the page or the topic file: give the picture another name")
        check_out(picture, force=force)
        if picture.suffix.lower() != _HTML:
            check_picture(picture)
    read = read_page(source, topic, given)
    page = measure(read.document, read.judge, read.facts(), rule)
    if picture is not None:
        _draw(page, picture, read.topic.query or read.topic.name or topic, source)
    if as_json:
        say_json({"source": source, **_as_json(page)})
        return
    say(clip(read.document.title, 200) or shown(source))
    say(tunnel_told(page))
    say()
    _print(page)
    if picture is not None:
        say(f"\npicture: {picture}")


def _draw(page: BlockedPage, path: Path, topic: str, source: str) -> None:
    if path.suffix.lower() == _HTML:
        write_markup(page, path, topic=topic, source=source)
    else:
        save_picture(blocks_drawing(page, topic=topic, source=source), path)


def _as_json(page: BlockedPage) -> dict[str, Any]:
    verdict, best = page.verdict, page.best
    return {
        "title": page.document.title, "method": verdict.method, "score": verdict.score,
        "threshold": verdict.threshold, "relevant": verdict.relevant, "gray_tunnel": page.is_gray_tunnel,
        "best": best and best.number,
        "blocks": [
            {
                "number": block.number, "score": block.score, "similarity": block.similarity, "words": block.words,
                "links": block.links, "heading": block.heading, "path": block.path, "text": block.text,
            }
            for block in page.blocks
        ],
    }  # fmt: skip


def _print(page: BlockedPage) -> None:
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(highlight=False, width=_WIDTH)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    numbers = (("", 4), (page.verdict.method, 7 + _BAR), ("words", 6), ("links", 5))
    for name, width in numbers:
        table.add_column(name, width=width, justify="left" if name == page.verdict.method else "right", no_wrap=True)
    left = max(_LEAST, console.width - sum(width + 2 for _, width in numbers) - 2)
    where = min(_WHERE, left // 2)
    for name, width in (("where", where), ("text", left - where)):
        table.add_column(name, width=width, no_wrap=True, overflow="ellipsis")
    best = page.best
    full = max(best.score if best else 0.0, page.verdict.threshold)
    told = page.blocks[:_MOST_ROWS]
    if best is not None and best.number > len(told):
        told = (*told, best)
    for block in told:
        style = "bold" if block is best else "" if block.score >= page.verdict.threshold else "dim"
        table.add_row(*(Text(cell, style=style) for cell in _cells(block, full, best=block is best)))
    console.print(table)
    if len(told) < len(page.blocks):
        say(f"and {len(page.blocks) - len(told):,} more blocks; --json has all of them")


def _cells(block: Block, full: float, *, best: bool) -> tuple[str, ...]:
    score = "–" if block.similarity is None else f"{block.score:.4f} {_bar(block.score / full if full else 0.0)}"
    return (f"{'*' if best else ''}{block.number:>3}", score, f"{block.words:,}", f"{block.links:,}",
            shown(block.where), shown(block.text))  # fmt: skip


def _bar(share: float) -> str:
    """
    >>> _bar(0.5), _bar(0.01), _bar(0)
    ('████', '▏', '')
    """
    eighths = max(round(8 * _BAR * min(share, 1.0)), int(share > 0))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
