"""In programs of their own: what this one holds and frees is anybody's."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told")

# "large" blocks, each with a small survivor behind it, after one was freed that makes the library keep such blocks
PROGRAM = """
import ctypes
from dowse.engine.workers.freed_memory import give_back, keep_less

library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]

def taken(size):
    block = library.malloc(size)
    ctypes.memset(block, 1, size)
    return block

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

{first}
library.free(taken(8 << 20))
blocks = []
before = resident()
for _ in range({count}):
    blocks.append(taken({size}))
    taken(64)
most = resident() - before
for block in blocks:
    library.free(block)
{last}
print(most >> 20, resident() - before >> 20)
"""


def kept(first: str, last: str, *, count: int, size: int) -> tuple[int, int]:
    """Megabytes at the most, and once everything large was freed."""
    code = textwrap.dedent(PROGRAM).format(first=first, last=last, count=count, size=size)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    most, left = map(int, done.stdout.split())
    return most, left


def test_large_blocks_go_back_when_they_are_freed() -> None:
    most, left = kept("keep_less()", "", count=32, size=1 << 20)
    assert most >= 30
    assert left <= 2


def test_what_is_free_between_other_things_is_given_back() -> None:
    most, left = kept("keep_less()", "give_back()", count=512, size=64 << 10)
    assert most >= 30
    assert left <= 6  # the ends of each, which lie on a page of memory with others
