from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from dowse.model.errors import UserError
from dowse.seeds.keys import Keys

SECRET = "geheim-123"


def keys_file(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_environment_comes_first_then_the_file(tmp_path: Path) -> None:
    file = keys_file(tmp_path / "k.toml", f'brave = "{SECRET}"\nopenalex = " padded "\n')
    keys = Keys({"DOWSE_KEYS": str(file), "DOWSE_OPENALEX_KEY": "other"})
    assert (keys.of("brave"), keys.of("openalex"), keys.of("marginalia")) == (SECRET, "other", None)
    assert Keys({"DOWSE_KEYS": str(file)}).of("openalex") == "padded"


def test_the_usual_place_is_the_users_configuration(tmp_path: Path) -> None:
    (tmp_path / "dowse").mkdir()
    keys_file(tmp_path / "dowse" / "keys.toml", f'brave = "{SECRET}"')
    assert Keys({"XDG_CONFIG_HOME": str(tmp_path)}).of("brave") == SECRET
    assert Keys({"XDG_CONFIG_HOME": str(tmp_path / "none")}).of("brave") is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o620, 0o601])
def test_a_file_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    file = keys_file(tmp_path / "k.toml", f'brave = "{SECRET}"', mode)
    with pytest.raises(UserError, match=f"can be read by others: run chmod 600 {re.escape(str(file))}"):
        Keys({"DOWSE_KEYS": str(file)}).of("brave")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"brave = {SECRET}", "is no file of keys"),
        (f'brave = "{SECRET}\n', "is no file of keys"),
        (f'brave = ["{SECRET}"]', "brave is no key"),
        (f'brave = "{SECRET} {SECRET}"', "brave is no key"),
        (f'brave = "{SECRET}\\r\\nX-Evil: 1"', "brave is no key"),
        ('brave = ""', "brave is no key"),
        ("x = 1\n" * 20_000, "is no file of keys"),
    ],
)
def test_what_cannot_be_a_key_is_told_without_it(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        Keys({"DOWSE_KEYS": str(keys_file(tmp_path / "k.toml", text))}).of("brave")
    assert SECRET not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_named_must_be_there_and_be_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="which is not there"):
        Keys({"DOWSE_KEYS": str(tmp_path / "gone")}).of("brave")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(UserError, match="is no plain file"):
        Keys({"DOWSE_KEYS": str(tmp_path / "pipe")}).of("brave")
    with pytest.raises(UserError, match="is no plain file"):
        Keys({"DOWSE_KEYS": str(tmp_path)}).of("brave")


def test_a_bad_variable_is_told_by_its_name() -> None:
    with pytest.raises(UserError, match="DOWSE_BRAVE_KEY is no key") as error:
        Keys({"DOWSE_BRAVE_KEY": f"{SECRET}\n{SECRET}"}).of("brave")
    assert SECRET not in str(error.value)


def test_a_key_for_another_address_is_written_as_it_is_asked_for(tmp_path: Path) -> None:
    keys = Keys({"DOWSE_KEYS": str(tmp_path / "k.toml")})
    line = keys.how("brave:search.test").partition("write ")[2].partition(" into")[0].replace("...", "key")
    (tmp_path / "k.toml").write_text(line)
    (tmp_path / "k.toml").chmod(0o600)
    assert keys.of("brave:search.test") == "key"
    assert keys.of("brave") is None
