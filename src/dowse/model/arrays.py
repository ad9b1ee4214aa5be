"""Arrays and strings in files: appended to while they are made, mapped into memory when they are read.

An array is a ``.npy`` file. Strings are an array of their UTF-8 bytes, ``NAME.text.npy``, and one of where each ends,
``NAME.ends.npy``. What has been read is shared by all processes that read it, and costs no memory until it is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["ArrayFile", "StringFile", "Strings", "load_array", "load_strings", "read_part"]

_HEADER_BYTES = 128
_DECODED_WHOLE = 1_000_000  # strings, some 100 MB of addresses
_SURROGATES = "surrogatepass"  # a string comes back as it was


class ArrayFile:
    """A one-dimensional array that grows in its file; the header is written last, when its block ends without error.

    Left by an error, the file stays without a header: nobody takes it for whole.
    """

    def __init__(self, folder: Path, name: str, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._stream = (folder / f"{name}.npy").open("wb")
        self._stream.write(bytes(_HEADER_BYTES))
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        if kind is None:
            self.close()
        else:
            with suppress(OSError):  # a full disk refuses what is left in the buffer; its error is on its way already
                self._stream.close()

    def __len__(self) -> int:
        return self._count

    def append(self, values: NDArray[Any] | list[int] | list[float] | list[bool]) -> None:
        """Add values of any type that the file's can hold."""
        array = np.asarray(values, self._dtype)
        self._stream.write(array.tobytes())
        self._count += len(array)

    def close(self) -> None:
        """Write the header (version 1.0 of NumPy's format) and close the file."""
        text = f"{{'descr': {self._dtype.str!r}, 'fortran_order': False, 'shape': ({self._count},), }}"
        body = text.ljust(_HEADER_BYTES - 11) + "\n"
        with self._stream:
            self._stream.seek(0)
            self._stream.write(b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body.encode())


class StringFile:
    """A list of strings that grows in its files; used as :class:`ArrayFile` is."""

    def __init__(self, folder: Path, name: str) -> None:
        with ExitStack() as files:
            self._text = files.enter_context(ArrayFile(folder, f"{name}.text", np.uint8))
            self._ends = files.enter_context(ArrayFile(folder, f"{name}.ends", np.int64))
            self._files = files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._files.__exit__(*error)

    def append(self, strings: Iterable[str]) -> None:
        """Add strings."""
        encoded = [string.encode("utf-8", _SURROGATES) for string in strings]
        ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded))) + len(self._text)
        self._ends.append(ends)
        self._text.append(np.frombuffer(b"".join(encoded), np.uint8))

    def close(self) -> None:
        self._files.close()


class Strings:
    """A list of strings in mapped memory."""

    __slots__ = ("_all", "_ends", "_text")

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._text = text.data
        self._ends = ends
        self._all: list[str] | None = None

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:
        start = int(self._ends[number - 1]) if number else 0
        return str(self._text[start : int(self._ends[number])], "utf-8", _SURROGATES)

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    @property
    def nbytes(self) -> int:
        """The bytes of all of them, and of where they end."""
        return self._text.nbytes + self._ends.nbytes

    def take(self, numbers: NDArray[Any]) -> list[str]:
        """Several at once. A table that is not large is decoded whole the first time: asked for again and again, a
        string then costs a tenth."""
        if self._all is None and len(self) <= _DECODED_WHOLE:
            self._all = list(self)
        if self._all is not None:
            return list(map(self._all.__getitem__, numbers.tolist()))
        text = self._text
        ends = self._ends[numbers].tolist()
        starts = np.where(numbers > 0, self._ends[numbers - 1], 0).tolist()
        return [str(text[start:end], "utf-8", _SURROGATES) for start, end in zip(starts, ends, strict=True)]


def load_array(folder: Path, name: str) -> NDArray[Any]:
    """An array, mapped read-only."""
    path = folder / f"{name}.npy"
    if path.stat().st_size == _HEADER_BYTES:  # nothing to map
        return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def read_part(folder: Path, name: str, dtype: DTypeLike, part: slice) -> NDArray[Any]:
    """Some rows of an array that an :class:`ArrayFile` wrote, read into memory: what has been read of a mapped file
    stays there until all of it goes."""
    kind = np.dtype(dtype)
    start, count = part.start, part.stop - part.start
    return np.fromfile(folder / f"{name}.npy", kind, count, offset=_HEADER_BYTES + start * kind.itemsize)


def load_strings(folder: Path, name: str) -> Strings:
    """A list of strings, mapped read-only."""
    return Strings(load_array(folder, f"{name}.text"), load_array(folder, f"{name}.ends"))
