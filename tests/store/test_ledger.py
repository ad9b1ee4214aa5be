from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.budget import Spent
from dowse.store.ledger import Ledger

counts = st.integers(0, 2**63)


@settings(max_examples=30, deadline=None)
@given(counts, counts, counts, st.floats(0, 1e12))
def test_what_was_noted_is_read_back(pages: int, size: int, requests: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spent = Spent(pages, size, seconds, requests)
        ledger = Ledger(Path(folder) / "ledger")
        ledger.note(spent)
        assert ledger.read() == spent
        ledger.close()
        again = Ledger(Path(folder) / "ledger")
        assert again.read() == spent
        again.close()


def test_it_survives_a_kill(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from dowse.store.ledger import Ledger;"
        "from dowse.model.budget import Spent; ledger = Ledger(Path(sys.argv[1]));"
        "[ledger.note(Spent(n, 10 * n, n / 2, 2 * n)) for n in range(1000)]; os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "ledger")], check=False)
    assert done.returncode == -9
    ledger = Ledger(tmp_path / "ledger")
    assert ledger.read() == Spent(999, 9990, 499.5, 1998)
    ledger.close()


def test_what_is_no_ledger_starts_at_zero(tmp_path: Path) -> None:
    for junk in (b"", b"x" * 40, b"x" * 4000):
        (tmp_path / "ledger").write_bytes(junk)
        ledger = Ledger(tmp_path / "ledger")
        assert ledger.read() == Spent()
        ledger.close()
        assert (tmp_path / "ledger").stat().st_size == 40


def test_fresh_forgets(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ledger.note(Spent(1, 2, 3.0, 4))
    ledger.close()
    fresh = Ledger(tmp_path / "ledger", fresh=True)
    assert fresh.read() == Spent()
    fresh.close()
