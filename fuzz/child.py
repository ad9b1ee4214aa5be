"""One target in a process of its own: ``python -m fuzz.child TARGET ...`` is started by ``python -m fuzz``.

Before it is run, each input is written to a file: where the process dies, that one killed it. What runs on for far too
long is ended by the system, also within C.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.machinery
import importlib.util
import random
import resource
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.targets import Target

__all__ = ["SEEDS", "most_seconds"]

SEEDS = Path(__file__).parent / "seeds"
_MOST_MEMORY = 4 << 30
_SLOWER = 8  # with sanitizers
_HANGS = 10  # times what an input may take


def most_seconds(data: bytes, sanitized: bool) -> float:
    """CPU time that an input may take."""
    return (1.5 + len(data) / 200_000) * (_SLOWER if sanitized else 1)


def _use_core(path: str) -> None:
    """Take this build of the compiled core for the installed one."""
    loader = importlib.machinery.ExtensionFileLoader("dowse._core", path)
    spec = importlib.util.spec_from_loader("dowse._core", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["dowse._core"] = module


def _fault(target: Target, data: bytes, sanitized: bool) -> str:
    """What is wrong with how an input was taken; empty: nothing."""
    begun = time.process_time()
    try:
        target.run(data)
    except target.declares:
        pass
    except AssertionError as error:
        return f"broken promise: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    took_s = time.process_time() - begun
    return f"{took_s:.1f} s of CPU" if took_s > most_seconds(data, sanitized) else ""


def _limit(sanitized: bool) -> None:
    if not sanitized:  # sanitizers reserve terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def _run(target: Target, arguments: argparse.Namespace) -> str:
    from fuzz.mutate import mutated

    dice = random.Random(f"{arguments.seed} {target.name}")
    seeds = [path.read_bytes() for path in sorted((SEEDS / target.name).iterdir())]
    sanitized, current = bool(arguments.core), Path(arguments.current)
    until, count, slowest_s = time.monotonic() + arguments.seconds, 0, 0.0
    while count < arguments.inputs and (time.monotonic() < until or count < len(seeds)):
        data = seeds[count] if count < len(seeds) else mutated(dice, seeds, target.words, long=target.long)
        current.write_bytes(data)
        count += 1
        signal.setitimer(signal.ITIMER_VIRTUAL, _HANGS * most_seconds(data, sanitized))
        begun = time.process_time()
        fault = _fault(target, data, sanitized)
        slowest_s = max(slowest_s, time.process_time() - begun)
        if fault:
            return f"FAILED at input {count:,}: {fault}"
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    told = hashlib.sha256(repr(dice.getstate()).encode()).hexdigest()[:8]
    return f"ok, {count:,} inputs, the slowest {slowest_s:.2f} s ({told})"


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--current", required=True)
    parser.add_argument("--core", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--inputs", type=int, default=1 << 60)
    parser.add_argument("--input", default="")
    arguments = parser.parse_args()
    if arguments.core:
        _use_core(arguments.core)
    from fuzz.targets import TARGETS

    [target] = [target for target in TARGETS if target.name == arguments.target]
    _limit(bool(arguments.core))
    if arguments.input:
        result = _fault(target, Path(arguments.input).read_bytes(), bool(arguments.core)) or "ok"
        result = result if result == "ok" else f"FAILED: {result}"
    else:
        result = _run(target, arguments)
    sys.stdout.write(" ".join(result.split())[:400] + "\n")


if __name__ == "__main__":
    _main()
