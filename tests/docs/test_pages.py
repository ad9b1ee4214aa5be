"""Every page users read: links lead somewhere, and blocks of code are code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dowse.model.topicfile import parse_topic
from tests.docs.cli_reference import commands
from tests.docs.markdown import DOCS, PAGES, ROOT, anchors, blocks, codes, links, prose

Case = Any  # what pytest.param gives

_OTHER_LANGUAGES = ("python", "toml", "sql", "json", "text")
_OTHER_TOML = ("[project]\n", "kind = ")  # of a package, a wrapper
_PROMPT = re.compile(r"^\s*(?:\$ )?(?:\S*/)?dowse(?=\s)")
_GLOBAL = (["--version"], ["--help"], ["--install-completion"], ["--show-completion"])
_END = frozenset(("|", "||", "&&", ";", ">", ">>", "<", "&", "2>"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def cases(language: str) -> list[Case]:
    return [
        pytest.param(block.text, id=f"{name(path)}:{block.line}")
        for path in PAGES
        for block in blocks(path.read_text(encoding="utf-8"), language)
    ]


def command_lines() -> list[Case]:
    """The ``dowse ...`` lines of all blocks that are not in another language."""
    return [
        pytest.param(_PROMPT.sub("dowse", line), id=f"{name(path)}:{block.line} {line.strip()}")
        for path in PAGES
        for block in blocks(path.read_text(encoding="utf-8"))
        if block.language not in _OTHER_LANGUAGES
        for line in block.text.replace("\\\n", " ").splitlines()
        if _PROMPT.match(line)
    ]


def arguments(line: str) -> list[str]:
    """The words behind ``dowse``, up to a pipe or a redirection."""
    words = shlex.split(line, comments=True)[1:]
    end = next((i for i, word in enumerate(words) if word in _END), len(words))
    return words[:end]


def parse(words: list[str]) -> None:
    """Have the application read a command line, without running it. Raises what a user would be told."""
    if words not in _GLOBAL:
        name, rest = command_of(words)
        assert name in commands(), f"No such command {name}"
        commands()[name].make_context(name, rest)


def command_of(words: list[str]) -> tuple[str, list[str]]:
    """The name of the command, of two words where it is one of a group, and what follows. ``stats`` alone shows,
    ``objects`` reads."""
    alone = {"stats": "stats show", "objects": "objects read"}.get(words[0])
    if alone is not None and " ".join(words[:2]) not in commands():
        return alone, words[1:]
    size = 2 if " ".join(words[:2]) in commands() else 1
    return " ".join(words[:size]), words[size:]


def spans() -> list[Case]:
    """Commands in the running text, in backquotes."""
    return [
        pytest.param(code, id=f"{name(path)} {code}")
        for path in PAGES
        for code in codes(prose(path.read_text(encoding="utf-8")))
        if re.match(r"dowse\s+[a-z-]", code)
    ]


def leads_somewhere(path: Path, link: str) -> bool:
    """Does a link on this page lead to a file of the project, and to a heading of it where it names one?"""
    file, _, fragment = link.partition("#")
    target = (path.parent / file).resolve() if file else path
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not fragment or target.suffix != ".md" or fragment in anchors(target.read_text(encoding="utf-8"))


def test_the_pages_are_there() -> None:
    assert {name(path) for path in PAGES} >= {"README.md", "CONTRIBUTING.md", "docs/cli.md", "docs/topic-file.md"}
    assert {path.name for path in DOCS.glob("*.md")} >= {"schema.md", "politeness.md", "python.md"}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_relative_links_resolve(path: Path) -> None:
    relative = [link for link in links(path.read_text(encoding="utf-8")) if not re.match(r"[a-z][a-z0-9+.-]*:", link)]
    assert [link for link in relative if not leads_somewhere(path, link)] == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_files_of_the_project_that_are_named_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    words = [*codes(prose(text)), *(word for block in blocks(text, "sh") for word in block.text.split())]
    named = [word for word in words if re.fullmatch(r"(?:[a-z_]+/)+[a-z_]+\.py", word)]
    assert [file for file in named if not any((base / file).is_file() for base in (ROOT, ROOT / "src" / "dowse"))] == []


@pytest.mark.parametrize("text", [case for case in cases("toml") if not case.values[0].startswith(_OTHER_TOML)])
def test_toml_blocks_are_topic_files(text: str) -> None:
    subject = "" if re.search(r"^(?:query|keywords|\[examples\])", text, re.MULTILINE) else 'query = "solar cells"\n'
    parse_topic(subject + text, "topic.toml")


@pytest.mark.parametrize("text", cases("python"))
def test_python_blocks_compile(text: str) -> None:
    compile(text, "<docs>", "exec")


@pytest.mark.parametrize("line", command_lines())
def test_command_lines_can_be_read(line: str) -> None:
    parse(arguments(line))


def test_a_wrong_command_line_is_noticed() -> None:
    wrong = ("dowse crawl topic.toml --seeds x", "dowse crawls", "dowse why DIR", "dowse lab compare X --seeds many")
    for line in wrong:
        with pytest.raises(Exception, match=r"(?i)no such|missing|valid"):
            parse(arguments(line))


@pytest.mark.parametrize("code", spans())
def test_commands_in_the_text_exist(code: str) -> None:
    command, rest = command_of(code.split()[1:])
    if [command] in _GLOBAL:
        return
    assert command in commands()
    options = {option for parameter in commands()[command].params for option in parameter.opts} | {"--help"}
    given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
    assert given <= options
