"""Real HTML to crawl: Debian's documentation packages, downloaded and unpacked below a work folder.

Nothing is installed: ``apt-get download`` fetches the archives, ``dpkg-deb -x`` unpacks them. Each package becomes one
tree under ``web/``, with its HTML and nothing else, so that every crawler has the same pages to fetch and none pays for
images or PDF files that another one leaves out.
"""

from __future__ import annotations

import gzip
import html
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["HTML", "PACKAGES", "Documentation", "Missing", "documentation", "write_index"]

# Package (a regular expression, since names carry versions; of several, the newest) -> where a reader begins. The first
# seven make 6,000 pages of 30 KB on average; the others, of the same kind, bring the sum to 25,000 and more.
PACKAGES = {
    r"python3\.\d+-doc": "doc/*/html/index.html",
    r"postgresql-doc-\d+": "doc/*/html/index.html",
    "git-doc": "doc/git-doc/index.html",
    "sqlite3-doc": "doc/sqlite3/index.html",
    "python-django-doc": "doc/python-django-doc/html/index.html",
    "qtbase5-doc-html": "qt5/doc/*/*-index.html",
    "debian-handbook": "doc/debian-handbook/html/[def][enrs]-*/index.html",
    "cppreference-doc-en-html": "cppreference/doc/html/en/index.html",
    r"libstdc\+\+-\d+-doc": "doc/*/libstdc++/index.html",
    r"linux-doc-[\d.]+": "doc/*/html/index.html",
    r"openjdk-\d+-doc": "doc/*/api/index.html",
}
HTML = (".html", ".htm", ".xhtml")


class Missing(Exception):
    """Something this machine lacks: one line that says what to install."""


@dataclass(frozen=True, slots=True)
class Documentation:
    """One unpacked package: its pages live in ``tree``; a reader would begin at one of ``entries``."""

    package: str
    version: str
    tree: Path
    entries: tuple[Path, ...]


def documentation(pattern: str, work: Path) -> Documentation:
    """Download and unpack the package a pattern stands for, unless the work folder has it already."""
    archive = _cached(pattern, work / "debs") or _download(pattern, work / "debs")
    package, version = archive.name.split("_")[:2]
    tree = work / "web" / package
    if not tree.exists():
        _unpack(archive, tree)
    entries = {path.resolve(): path for path in sorted(tree.glob(PACKAGES[pattern]))}  # a symlink shows them twice
    return Documentation(package, version.replace("%3a", ":"), tree, tuple(entries.values()))


def write_index(path: Path, web: Path, documentations: list[Documentation]) -> None:
    """The page a crawl starts from: links to the entries of every documentation."""
    items = []
    for one in documentations:
        for entry in one.entries:
            href = html.escape(entry.relative_to(web).as_posix())
            items.append(f'<li><a href="/{href}">{html.escape(one.package)}</a></li>\n')
    path.write_text(
        f"<!DOCTYPE html>\n<title>Documentation</title>\n<h1>Documentation</h1>\n<ul>\n{''.join(items)}</ul>\n"
    )


def _natural(name: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", name)]


def _cached(pattern: str, debs: Path) -> Path | None:
    found = [path for path in debs.glob("*.deb") if re.fullmatch(pattern, path.name.partition("_")[0])]
    return max(found, key=lambda path: _natural(path.name)) if found else None


def _download(pattern: str, debs: Path) -> Path:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise Missing("the pages come from Debian packages: apt-get and dpkg-deb are needed")
    debs.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split()
    for name in sorted((name for name in names if re.fullmatch(pattern, name)), key=_natural, reverse=True):
        # a name may be known (another package mentions it) and yet have nothing to download: then the next one
        done = subprocess.run(["apt-get", "download", name], cwd=debs, capture_output=True, text=True)
        archive = _cached(re.escape(name), debs)
        if done.returncode == 0 and archive is not None:
            return archive
    raise Missing(f"apt-get cannot download a package named {pattern}: is 'apt-get update' needed?")


def _unpack(archive: Path, tree: Path) -> None:
    rough = tree.parent / f".{tree.name}"
    shutil.rmtree(rough, ignore_errors=True)
    rough.mkdir(parents=True)
    subprocess.run(["dpkg-deb", "-x", str(archive), str(rough)], check=True)
    _keep_html(rough)
    _mend_links(rough)
    (rough / "usr" / "share").rename(tree)
    shutil.rmtree(rough)


def _keep_html(tree: Path) -> None:
    for folder, _, names in os.walk(tree):
        for name in names:
            path = Path(folder, name)
            if path.is_symlink() or name.lower().endswith(HTML):
                continue
            if name.lower().endswith(tuple(f"{ending}.gz" for ending in HTML)):
                path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
            path.unlink()


def _mend_links(tree: Path) -> None:
    """Symlinks that lead to pages of the same package stay, as relative ones; those that lead nowhere, to other
    packages or to this machine's own files go."""
    root = tree.resolve() / "usr" / "share"
    for folder, folders, names in os.walk(tree):
        for path in (Path(folder, name) for name in [*folders, *names]):
            if not path.is_symlink():
                continue
            aim = os.readlink(path)
            target = Path(f"{tree}{aim}" if aim.startswith("/") else os.path.join(folder, aim))
            path.unlink()
            if target.exists() and target.resolve().is_relative_to(root):
                path.symlink_to(os.path.relpath(target.resolve(), path.parent.resolve()))
