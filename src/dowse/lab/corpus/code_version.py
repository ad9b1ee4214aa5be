"""Versions of Dowse's own code: what was worked out by other code is not taken for the work of this one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import xxhash

import dowse

__all__ = ["source_version"]


@cache
def source_version(*parts: str) -> str:
    """A digest of the source of these modules and packages (as ``parse`` or ``model/words.py``), or of all of Dowse."""
    root = Path(dowse.__file__).parent
    files = [path for part in parts or (".",) for path in _files(root / part)]
    digest = xxhash.xxh3_128()
    for path in sorted(files):
        digest.update(f"{path.relative_to(root)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files(path: Path) -> list[Path]:
    return [path] if path.suffix == ".py" else list(path.rglob("*.py"))
