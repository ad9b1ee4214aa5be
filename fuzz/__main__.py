"""``python -m fuzz [TARGET ...]``: fuzz all targets, or these, one after the other.

Ends with 1 where an input was not taken as it should be; it is then in ``fuzz/found``, and runs again with
``python -m fuzz TARGET --input FILE``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.child import SEEDS
from fuzz.sanitized import ROOT, Sanitized, build

FOUND = Path(__file__).parent / "found"


def _environment(sanitized: Sanitized | None) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {**os.environ, **own, **(sanitized.environment if sanitized else {})}


def _ended(code: int, error: str) -> str:
    """Why a process died, in a line."""
    said = [line for line in error.splitlines() if "ERROR:" in line or "runtime error" in line]
    if said:
        return said[0].strip()
    if code == -signal.SIGVTALRM:
        return "it runs on and on"
    return f"the process ended with {code}: {error.strip().splitlines()[-1] if error.strip() else ''}"


def _fuzz(name: str, arguments: argparse.Namespace, sanitized: Sanitized | None) -> bool:
    """Run a target and say in a line how that ended; is all well?"""
    with tempfile.TemporaryDirectory() as folder:
        current = Path(folder) / "current"
        line = [sys.executable, "-m", "fuzz.child", name, "--current", str(current), "--seed", str(arguments.seed)]
        line += ["--seconds", str(arguments.seconds), "--inputs", str(arguments.inputs), "--input", arguments.input]
        line += ["--core", str(sanitized.core)] if sanitized else []
        done = subprocess.run(
            line, cwd=ROOT, env=_environment(sanitized), capture_output=True, text=True, errors="replace", check=False
        )
        told = done.stdout.strip() or f"FAILED: {_ended(done.returncode, done.stderr)}"
        if told.startswith("ok"):
            print(f"{name:11} {told}{', with sanitizers' if sanitized else ''}", flush=True)
            return True
        kept = arguments.input
        if not kept:
            data = current.read_bytes() if current.exists() else b""
            FOUND.mkdir(exist_ok=True)
            kept = str(FOUND / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}")
            Path(kept).write_bytes(data)
    print(f"{name:11} {told} ({kept})", flush=True)
    return False


def main() -> int:
    names = sorted(path.name for path in SEEDS.iterdir())
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz the parsers of Dowse.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(names)}; all of them unless said")
    parser.add_argument("--seed", type=int, default=0, help="another number, other inputs")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each target")
    parser.add_argument("--inputs", type=int, default=1 << 60, help="for each target, at most")
    parser.add_argument("--input", default="", help="a file: run this one")
    parser.add_argument("--plain", action="store_true", help="leave the sanitizers out")
    arguments = parser.parse_args()
    targets = arguments.targets or names
    unknown = [name for name in targets if name not in names]
    if unknown:
        parser.error(f"there is no target {unknown[0]}: use {', '.join(names)}")
    from fuzz.targets import TARGETS

    in_core = {target.name for target in TARGETS if target.in_core}
    sanitized = None
    if not arguments.plain and in_core & set(targets):
        made = build(ROOT / "build" / "fuzz")
        if isinstance(made, str):
            print(made)
        else:
            sanitized = made
    good = [_fuzz(name, arguments, sanitized if name in in_core else None) for name in targets]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
