"""What a stranger may do to a crawl's folder, from a number, and what commands make of it.

``python -m tests.cli.attacks FOLDER KIND FIRST LAST`` tries the attacks of these numbers on copies of a folder, in a
process of its own with bounded memory, since one of them may end it. It prints a JSON object a command.
"""

from __future__ import annotations

import io
import json
import resource
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from random import Random
from typing import Any

from dowse.cli.main import main
from dowse.loopback import in_thread
from tests.cli.labelled import two_kinds
from tests.loopback.measured import own_peak_bytes

MEMORY = 3 << 30  # addresses, most of which are never touched
NOWHERE = ["--seed", "http://127.0.0.1:1/", "--workers", "0", "--quiet", "--budget", "3r", "--delay", "0"]
_TEXTS = [
    "", "\x1b[2J", "\ud7ff\u202e", "http://[", "no url", "http://a.test", "x" * 100_000, "[]", "{}", "null", "[[[]]]",
    "[" * 100_000, '{"topic": 3}', '[["a", "b", "c"]]', '[["a", 1e999, 1]]', "9999-99-99T99:99:99.000000Z", "NaN",
    "../../../etc/passwd", "/etc/passwd", "dowse-00000.warc.gz/..", "\0", "1" * 5000,
]  # fmt: skip
_NUMBERS = [-1, 0, 1, 255, 256, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 63) - 1, -(1 << 63), 10**12, 1e300, -1e300,
            float("inf"), 0.5, -0.5]  # fmt: skip


def commands(folder: Path, out: Path, address: str) -> dict[str, list[str]]:
    """Every command that opens a folder. At the address is the web that was crawled."""
    return {
        "why": ["why", str(folder), "http://a.test/bird/3"],
        "report": ["report", str(folder), "--out", str(out / "report.html"), "--force"],
        "jsonl": ["export", str(folder), "--out", str(out / "pages.jsonl"), "--force"],
        "csv": ["export", str(folder), "--to", "csv", "--out", str(out / "pages.csv"), "--force"],
        "parquet": ["export", str(folder), "--to", "parquet", "--out", str(out / "pages.parquet"), "--force"],
        "objects": ["objects", str(folder), "--distinct", "--out", str(out / "objects.jsonl"), "--force"],
        "text": ["export", str(folder), "--text", "--where", 'word("wings") or similarity > 0.2', "--out",
                 str(out / "pages.md"), "--force"],
        "repair": ["repair", str(folder), "--out", str(out / "repaired")],
        "stats": ["stats", str(folder)],
        "label": ["label", str(folder)],
        "train": ["train", "thing", "--positive", f"{folder}:relevant", "--negative", f"{folder}:irrelevant",
                  "--out", str(out / "thing.json"), "--force"],
        "info": ["lab", "info", str(folder), "--jobs", "1"],
        "learn": ["crawl", "birds", *NOWHERE, "--strategy", "learning", "--learn-from", str(folder),
                  "--out", str(out / "learned")],
        "cache": ["crawl", "birds", "--seed", "http://a.test/", *NOWHERE, "--cache", str(folder), "--cache-age",
                  "9999d", "--resolve", f"*.test={address}", "--allow-private", "--out", str(out / "cached")],
        "resume": ["crawl", "--resume", str(folder), "--workers", "0", "--quiet", "--budget", "40p, 60r",
                   "--resolve", f"*.test={address}"],
    }  # fmt: skip


def run(*arguments: str) -> tuple[int, str, str, str]:
    """Exit code, output, errors, and the traceback of what should not have come out (code -1)."""
    out, err, before = io.StringIO(), io.StringIO(), (sys.argv, sys.stdin)
    sys.argv, sys.stdin = ["dowse", *arguments], io.StringIO("y\nn\nq\n")
    code, defect = 0, ""
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            code, defect = -1, traceback.format_exc()
    sys.argv, sys.stdin = before
    return code, out.getvalue(), err.getvalue(), defect


# -- attacks -------------------------------------------------------------------------------------------------------


def flipped_bits(folder: Path, dice: Random) -> str:
    """A few bits of a file are others."""
    path = dice.choice([folder / "dowse.sqlite"] * 3 + [folder / "dowse-00000.warc.gz"])
    data = bytearray(path.read_bytes())
    places = [dice.randrange(len(data)) for _ in range(dice.choice([1, 1, 4, 64]))]
    for place in places:
        data[place] ^= 1 << dice.randrange(8)
    path.write_bytes(data)
    return f"{path.name}: bits at {places[:4]}"


def overwritten(folder: Path, dice: Random) -> str:
    """Some bytes in a row are noise, or zero, or the file is cut."""
    path = dice.choice([folder / "dowse.sqlite"] * 3 + [folder / "dowse-00000.warc.gz", folder / "dowse.ledger"])
    data = bytearray(path.read_bytes())
    start, length = dice.randrange(len(data)), dice.choice([8, 100, 4096])
    kind = dice.randrange(3)
    if kind < 2:
        data[start : start + length] = dice.randbytes(length) if kind else bytes(length)
    path.write_bytes(data[:start] if kind == 2 else data)
    return f"{path.name}: {('zeros', 'noise', 'cut')[kind]} at {start}"


def altered_row(folder: Path, dice: Random) -> str:
    """A value of a table is another one, of any type: the table was made without promises."""
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as records:
        run = records.execute
        tables = [name for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if dice.random() < 0.7:
            run("PRAGMA writable_schema = ON")
            run(
                "UPDATE sqlite_master SET sql = replace(replace(sql, 'NOT NULL', ''), 'STRICT', '')"
                " WHERE type = 'table'"
            )
            run("PRAGMA writable_schema = RESET")
        table = dice.choice(tables)
        columns = [row[1] for row in run(f"PRAGMA table_info({table})")]
        column = dice.choice(columns)
        rows = [rowid for (rowid,) in run(f"SELECT rowid FROM {table}")]
        value = _value(run, table, column, dice)
        where = "" if dice.random() < 0.5 or not rows else f" WHERE rowid = {dice.choice(rows)}"
        told = f"{table}.{column} = {value!r:.60}{where}"
        with suppress(sqlite3.Error, OverflowError):
            run(f"UPDATE OR IGNORE {table} SET {column} = ?{where}", (value,))
            return told
        return "nothing"


def _value(run: Callable[..., Any], table: str, column: str, dice: Random) -> Any:
    kind = dice.randrange(5)
    if kind == 0:
        return dice.choice(_TEXTS).replace("\ud7ff", "")
    if kind == 1:
        return dice.choice(_NUMBERS)
    if kind == 2:
        return dice.randbytes(dice.choice([0, 1, 7, 64, 136, 5000]))
    if kind == 3:
        return None
    found = run(f"SELECT {column} FROM {table} ORDER BY rowid LIMIT 1").fetchone()
    old = found[0] if found else None
    if isinstance(old, bytes) and old:
        new = bytearray(old)
        new[dice.randrange(len(new))] ^= 0xFF
        return bytes(new[: dice.choice([len(new), len(new) // 2])])
    if isinstance(old, str) and old[:1] in "[{":
        return _twisted(old, dice)
    return str(old) if isinstance(old, (int, float)) else 7


def _twisted(text: str, dice: Random) -> str:
    """JSON with one of its values replaced."""
    try:
        whole = json.loads(text)
    except ValueError:
        return text[::-1]
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            places.append((part, key))
            if isinstance(value, (dict, list)):
                walk(value)

    walk(whole)
    if places:
        part, key = dice.choice(places)
        part[key] = dice.choice([None, -1, 1e308, 10**30, "x", [], {}, [[1]], True, "9" * 400, {"a": {}}])
    return json.dumps(whole)


ATTACKS = {"bits": flipped_bits, "bytes": overwritten, "rows": altered_row}


def attempt(folder: Path, kind: str, number: int, place: Path, address: str, only: int = 0) -> list[dict[str, Any]]:
    """One attack on a copy of the folder, and what commands did then: all, or ``only`` so many of them."""
    dice = Random(f"{kind} {number}")
    copy, out = place / "copy", place / "out"
    answers = []
    chosen = list(commands(copy, out, address).items())
    if only:
        chosen = [chosen[(number * only + each) % len(chosen)] for each in range(only)]
    for name, arguments in chosen:
        for path in (copy, out):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(folder, copy)
        out.mkdir()
        dice = Random(f"{kind} {number}")
        told = ATTACKS[kind](copy, dice)
        code, said, err, defect = run(*arguments)
        answers.append({"attack": told, "kind": kind, "number": number, "command": name, "code": code,
                        "out": said[-300:], "err": err[-1500:], "defect": defect})  # fmt: skip
    return answers


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    source, kind, first, last, place, only = sys.argv[1:]
    with in_thread(two_kinds()) as server:
        for number in range(int(first), int(last)):
            for answer in attempt(Path(source), kind, number, Path(place), server.address, int(only)):
                print(json.dumps(answer), flush=True)  # noqa: T201
    print(json.dumps({"peak_kb": own_peak_bytes() // 1024}), flush=True)  # noqa: T201
