"""What ``dowse recrawl`` reads: the objects of a crawl, from its archive or from a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from dowse.engine.assembly.object_readers import object_readers
from dowse.engine.assembly.stored_objects import stored_objects
from dowse.model.errors import UserError
from dowse.model.facts import object_type
from dowse.model.objects import DistinctObject, FoundObject
from dowse.recrawl.objects import distinct
from dowse.recrawl.objects.lines import read_found
from dowse.store.export import page_places

__all__ = ["Kinds", "Objects", "Wrappers", "objects_of"]

Objects = Annotated[
    Path | None,
    typer.Option(
        "--objects",
        metavar="FILE",
        help="The objects, as 'dowse objects' writes them as JSON lines. The default is to read the archive.",
    ),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", metavar="KIND", help="Count objects of this kind only. Repeatable.")
]
Wrappers = Annotated[
    list[Path] | None, typer.Option("--wrapper", metavar="FILE", help="Read pages by this wrapper too. Repeatable.")
]


def objects_of(
    place: Path, file: Path | None, kinds: Sequence[str] | None, wrappers: Sequence[Path] | None
) -> list[DistinctObject]:
    """The distinct objects of a crawl's folder, or of a file that is given in its place. UserError when there is
    none."""
    found: Iterable[FoundObject]
    if file is not None or place.is_file():
        source = file or place
        found = read_found(source)
    else:
        source = place
        readers = object_readers(wrappers or [], [], [])
        found = (one for page in stored_objects(place, page_places(place), readers, _quiet) for one in page.objects)
    wanted = {object_type(kind) for kind in kinds or ()}
    objects = distinct(one for one in found if not wanted or object_type(one.kind) in wanted)
    if not objects:
        told = f" of kind {', '.join(kinds)}" if kinds else ""
        raise UserError(f"{source} has no objects{told}: see what it has with 'dowse objects'")
    return objects


def _quiet(done: int) -> None:
    """It takes seconds."""
