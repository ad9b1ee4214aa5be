"""What of the source a command can reach: its result is as good as new while all of that stays as it is.

From the modules that the command starts, these are followed, wherever they stand:

- imports, in functions and for type checkers, too;
- texts that name a module, as programs and lazy imports do: ``"dowse.engine.workers.worker"``;
- texts that name a module beside this one: ``"pdf_process.py"``;
- texts that begin as modules' names do: ``f"dowse.cli.{name}"`` reaches all of these. (``dowse X`` imports the module
  of X and no other command's, see :mod:`dowse.cli.main`);
- ``"-m"`` and ``"dowse"`` in one module: it runs commands, which may be any.

With a module, its packages are reached. What is no module in ``src/`` (C, styles, vocabularies) always counts. That
is more than what runs, never less: when in doubt, a result is old.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from dowse.cli.main import module_of

__all__ = ["SOURCES", "reached"]

SOURCES = ("src", "bench", "setup.py")
"""Where everything is that a measurement may be made of."""

_ROOMS = ("src/dowse/", "bench/")  # the packages: their modules count where they are reached
_NOT_RUN = "bench/figures/"  # starts the commands, and holds what came
_COMMANDS = "dowse.cli.main"
_DOTTED = re.compile(r"(?:dowse|bench)(?:\.\w+)+")


def reached(words: Sequence[str], root: Path, files: Iterable[str]) -> set[str]:
    """Those of the project's files that a command line can reach."""
    files = [name for name in files if not name.startswith(_NOT_RUN)]
    modules = {_module_name(name): name for name in files if name.endswith(".py") and name.startswith(_ROOMS)}
    always = {name for name in files if not name.startswith("bench/")} - set(modules.values())
    match list(words):
        case ["dowse", command, *_]:
            own = {"dowse.__main__", module_of(command)}
        case ["python", "-m", program, *_] if any(_is_within(name, program) for name in modules):
            own = {name for name in modules if _is_within(name, program)}
            place = f"{program.replace('.', '/')}/"
            always |= {name for name in files if name.startswith(place)}
        case _:
            return set(files)
    return always | {modules[name] for name in _closure(own, modules, root, runs_one=words[0] == "dowse")}


def _closure(starts: Iterable[str], modules: Mapping[str, str], root: Path, *, runs_one: bool) -> set[str]:
    """With everything that these name, and what that names."""
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        parts = waiting.pop().split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name not in modules or name in found:
                continue
            found.add(name)
            waiting += (place for place in _named(root / modules[name], name) if not place.endswith("."))
            if not (runs_one and name == _COMMANDS):
                begun = tuple(place for place in _named(root / modules[name], name) if place.endswith("."))
                waiting += (other for other in modules if begun and other.startswith(begun))
    return found


@cache
def _named(path: Path, own: str) -> tuple[str, ...]:
    """What a module names: dotted names of modules, or of things within; with a dot at the end, how they begin."""
    return tuple(dict.fromkeys(_names(ast.parse(path.read_bytes()), own, is_package=path.name == "__init__.py")))


def _names(tree: ast.AST, own: str, *, is_package: bool) -> Iterator[str]:
    package = own if is_package else own.rpartition(".")[0]
    texts = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (one.name for one in node.names)
            case ast.ImportFrom():
                above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
                place = ".".join([*above, *([node.module] if node.module else [])])
                yield from (f"{place}.{one.name}" for one in node.names)
            case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]) if _is_dotted(start):
                yield f"{start.rpartition('.')[0]}."
            case ast.Constant(value=str(text)):
                texts.add(text)
    yield from (text for text in texts if _is_dotted(text))
    yield from (f"{text}.__main__" for text in texts if _is_dotted(text))
    yield from (f"{package}.{text.removesuffix('.py')}" for text in texts if text.endswith(".py"))
    if {"-m", "dowse"} <= texts:
        yield "dowse.__main__"


def _is_dotted(text: str) -> bool:
    return _DOTTED.match(text) is not None and " " not in text


def _is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _module_name(file: str) -> str:
    """
    >>> _module_name("src/dowse/lab/__init__.py"), _module_name("bench/store.py")
    ('dowse.lab', 'bench.store')
    """
    return file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
