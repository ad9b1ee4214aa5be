"""Runs a program and measures it from outside: wall time, CPU and memory of all its processes."""

from __future__ import annotations

import itertools
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Failed", "Usage", "run"]

_EVERY_S = 0.1
_SELDOM = 10  # proportional sizes are read once in so many looks, since the kernel walks all pages of a process for it
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Failed(Exception):
    """A contestant ended with an error; the message says where its output is."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a program and its children took, memory at its highest."""

    wall_s: float
    cpu_s: float
    children_cpu_s: float
    memory_bytes: int  # sum of resident sizes: memory that processes share counts in each, so this is an upper bound
    proportional_bytes: int  # shared memory counted once
    main_memory_bytes: int  # resident size of the first process alone


def run(command: list[str], output: Path, environment: dict[str, str] | None = None) -> Usage:
    """Run to the end, with stdout and stderr in the file ``output``."""
    with output.open("wb") as file:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=_as_installed() | (environment or {})
        )
        peak = proportional = main_peak = 0
        ticks: dict[int, int] = {}
        for looks in itertools.count():
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            sizes = {pid: _resident(pid) for pid in _family(process.pid)}
            peak, main_peak = max(peak, sum(sizes.values())), max(main_peak, sizes[process.pid])
            ticks |= {pid: _ticks(pid) or ticks.get(pid, 0) for pid in sizes if pid != process.pid}
            if len(sizes) > 1 and looks % _SELDOM == 0:
                proportional = max(proportional, sum(map(_proportional, sizes)))
            time.sleep(_EVERY_S)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"{' '.join(command[:4])} ... ended with {process.returncode}: see {output}")
    # the usage of children that ended is part of their parent's
    return Usage(
        wall, usage.ru_utime + usage.ru_stime, sum(ticks.values()) / _TICKS, peak, proportional or peak, main_peak
    )


def _as_installed() -> dict[str, str]:
    """This environment, but with compiled modules kept from one start to the next, as an installer leaves them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _family(pid: int) -> list[int]:
    family = [pid]
    for member in family:
        try:
            children = Path(f"/proc/{member}/task/{member}/children").read_text().split()
        except OSError:
            continue
        family += map(int, children)
    return family


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
