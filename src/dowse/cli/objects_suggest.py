"""``dowse objects suggest``: a wrapper from a few pages whose values the user has marked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import NETWORK, Force, flagged, with_flags
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say
from dowse.engine.assembly.prepare import documents_of
from dowse.model.clock import SystemClock
from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.topic import Topic
from dowse.parse.objects.suggest import MarkedPage, Suggested, suggest
from dowse.parse.objects.wrapper import wrapper_toml

__all__ = ["suggest_wrapper"]

_MARK = re.compile(r"([A-Za-z_][\w.-]*)=(.+)", re.DOTALL).fullmatch
_MOST_PAGES = 10


@dataclass(slots=True)
class _Named:
    """A page as the user names it, with the values that stand behind it."""

    source: str
    objects: list[dict[str, str]] = field(default_factory=lambda: [{}])

    def mark(self, name: str, value: str) -> None:
        """A field that is there already begins another object."""
        if name in self.objects[-1]:
            self.objects.append({})
        self.objects[-1][name] = value


@flagged(*NETWORK)
def suggest_wrapper(
    marks: Annotated[
        list[str],
        typer.Argument(
            metavar="PAGE FIELD=VALUE...", help="A URL or file, with values that stand on it; then the next page."
        ),
    ],
    kind: Annotated[str, typer.Option(metavar="KIND", help="The kind of the objects.")] = "Thing",
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = "-",
    force: Force = False,
    **given: Any,
) -> None:
    """Propose a wrapper from two or three pages and values that stand on them.

    A field that comes again begins the next object of a page.
    """
    pages = _named(marks)
    if out != "-":
        check_out(Path(out), force=force)
    with interruptible():
        found = suggest(asyncio.run(_read(pages, with_flags(Topic(), given))), kind, "suggested")
        if not found.wrapper.fields:
            raise UserError("none of these values could be found on the pages: write them as they stand there")
        text = wrapper_toml(found.wrapper)
        if out == "-":
            say(text, nl=False)
        else:
            write_whole(Path(out), lambda path: path.write_text(text, encoding="utf-8"))
            say(f"wrapper written to {out}")
    for line in _told(found):
        say(line, err=True)


def _named(marks: Sequence[str]) -> list[_Named]:
    pages: list[_Named] = []
    for mark in marks:
        match = None if mark.startswith(("http://", "https://")) or Path(mark).is_file() else _MARK(mark)
        if match is None:
            pages.append(_Named(mark))
        elif not pages:
            raise UserError(f"{mark}: on which page? Name it first: dowse objects suggest PAGE {mark}")
        else:
            pages[-1].mark(match[1], match[2])
    for page in pages:
        if not page.objects[0]:
            raise UserError(f'{page.source}: mark a value that stands on it, as in name="Jazz night"')
    if len(pages) > _MOST_PAGES:
        raise UserError(f"{len(pages)} pages: two or three are enough, {_MOST_PAGES} the most")
    return pages


async def _read(pages: Sequence[_Named], topic: Topic) -> list[MarkedPage]:
    from dowse.fetch.http import HttpTransport  # only here: it takes long to load

    clock = SystemClock()
    transport = HttpTransport(topic.network, topic.limits, clock)
    try:
        documents = documents_of(topic, transport, clock)
        read = [(await documents.read(page.source), page) for page in pages]
    finally:
        await transport.close()
    return [MarkedPage(own.body, own.content_type, own.url, tuple(page.objects)) for own, page in read]


def _told(found: Suggested) -> Iterator[str]:
    """Which values the wrapper gives."""
    for name, marked in found.marked.items():
        right = found.right[name]
        if not right:
            yield f"{name}: not found; is it written as on the page?"
        else:
            yield f"{name}: right on {right} of {marked}"
