"""How large the house is: modules, lines, functions and constructors of a source tree.

    python bench/house.py [TREE...]        # default: src/dowse of this checkout

Compare two checkouts by naming both.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

_OWN = Path(__file__).parent.parent / "src" / "dowse"
_SMALL = 60  # lines


def main() -> None:
    trees = [Path(name) for name in sys.argv[1:]] or [_OWN]
    columns = [_figures(tree) for tree in trees]
    print("| figure | " + " | ".join(str(tree) for tree in trees) + " |")
    print("|---|" + "---:|" * len(trees))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(str(column[name]) for column in columns) + " |")


def _figures(tree: Path) -> dict[str, object]:
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(tree.rglob("*.py"))}
    modules = {path: text for path, text in sources.items() if path.name != "__init__.py"}
    lines = sorted(text.count("\n") for text in modules.values())
    found = [function for text in modules.values() for function in _functions(ast.parse(text))]
    lengths = sorted((function.end_lineno or function.lineno) - function.lineno + 1 for _, function in found)
    constructors = {
        owner: len(function.args.args) - 1 + len(function.args.kwonlyargs)
        for owner, function in found
        if function.name == "__init__"
    }
    largest = sorted(constructors.items(), key=lambda item: -item[1])[:3]
    names = Counter(path.name for path in modules)
    return {
        "modules": len(modules),
        "lines": sum(lines),
        "lines a module: median, 90th percentile, most": _spread(lines),
        f"modules of less than {_SMALL} lines": sum(count < _SMALL for count in lines),
        "functions": len(lengths),
        "lines a function: median, 90th percentile, most": _spread(lengths),
        "largest constructors": ", ".join(f"{owner} {count}" for owner, count in largest),
        "file names in several rooms": sum(count > 1 for count in names.values()),
        'docstrings that begin "The same"': sum(text.count('"""The same') for text in sources.values()),
    }


def _spread(lengths: list[int]) -> str:
    return f"{median(lengths):g}, {lengths[int(0.9 * len(lengths))]}, {lengths[-1]}"


def _functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield owner, node
        yield from _functions(node, node.name if isinstance(node, ast.ClassDef) else owner)


if __name__ == "__main__":
    main()
