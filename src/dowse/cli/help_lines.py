"""Help that says what it has to say, in order: the library cuts what it tells of a command to the width of a line."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

from dowse.cli.flags import GROUPS, OUTPUT

__all__ = ["FirstByDefault", "GroupedHelp", "WholeLines"]


class WholeLines(TyperGroup):
    """A group whose help tells the first line of each command's own, whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, str(command.help or "").partition("\n")[0]) for name, command in found if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class FirstByDefault(WholeLines):
    """A group that takes what names none of its commands for the arguments of its ``first``. A word that is nearly a
    command, and no file, is told."""

    first: str

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help", "-h") and not self._is_misspelt(args[0]):
            args = [self.first, *args]
        found: list[str] = super().parse_args(ctx, args)
        return found

    def _is_misspelt(self, word: str) -> bool:
        return bool(difflib.get_close_matches(word, self.commands)) and not Path(word).exists()


class GroupedHelp(TyperCommand):
    """A command whose help lists its options under the headings of their groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in ("Arguments", *GROUPS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                argument = parameter.param_type_name == "argument"
                group = "Arguments" if argument else getattr(parameter, "rich_help_panel", None) or OUTPUT
                rows[group].append(record)
        for heading, records in rows.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
