"""``dowse repair``: what can be saved of a crawl whose records are damaged."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Folder, read_topic
from dowse.cli.terminal import interruptible, say
from dowse.model.errors import UserError
from dowse.model.shown import shown

__all__ = ["repair"]

_LONGEST = 300  # letters of a topic


def repair(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Keep the pages in this new folder, also when the records are fine. The default is DIR-repaired.",
        ),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(metavar="TOPIC", help="Judge for this topic, where the records cannot tell theirs any more."),
    ] = None,
) -> None:
    """Salvage the pages of a damaged crawl from its WARC files.

    They are judged again, with what was answered about them, and kept in a new folder. The damaged one stays as it is.
    Nothing is downloaded. A crawl whose records are fine is left alone, unless --out names the new folder.
    """
    from dowse.lab.finished.salvage import archived_topic, readable_topic, salvage  # other commands need not load it
    from dowse.store.soundness import is_sound

    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}")
    if out is None and is_sound(folder):
        say(f"the records in {folder} are fine: nothing to repair (with --out its pages are judged anew all the same)")
        return
    target = out or _beside(folder)
    known = readable_topic(folder) if topic is None else read_topic(topic)
    if known is None:
        archived = shown(archived_topic(folder))[:_LONGEST]
        said = f" {shlex.quote(archived)}, as its archive has it" if archived else ""
        raise UserError(f"the records in {folder} cannot tell what the topic was: give it with --topic{said}")
    with interruptible(f"what was salvaged is in {target}"):
        found = asyncio.run(salvage(folder, known, target))
    broken = f"; {found.broken} records of the archive could not be read" if found.broken else ""
    say(f"{found.pages} pages salvaged into {target}{broken}")
    place = shlex.quote(str(target))
    say(f"look at them: dowse report {place}\ngo on without downloading them again: dowse crawl TOPIC --cache {place}")


def _beside(folder: Path) -> Path:
    whole = folder.resolve()  # "." has no name
    if not whole.name:
        raise UserError(f"there is no place beside {whole}: name the new folder with --out")
    return whole.with_name(f"{whole.name}-repaired")
