"""The fuzz targets take their seeds, and some inputs made from them; ``make fuzz`` tries many more."""

from __future__ import annotations

import random
import signal
import sys

import pytest
from fuzz import __main__ as program
from fuzz.child import SEEDS, _fault
from fuzz.mutate import mutated
from fuzz.targets import TARGETS, Target


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_target_takes_its_seeds_and_more(target: Target) -> None:
    seeds = [path.read_bytes() for path in sorted((SEEDS / target.name).iterdir())]
    dice = random.Random(target.name)
    inputs = [*seeds, *(mutated(dice, seeds, target.words, long=False) for _ in range(15))]
    for data in inputs:
        assert _fault(target, data, False) == ""


def test_every_target_has_seeds_and_every_folder_a_target() -> None:
    assert sorted(target.name for target in TARGETS) == sorted(path.name for path in SEEDS.iterdir())


def test_inputs_are_the_same_for_a_seed_number() -> None:
    seeds = [b"<p>one</p>", b"two" * 100]
    one, other = ([mutated(random.Random(n), seeds, [b"<b>"]) for n in range(50)] for _ in range(2))
    assert one == other
    assert len(set(one)) > 40


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ValueError("no"), "ValueError: no"),
        (AssertionError("not so"), "broken promise: not so"),
        (KeyError("told"), ""),
    ],
)
def test_what_is_not_declared_is_a_fault(error: Exception, fault: str) -> None:
    def run(data: bytes) -> None:
        raise error

    assert _fault(Target("made", run, (), declares=(KeyError,)), b"", False) == fault


def test_a_death_is_told_in_a_line() -> None:
    assert program._ended(-signal.SIGVTALRM, "") == "it runs on and on"
    assert "heap-buffer-overflow" in program._ended(1, "x\n==1==ERROR: AddressSanitizer: heap-buffer-overflow on\n#0 y")
    assert program._ended(-11, "") == "the process ended with -11: "


def test_the_command(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "predicates", "--inputs", "20", "--plain"])
    assert program.main() == 0
    assert capfd.readouterr().out.startswith("predicates  ok, 20 inputs")
