"""The compiled core built with address and undefined-behaviour sanitizers, beside the installed one."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Sanitized", "build"]

ROOT = Path(__file__).parents[1]
_FLAGS = ("-shared", "-fPIC", "-std=c11", "-g", "-O1", "-fno-omit-frame-pointer", "-ffp-contract=off",
          "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sanitized:
    """Where the core lies, and what its process needs."""

    core: Path
    environment: dict[str, str]


def _library(compiler: str, name: str) -> Path | None:
    """Where the compiler has a library."""
    asked = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    found = Path(asked.stdout.strip())
    return found.resolve() if asked.returncode == 0 and found.is_absolute() else None


def build(folder: Path) -> Sanitized | str:
    """Build it into a folder; a line that says why it cannot be."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return "no C compiler: the compiled core runs without sanitizers"
    # the other one, since libraries that throw are loaded later than the sanitizer looks for what throws
    libraries = [_library(compiler, name) for name in ("libasan.so", "libstdc++.so")]
    if libraries[0] is None:
        return "no libasan: the compiled core runs without sanitizers"
    folder.mkdir(parents=True, exist_ok=True)
    core = folder / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    sources = sorted(str(path) for path in (ROOT / "src" / "core").glob("*.c"))
    line = [compiler, *_FLAGS, "-I", sysconfig.get_paths()["include"], *sources, "-o", str(core)]
    made = subprocess.run(line, capture_output=True, text=True, check=False)
    if made.returncode:
        return (
            f"the core cannot be built with sanitizers: {made.stderr.strip().splitlines()[-1] if made.stderr else ''}"
        )
    return Sanitized(core, {
        "LD_PRELOAD": ":".join(str(library) for library in libraries if library is not None),
        "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=6144:handle_abort=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # each object has bounds of its own then
    })  # fmt: skip
