"""The key that makes people numbers."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import pytest

from dowse.model.errors import UserError
from dowse.traces.privacy import UserKey, default_key_file, open_key


def test_a_number_is_half_an_hmac() -> None:
    key = UserKey(b"\1" * 32)
    expected = hmac.new(b"\1" * 32, b"ann", hashlib.sha256).hexdigest()[:16]
    assert f"{key.number(b'ann'):016x}" == expected
    assert key.number(b"ann") == key.number(b"ann") != key.number(b"bob")
    assert UserKey(b"\2" * 32).number(b"ann") != key.number(b"ann")
    assert UserKey(b"\2" * 32).mark != key.mark == UserKey(b"\1" * 32).mark


def test_a_key_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    path = default_key_file({"XDG_CONFIG_HOME": str(tmp_path)})
    first = open_key(path, lambda size: b"\7" * size)
    assert path == tmp_path / "dowse" / "traces.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    again = open_key(path, lambda size: b"\1" * size)
    assert again.mark == first.mark == UserKey(b"\7" * 32).mark


def test_what_others_can_read_is_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "key"
    open_key(path, os.urandom)
    for mode in (0o640, 0o604, 0o644):
        path.chmod(mode)
        with pytest.raises(UserError, match="can be read by others: run chmod 600"):
            open_key(path, os.urandom)


def test_what_is_no_key_is_refused_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for text in ("", "secret", "ab" * 31, "ab" * 33, "zz" * 32):
        path.write_text(text)
        path.chmod(0o600)
        with pytest.raises(UserError, match="holds no key") as told:
            open_key(path, os.urandom)
        assert not text or text not in str(told.value)
    path.unlink()
    path.mkdir()
    with pytest.raises(UserError, match="no plain file"):
        open_key(path, os.urandom)
    with pytest.raises(UserError, match="cannot"):
        open_key(Path("/dev/null/key"), os.urandom)
